// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PATH_SHARES_H
#define LLM_FABRIC_PATH_SHARES_H

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Shares the links of a network among flows, max-min fairly, where a flow uses any number of links and
 * each by a weight of its own: data one way, and acknowledgments the other way by what they take
 * beside it.
 *
 * Rates are found by progressive filling over all flows that are active: those links whose equal
 * share is the smallest give it to all their flows at once, and the rest goes on with what is left.
 * Shares are whole and rounded down, so that no link is overcommitted and the rates depend on who
 * uses what and on nothing else: neither numbers nor history enter. MaxMinShares does the same for
 * flows of two resources, and only where something has changed.
 */
class PathShares
{
  public:
    /** A weight of 1. */
    static constexpr uint32_t UNIT = 1 << 16;

    /** What a flow without links has. */
    static constexpr uint64_t UNLIMITED = UINT64_MAX;

    /** Use of a link by a flow. */
    struct Use
    {
        uint32_t link = 0;   //!< the link
        uint32_t weight = 0; //!< bits on it per bit of the flow's rate, in units of 1 / UNIT
    };

    /** @param capacity what a new link can give, at most 2^47 @return the link's number */
    uint32_t AddLink(uint64_t capacity);
    /** @param uses what a new flow uses; a link may come twice @return the flow's number, inactive */
    uint32_t AddFlow(std::vector<Use> uses);
    /** @param flow a flow @param isActive whether it has a share from the next Update() on */
    void SetActive(uint32_t flow, bool isActive);
    /** Share anew. */
    void Update();

    /** @param flow an active flow @return its rate as of the last Update() */
    uint64_t GetRate(uint32_t flow) const;
    /** @return the flows that are active, in no order */
    const std::vector<uint32_t>& GetActive() const;

  private:
    /** Not active. */
    static constexpr uint32_t NOWHERE = UINT32_MAX;

    /** A flow. */
    struct Flow
    {
        std::vector<Use> uses;       //!< what it uses
        uint64_t rate = 0;           //!< its share
        uint64_t frozen = 0;         //!< the round that has set its rate
        uint32_t position = NOWHERE; //!< where it stands among the active ones
    };

    /** A link. */
    struct Link
    {
        uint64_t capacity = 0;       //!< what it can give
        uint64_t left = 0;           //!< while sharing: what is not given yet, times UNIT
        uint64_t weight = 0;         //!< while sharing: of flows without a rate
        uint64_t found = 0;          //!< the round that has found it in use
        std::vector<uint32_t> flows; //!< while sharing: the flows that use it
    };

    /** Find the links in use and what each has to share. */
    void FindLinks();
    /** @param flow gets its rate, if it has none @param rate the rate */
    void Freeze(uint32_t flow, uint64_t rate);

    std::vector<Link> m_links;      //!< by number
    std::vector<Flow> m_flows;      //!< by number
    std::vector<uint32_t> m_active; //!< see GetActive()
    std::vector<uint32_t> m_open;   //!< while sharing: links with flows without a rate
    std::vector<uint32_t> m_tight;  //!< while sharing: links whose share is the smallest
    uint64_t m_round = 0;           //!< number of calls of Update()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PATH_SHARES_H
