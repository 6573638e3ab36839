// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_GENERATOR_H
#define LLM_FABRIC_FLOW_GENERATOR_H

#include "flow-list.h"
#include "flow-size-distribution.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Makes the flows of traffic patterns. All patterns can be added to one list, each with a group of
 * its own, so that its results stand apart.
 */
class FlowGenerator
{
  public:
    /** Each accelerator sends at random moments to random others. */
    struct Poisson
    {
        double load = 0.5;  //!< payload over what the NIC could send; above 0, at most 1
        DataRate rate;      //!< of the NICs
        Time start;         //!< no flow starts earlier
        Time duration;      //!< none starts so long after `start`
        uint32_t group = 0; //!< see Flow
    };

    /** In each round some accelerators send at once to one, all chosen at random. */
    struct Incast
    {
        uint32_t senders = 1; //!< so many
        uint64_t bytes = 0;   //!< that each sends
        uint32_t rounds = 1;  //!< so many
        Time start;           //!< of the first
        Time interval;        //!< from one to the next
        uint32_t group = 0;   //!< see Flow
    };

    /** Each accelerator sends to one other and receives from one other; who, is chosen once. */
    struct Permutation
    {
        uint64_t bytes = 0;  //!< of each flow
        uint32_t rounds = 1; //!< flows of an accelerator: the next starts when one is acknowledged
        Time start;          //!< of the first
        uint32_t group = 0;  //!< see Flow
    };

    /** Most flows that a pattern may have. */
    static constexpr uint32_t MAX_FLOWS = 100'000'000;

    /** @param accelerators number of accelerators, at least 2 */
    explicit FlowGenerator(uint32_t accelerators);

    /**
     * Fix the random numbers' streams.
     * @param stream the first
     * @return how many are used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param flows gets the flows, in order of their starts
     * @param sizes from which the flows' sizes are drawn
     * @param traffic what is wanted
     */
    void Add(FlowList& flows, const FlowSizeDistribution& sizes, const Poisson& traffic);
    /**
     * @param flows gets the flows, round by round
     * @param traffic what is wanted
     */
    void Add(FlowList& flows, const Incast& traffic);
    /**
     * @param flows gets the flows, round by round
     * @param traffic what is wanted
     */
    void Add(FlowList& flows, const Permutation& traffic);

  private:
    /**
     * Refuse a number of flows that is too high.
     * @param flows the number
     */
    static void CheckCount(double flows);
    /** @param count at least 1 @return 0 to count - 1, each as likely */
    uint32_t DrawBelow(uint32_t count);
    /**
     * Choose some accelerators, in random order.
     * @param count how many
     * @return they
     */
    std::vector<uint32_t> Draw(uint32_t count);

    uint32_t m_accelerators;                //!< so many
    Ptr<ExponentialRandomVariable> m_gaps;  //!< between starts at an accelerator, mean 1
    Ptr<UniformRandomVariable> m_quantiles; //!< of sizes
    Ptr<UniformRandomVariable> m_places;    //!< who sends to whom
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_GENERATOR_H
