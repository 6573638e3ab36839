// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CONTRIBUTION_CHECK_H
#define LLM_FABRIC_CONTRIBUTION_CHECK_H

#include "collective-meaning.h"
#include "step-program.h"

#include <boost/dynamic_bitset.hpp>
#include <boost/icl/interval_map.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Follows whose contributions each byte of the buffer holds at each rank, while the steps of an
 * operation are done in any order that they allow: the proof that an algorithm does what the
 * operation is.
 *
 * A message holds what its sender had when it sent. Each call returns what is wrong, in words, or
 * nothing: a rank sends what it does not have, a message does not fit its receive step, something is
 * reduced twice, or a rank ends without what it must have. Time and memory grow with the stretches
 * that differ, times the ranks.
 */
class ContributionCheck
{
  public:
    /**
     * @param request the operation
     * @param program what is to be checked
     */
    ContributionCheck(const CollectiveRequest& request, std::shared_ptr<const StepProgram> program);

    /**
     * A step of a rank is done: a message sent, or taken (and reduced).
     * @param rank the rank
     * @param lane its lane
     * @param index its place in the lane
     * @return what is wrong, or ""
     */
    std::string Do(uint32_t rank, uint32_t lane, uint32_t index);

    /**
     * A rank has done all its steps.
     * @param rank the rank
     * @return what is wrong, or ""
     */
    std::string Finish(uint32_t rank) const;

    /** @return messages sent and not taken */
    std::size_t GetOpenMessages() const
    {
        return m_messages.size() + m_calls.size();
    }

  private:
    using Ranks = boost::dynamic_bitset<uint64_t>;                  //!< who contributed
    using Content = boost::icl::interval_map<uint64_t, Ranks>;      //!< by stretch of the buffer
    using Interval = boost::icl::interval<uint64_t>::interval_type; //!< a stretch

    /** A message under way. */
    struct Message
    {
        BufferRanges ranges; //!< which stretches
        Content content;     //!< whose contributions
    };

    /** What ranks have called on switches for. */
    struct Call
    {
        BufferRanges ranges;  //!< which stretches
        Content content;      //!< whose contributions, so far
        uint32_t senders = 0; //!< ranks that have sent
        uint32_t takers = 0;  //!< ranks that are to take the result and have not
    };

    /** @param rank a rank @param step REDUCE or MULTICAST @param ranges its stretches @return what is
     * wrong, or "" */
    std::string DoCall(uint32_t rank, const Step& step, const BufferRanges& ranges);
    /** @param rank a rank @param step receives from switches @param ranges its stretches
     * @param isCalled set to whether it does @return what is wrong, or "" */
    std::string
    TakeCall(uint32_t rank, const Step& step, const BufferRanges& ranges, bool& isCalled);
    /** @param a some stretches @param b others @return whether they are equal */
    static bool AreEqual(const BufferRanges& a, const BufferRanges& b);
    /** @param range a stretch @return it */
    static Interval ToInterval(const BufferRange& range);
    /** @param rank a rank @param ranges stretches @param content gets what the rank has there
     * @return the part of the ranges that it does not have, or an empty one */
    BufferRange Copy(uint32_t rank, const BufferRanges& ranges, Content& content) const;
    /** @param rank a rank @param content what came @return what is wrong, or "" */
    std::string Reduce(uint32_t rank, const Content& content);
    /** @param who ranks @return the first of them, in words */
    static std::string Describe(const Ranks& who);

    CollectiveMeaning m_meaning;                  //!< of the operation
    std::shared_ptr<const StepProgram> m_program; //!< is checked
    std::vector<Content> m_held;                  //!< by rank
    /** What switches reduce and multicast, by group, sender (or EVERY) and place. */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Call> m_calls;
    /** By sender, receiver and place. */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Message> m_messages;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CONTRIBUTION_CHECK_H
