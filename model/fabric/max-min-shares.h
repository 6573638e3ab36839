// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MAX_MIN_SHARES_H
#define LLM_FABRIC_MAX_MIN_SHARES_H

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Shares resources among flows, max-min fairly.
 *
 * Each flow uses two resources (what it leaves by and what it enters by) or more (links between) at one
 * rate. Rates are integers in any unit. They are found by progressive filling: the resources with the smallest equal
 * share give it to all their flows at once, and the rest goes on with what is left. A share is
 * rounded down, so no resource is ever overcommitted, and less than one unit a flow is lost.
 * Resources that tie are served together, so the rates depend on who uses what and on nothing else:
 * neither numbers nor history enter.
 *
 * The resource that limits a flow is its bottleneck; all flows of a bottleneck have the same rate, its
 * level. Where several resources of a flow limit it, the one that did so before stays its bottleneck.
 *
 * Update() works on the resources that are connected, by flows, to what changed since the last call.
 */
class MaxMinShares
{
  public:
    /**
     * @param resources how many resources; all have capacity 0 until set
     */
    explicit MaxMinShares(uint32_t resources);

    /** Resources that a flow can use without a second place in memory. */
    static constexpr uint32_t MAX_USES = 8;

    /** @return number of a new resource, of capacity 0 until set */
    uint32_t AddResource();

    /**
     * Set what a resource can give.
     * @param resource its number
     * @param capacity the capacity, in units of rate
     */
    void SetCapacity(uint32_t resource, uint64_t capacity);

    /**
     * Add a flow. Its rate is 0 until Update().
     * @param first a resource that it uses
     * @param second another one
     * @return the flow's number; numbers of removed flows are used again
     */
    uint32_t AddFlow(uint32_t first, uint32_t second);
    /**
     * Add a flow. Its rate is 0 until Update().
     * @param uses the resources that it uses, all different
     * @return the flow's number; numbers of removed flows are used again
     */
    uint32_t AddFlow(const std::vector<uint32_t>& uses);

    /**
     * Remove a flow.
     * @param flow its number
     */
    void RemoveFlow(uint32_t flow);

    /** Share anew whatever changes since the last call may touch. */
    void Update();

    /** @return the resources whose flows the last Update() may have given other rates */
    const std::vector<uint32_t>& GetReached() const;
    /** @return the flows that have another bottleneck since the last Update(), in no order */
    const std::vector<uint32_t>& GetMoved() const;

    /**
     * @param flow a flow
     * @return the resource that limits it as of the last Update()
     */
    uint32_t GetBottleneck(uint32_t flow) const;

    /**
     * @param resource a resource
     * @return rate of the flows that it limits as of the last Update()
     */
    uint64_t GetLevel(uint32_t resource) const;

    /**
     * @param flow a flow
     * @return its rate as of the last Update()
     */
    uint64_t GetRate(uint32_t flow) const;

    /**
     * @param resource a resource
     * @return the sum of the rates of its flows as of the last Update()
     */
    uint64_t GetLoad(uint32_t resource) const;

    /**
     * @param resource a resource
     * @return how many flows use it
     */
    uint32_t GetFlowCount(uint32_t resource) const;

  private:
    /** No resource. */
    static constexpr uint32_t NONE = UINT32_MAX;

    /** Use of a resource by a flow. */
    struct Use
    {
        uint32_t resource = 0; //!< the resource
        uint32_t position = 0; //!< where the flow stands in the resource's list
    };

    /** A flow, or a free place for one. */
    struct Flow
    {
        uint64_t rate = 0;          //!< its share
        uint64_t frozen = 0;        //!< the round of Update() that has set its rate
        uint32_t bottleneck = NONE; //!< what limits it
        uint32_t count = 0;         //!< how many of its resources are listed here
        Use uses[MAX_USES];         //!< these
        uint32_t first = 0;         //!< its first place, whose number is its own
        uint32_t next = NONE;       //!< the place where more of its resources are listed
    };

    /** A resource. */
    struct Resource
    {
        uint64_t capacity = 0; //!< what it can give
        uint64_t load = 0;     //!< what it gives
        uint64_t left = 0;     //!< while sharing: what is not given yet
        uint64_t share = 0;    //!< while sharing: `left` over `open`
        uint64_t level = 0;    //!< rate of the flows that it limits
        uint64_t tight = 0;    //!< the step of sharing in which it became tight
        uint32_t open = 0;     //!< while sharing: flows without a rate
        uint64_t found = 0;    //!< the round of Update() that has reached it
        bool touched = false;  //!< whether it changed since the last Update()
        std::vector<uint32_t>
            flows; //!< its flows, each as MAX_USES x flow + which of the flow's uses
    };

    /** @return a free place for a flow */
    uint32_t TakeFlow();
    /**
     * Have a flow use one resource more.
     * @param flow its number
     * @param resource the resource
     */
    void AddUse(uint32_t flow, uint32_t resource);
    /**
     * Note that a resource changed.
     * @param resource its number
     */
    void Touch(uint32_t resource);
    /** Fill m_reached with all resources that flows connect to the touched ones. */
    void FindConnected();
    /** @return the smallest share among m_open; drops the resources that are done */
    uint64_t FindLevel();
    /**
     * Give a flow its rate.
     * @param flow its number
     * @param by a resource that is tight
     */
    void Freeze(uint32_t flow, uint32_t by);

    std::vector<Resource> m_resources; //!< by number
    std::vector<Flow> m_flows;         //!< by number
    std::vector<uint32_t> m_freeFlows; //!< numbers that may be used again
    std::vector<uint32_t> m_touched;   //!< resources that changed since the last Update()
    std::vector<uint32_t> m_open;      //!< while sharing: resources with open flows
    std::vector<uint32_t> m_tight;     //!< while sharing: resources whose share is the smallest
    std::vector<uint32_t> m_reached;   //!< see GetReached()
    std::vector<uint32_t> m_moved;     //!< see GetMoved()
    uint64_t m_round = 0;              //!< number of calls of Update()
    uint64_t m_step = 0;               //!< number of levels found so far
};

} // namespace ns3::llm

#endif // LLM_FABRIC_MAX_MIN_SHARES_H
