// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_BOUND_H
#define LLM_FABRIC_COLLECTIVE_BOUND_H

#include "collective-operation.h"
#include "step-program.h"

#include "ns3/data-rate.h"
#include "ns3/locality.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-collective
 * Closed forms of what operations move, and what nothing may beat.
 */

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Bytes that each rank has to send when all send equally and nothing reduces on the way: with N ranks
 * 2 (N - 1) / N S for all-reduce, (N - 1) / N S for all-gather, reduce-scatter, all-to-all, gather and
 * scatter (the latter two at the root); S for the sender of a point-to-point operation, for broadcast
 * and reduce; the mean over the ranks for an all-to-all-v; 0 for a barrier.
 * @param request the operation
 * @param size number of ranks
 * @return the bytes; chunks are whole bytes, so a rank may send a few more or less
 */
double GetBytesPerRank(const CollectiveRequest& request, uint32_t size);

/**
 * @ingroup llm-fabric-collective
 * @param program the steps
 * @param rank a rank
 * @return payload that it sends, exactly
 */
uint64_t GetSentBytes(const StepProgram& program, uint32_t rank);

/**
 * @ingroup llm-fabric-collective
 * The bound: payload over line rate, for the link that has the most of it to carry. Headers,
 * acknowledgments, latencies and dependencies come on top, so no run of the program may beat it.
 * @param program the steps
 * @param accelerators accelerator of each rank
 * @param locality gives the paths
 * @param owner the communicator's id, which enters the choice among equal-cost links
 * @return the time
 */
Time GetBandwidthBound(const StepProgram& program,
                       const std::vector<uint32_t>& accelerators,
                       Ptr<const Locality> locality,
                       uint32_t owner = 0);

/**
 * @ingroup llm-fabric-collective
 * Algorithm bandwidth as nccl-tests defines it (doc/PERFORMANCE.md there): S over the time; for an
 * all-to-all-v the mean row of its matrix over the time.
 * @param request the operation
 * @param time how long it took, not 0
 * @return the rate
 */
DataRate GetAlgorithmBandwidth(const CollectiveRequest& request, Time time);

/**
 * @ingroup llm-fabric-collective
 * Bus bandwidth as nccl-tests defines it: algorithm bandwidth times 2 (N - 1) / N for all-reduce,
 * (N - 1) / N for all-gather, reduce-scatter, all-to-all, gather and scatter, 1 for point-to-point,
 * broadcast and reduce; to be compared with the rate of a link for any N.
 * @param request the operation
 * @param size number of ranks
 * @param time how long it took, not 0
 * @return the rate
 */
DataRate GetBusBandwidth(const CollectiveRequest& request, uint32_t size, Time time);

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_BOUND_H
