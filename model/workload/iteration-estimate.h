// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ITERATION_ESTIMATE_H
#define LLM_FABRIC_ITERATION_ESTIMATE_H

#include "gradient-buckets.h"
#include "training-graph.h"
#include "transformer-workload.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What a rank says along one dimension in an iteration.
 */
struct DimensionTraffic
{
    uint32_t groupSize = 1;  //!< ranks of the group
    uint64_t operations = 0; //!< collectives, or messages sent
    uint64_t bytes = 0;      //!< sum of their sizes S
    /**
     * Bytes that the rank sends by ring algorithms: 2(N-1)/N S for an all-reduce, (N-1)/N S for other
     * collectives, rounded up once for the sum; for a message S.
     */
    uint64_t sentBytes = 0;
    uint64_t messages = 0; //!< messages that the rank sends by ring algorithms
};

/**
 * @ingroup llm-fabric-workload
 * What a rank does in one iteration, in closed form: to predict the size of a simulation and to
 * check a run. Traffic is exact; the time leaves out all communication.
 */
struct IterationEstimate
{
    /** By ParallelDimension. */
    std::array<DimensionTraffic, PARALLEL_DIMENSIONS> traffic;
    Time computeTime; //!< sum of its compute tasks, without overheads of pipeline calls
    /**
     * Length of an iteration with free communication: the first micro-batch through all stages, the
     * others at the pace of the slowest stage, and the longest optimizer's step. Exact for equal
     * stages under OneForwardOneBackwardSchedule; with unequal stages and other schedules a guide.
     */
    Time idealTime;

    /** @param dimension a dimension @return what the rank says along it */
    const DimensionTraffic& Get(ParallelDimension dimension) const;
};

/**
 * @ingroup llm-fabric-workload
 * @param workload a workload
 * @param rank a rank of it
 * @return the rank's iteration
 */
IterationEstimate EstimateIteration(const Ptr<const TransformerWorkload>& workload, uint32_t rank);

/**
 * @ingroup llm-fabric-workload
 * @param workload a workload
 * @param stage a stage
 * @return the reductions of gradients of a rank of the stage in an iteration, in their order
 */
std::vector<GradientBuckets::Bucket>
GetGradientBuckets(const Ptr<const TransformerWorkload>& workload, uint32_t stage);

} // namespace ns3::llm

#endif // LLM_FABRIC_ITERATION_ESTIMATE_H
