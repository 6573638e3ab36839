// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RING_COMMUNICATION_COST_H
#define LLM_FABRIC_RING_COMMUNICATION_COST_H

#include "communication-cost.h"
#include "rank-account.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * What rings cost: with n ranks, S bytes, rate B, step latency a and launch latency l
 *
 * - all-reduce: 2 (n-1)/n S/B + 2 (n-1) a + l
 * - all-gather, reduce-scatter: (n-1)/n S/B + (n-1) a + l
 * - all-to-all, of n-1 messages that go out together: (n-1)/n S/B + a + l
 * - a message: l until the NIC has it, S/B in the NIC, a until it is there
 *
 * B is the bus bandwidth in the sense of nccl-tests. A dimension without a rate is refused when it
 * is asked for.
 */
class RingCommunicationCost : public CommunicationCost
{
  public:
    /** What one dimension's communication costs. */
    struct Dimension
    {
        DataRate rate{0}; //!< B: bus bandwidth of a rank, payload; of messages: the NIC's
        Time step;        //!< a: what a step takes beside its bytes; of messages: the way
        Time launch;      //!< l: before the first step
    };

    /**
     * @param dimension a dimension
     * @param cost what its communication costs
     */
    void Set(ParallelDimension dimension, const Dimension& cost);

    /**
     * The bus bandwidth of rings over several HB domains, of which `members` ranks lie in each: as
     * many rings can run as a domain has members with NICs of their own, so it is that of the
     * members' NICs together, but no more than a rank gets inside a domain.
     * @param ranks size of the group
     * @param members how many of its ranks lie in one HB domain
     * @param domainRate of a rank in its HB domain
     * @param nicRate of a rank's NIC
     * @return min(domainRate, members x nicRate), or domainRate when all ranks are members
     */
    static DataRate
    GetBusRate(uint32_t ranks, uint32_t members, DataRate domainRate, DataRate nicRate);

    Time GetCollectiveTime(ParallelDimension dimension,
                           TrainingTask::Kind kind,
                           uint64_t bytes,
                           uint32_t ranks) const override;
    MessageCost GetMessageCost(ParallelDimension dimension, uint64_t bytes) const override;

  private:
    /**
     * @param dimension a dimension
     * @return its cost, refused without a rate
     */
    const Dimension& Get(ParallelDimension dimension) const;

    std::array<Dimension, PARALLEL_DIMENSIONS> m_dimensions; //!< by dimension
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RING_COMMUNICATION_COST_H
