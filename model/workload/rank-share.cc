// SPDX-License-Identifier: GPL-2.0-only

#include "rank-share.h"

namespace ns3::llm
{

RankShare::RankShare(const TransformerModel& model,
                     const ParallelStrategy& strategy,
                     const OperatorOptions& operatorOptions)
    : shape(model.GetShape()),
      options(operatorOptions),
      tensor(strategy.tensorParallel),
      context(strategy.contextParallel),
      expert(strategy.expertParallel),
      sequenceParallel(strategy.sequenceParallel && strategy.tensorParallel > 1),
      accumulates(strategy.GetMicroBatchCount() > 1),
      recomputation(strategy.recomputation),
      sequences(strategy.microBatchSize),
      sequenceTokens((strategy.sequenceLength + context - 1) / context),
      tokens(sequences * sequenceTokens),
      residualTokens(sequenceParallel ? (tokens + tensor - 1) / tensor : tokens)
{
    options.Validate();
}

uint64_t
RankShare::GetSize(ParallelDimension dimension) const
{
    switch (dimension)
    {
    case ParallelDimension::TENSOR:
        return tensor;
    case ParallelDimension::CONTEXT:
        return context;
    case ParallelDimension::EXPERT:
        return expert;
    default:
        return 1;
    }
}

uint64_t
RankShare::GetActivationBytes() const
{
    return tokens * shape.hidden * options.activationBytes;
}

} // namespace ns3::llm
