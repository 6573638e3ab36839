// SPDX-License-Identifier: GPL-2.0-only

#include "ring-communication-cost.h"

#include "ns3/input-error.h"
#include "ns3/transfer-time.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::llm
{

void
RingCommunicationCost::Set(ParallelDimension dimension, const Dimension& cost)
{
    m_dimensions.at(static_cast<std::size_t>(dimension)) = cost;
}

DataRate
RingCommunicationCost::GetBusRate(uint32_t ranks,
                                  uint32_t members,
                                  DataRate domainRate,
                                  DataRate nicRate)
{
    if (members >= ranks)
    {
        return domainRate;
    }
    return DataRate(std::min(domainRate.GetBitRate(), members * nicRate.GetBitRate()));
}

const RingCommunicationCost::Dimension&
RingCommunicationCost::Get(ParallelDimension dimension) const
{
    const Dimension& cost = m_dimensions[static_cast<std::size_t>(dimension)];
    if (cost.rate.GetBitRate() == 0)
    {
        RefuseInput(std::string("the cost of ") + GetShortName(dimension) +
                    " communication has no rate; it needs one above 0");
    }
    return cost;
}

Time
RingCommunicationCost::GetCollectiveTime(ParallelDimension dimension,
                                         TrainingTask::Kind kind,
                                         uint64_t bytes,
                                         uint32_t ranks) const
{
    const Dimension& cost = Get(dimension);
    uint32_t rounds = 1;            // times that all shards but one pass a rank
    uint32_t stepCount = ranks - 1; // one after the other
    switch (kind)
    {
    case TrainingTask::ALL_REDUCE:
        rounds = 2;
        stepCount *= 2;
        break;
    case TrainingTask::ALL_GATHER:
    case TrainingTask::REDUCE_SCATTER:
        break;
    case TrainingTask::ALL_TO_ALL:
        stepCount = 1;
        break;
    default:
        NS_ABORT_MSG("a task of kind " << int(kind) << " is no collective");
    }
    const double bits = 8.0 * static_cast<double>(bytes) * rounds * (ranks - 1) / ranks;
    const double seconds = bits / static_cast<double>(cost.rate.GetBitRate());
    const auto ps = static_cast<uint64_t>(std::llround(seconds * 1e12));
    return PicoSeconds(ps) + TimeStep(cost.step.GetTimeStep() * stepCount) + cost.launch;
}

MessageCost
RingCommunicationCost::GetMessageCost(ParallelDimension dimension, uint64_t bytes) const
{
    const Dimension& cost = Get(dimension);
    return {cost.launch, GetTransferTime(bytes, cost.rate), cost.step};
}

} // namespace ns3::llm
