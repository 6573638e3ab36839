// SPDX-License-Identifier: GPL-2.0-only

#include "operator-options.h"

#include "ns3/input-error.h"

#include <string>

namespace ns3::llm
{

OperatorOptions
OperatorOptions::Megatron2022()
{
    OperatorOptions options;
    options.dropout = true;
    options.causal = true;
    options.unfusedBiases = true;
    return options;
}

OperatorOptions
OperatorOptions::Megatron2021()
{
    OperatorOptions options = Megatron2022();
    options.fusedAccumulation = false;
    options.earlyNorms = true;
    options.overlapBackward = false;
    return options;
}

void
OperatorOptions::Validate() const
{
    constexpr uint32_t WIDEST = 4;
    constexpr double MOST = 1000;
    if (activationBytes == 0 || activationBytes > WIDEST)
    {
        RefuseInput("activation bytes = " + std::to_string(activationBytes) +
                    ", but must be 1 to 4");
    }
    if (!(capacityFactor >= 1 && capacityFactor <= MOST))
    {
        RefuseInput("capacity factor = " + std::to_string(capacityFactor) +
                    ", but must be 1 to 1000: experts take at least the tokens that an even choice "
                    "gives them");
    }
}

} // namespace ns3::llm
