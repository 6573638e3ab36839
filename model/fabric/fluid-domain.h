// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLUID_DOMAIN_H
#define LLM_FABRIC_FLUID_DOMAIN_H

#include "fluid-side.h"
#include "max-min-shares.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/frame-clock.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Bytes that go from one port of a fluid domain to another, or from or to all ports of a group.
 */
struct FluidTransfer
{
    /** In place of a port: all of the group. */
    static constexpr uint32_t ALL_PORTS = UINT32_MAX;
    /** No group. */
    static constexpr uint32_t NO_GROUP = UINT32_MAX;

    uint32_t source = 0;       //!< port by which they enter the domain
    uint32_t destination = 0;  //!< port by which they leave it, not the source
    uint32_t owner = 0;        //!< part of the identity of the queue
    uint32_t flow = 0;         //!< part of the identity of the queue
    uint64_t bytes = 0;        //!< payload; 0 is allowed
    uint64_t handle = 0;       //!< given back with the callbacks; enters no decision
    uint32_t group = NO_GROUP; //!< see FluidDomain::AddGroup()
    bool isReduction = false;  //!< of a group: what all send is reduced on its way
};

/**
 * @ingroup llm-fabric-fabric
 * The way of a queue of transfers, where more than its two ports limits it.
 */
struct FluidPath
{
    std::vector<uint32_t> links; //!< that it crosses between its ports, as AddLink() numbers them
    Time delay;                  //!< instead of `Delay`
};

/**
 * @ingroup llm-fabric-fabric
 * What a port of a fluid domain has carried, each way.
 */
struct FluidPortUse
{
    uint64_t sentBytes = 0;         //!< payload of the finished transfers from this port
    uint64_t receivedBytes = 0;     //!< payload of the finished transfers to this port
    uint64_t sentWireBytes = 0;     //!< carried so far from this port, overhead included
    uint64_t receivedWireBytes = 0; //!< carried so far to this port, overhead included
    uint64_t sendingBps = 0;        //!< rate at which it sends now, bit/s, rounded down
    uint64_t receivingBps = 0;      //!< rate at which it receives now, bit/s, rounded down
};

/**
 * @ingroup llm-fabric-fabric
 * An HB domain whose traffic is shared by rate instead of carried in frames.
 *
 * Each port is full duplex and has a capacity each way. Transfers of one (source, destination, owner,
 * flow) form a queue that is served in order, like a queue pair; the heads of all queues share the
 * ports max-min fairly (MaxMinShares). A transfer carries payload x `WireOverhead`, is delivered
 * `Delay` after its last byte was sent, and is acknowledged `Delay` later.
 *
 * Where the inside is not non-blocking, links can be added that queues share as well (AddLink(),
 * SetPathFinder()).
 *
 * The domain's switch can reduce what all ports of a group send into one stream, and send what one
 * port sends to all of them (AddGroup(), Reduce(), Multicast()). Such a transfer crosses each port once,
 * at one rate at all of them, and shares them like any other.
 *
 * Order: what ns-3 events hand over at a tick enters one tick later; at each tick everything that
 * enters or ends comes first and rates are shared anew once, last. Within a tick queues are taken by
 * identity, so that results depend neither on the order of the calls nor on the engine.
 *
 * Arithmetic is in integers: rates in 2^-16 bit/s, rounded down; work in 2^-16 x 10^-12 bit; times in
 * ps, rounded up. Settling work at any tick is exact, so nothing drifts, and no transfer is faster
 * than its payload at the rate of its ports. One that has a port to itself takes
 * ceil(bytes x 8 x WireOverhead / rate) + Delay; where a share is no multiple of 2^-16 bit/s a
 * transfer can end 1 ps later than with rational rates.
 */
class FluidDomain : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** Called at one end of a transfer. */
    using TransferCallback = Callback<void, const FluidTransfer&>;

    FluidDomain();
    ~FluidDomain() override;

    /**
     * Build the ports; once, before anything is sent. Attributes are read here.
     * @param clock the time
     * @param nodeIds for each port the ns-3 node behind it, the context of its callbacks
     */
    void Setup(Ptr<FrameClock> clock, const std::vector<uint32_t>& nodeIds);

    /**
     * Give a port rates that differ from `DataRate`; after Setup() and before anything is sent.
     * @param port the port
     * @param sending capacity from the port into the domain
     * @param receiving capacity from the domain to the port
     */
    void SetPortRates(uint32_t port, DataRate sending, DataRate receiving);

    /**
     * Add a link between ports; after Setup() and before anything is sent.
     * @param rate its capacity
     * @return its number, counted from 0
     */
    uint32_t AddLink(DataRate rate);

    /** Tells the way of the queue that a transfer belongs to. @param transfer the first of it */
    using PathFinder = std::function<FluidPath(const FluidTransfer& transfer)>;
    /** @param finder asked once for each queue; without one there are ports alone */
    void SetPathFinder(PathFinder finder);

    /**
     * Say who learns of transfers. The calls are ns-3 events, one tick after the fact.
     * @param delivered called at the destination's node when all bytes are there
     * @param acknowledged called at the source's node when it knows so
     */
    void SetCallbacks(TransferCallback delivered, TransferCallback acknowledged);

    /**
     * Hand over a transfer, from an ns-3 event or before the run. It enters one tick later.
     * @param transfer the transfer
     */
    void Send(const FluidTransfer& transfer);

    /** Called for a port to which a transfer of a group has come. */
    using GroupCallback = Callback<void, FluidDomain*, const FluidTransfer&, uint32_t>;

    /** @param delivered called at the node of each port that a group's transfer is for */
    void SetGroupCallback(GroupCallback delivered);

    /**
     * Make a group of ports; after Setup().
     * @param ports its members
     * @return its number
     */
    uint32_t AddGroup(const std::vector<uint32_t>& ports);

    /**
     * Have the domain's switch reduce what the ports of a group send; called for each of them, from an
     * ns-3 event. It begins when all have called: `handle` says which calls belong together. All send
     * `bytes`, the destination, or all of them, receive so many.
     * @param group the group
     * @param call what the port that is its `source` wants
     */
    void Reduce(uint32_t group, const FluidTransfer& call);

    /**
     * Send bytes of one port to all ports of a group, itself included; called for the source.
     * @param group the group
     * @param call the transfer; its destination does not matter
     */
    void Multicast(uint32_t group, const FluidTransfer& call);

    /** @return the attribute `ReductionEfficiency` */
    double GetReductionEfficiency() const;

    /** @return number of ports */
    uint32_t GetPortCount() const;
    /** @return bytes carried per byte of payload: `WireOverhead` as a multiple of 2^-16 */
    double GetWireOverhead() const;
    /** @return the attribute `Delay` */
    Time GetDelay() const;
    /**
     * @param port a port
     * @return its capacity into the domain
     */
    DataRate GetSendingRate(uint32_t port) const;
    /**
     * @param port a port
     * @return its capacity out of the domain
     */
    DataRate GetReceivingRate(uint32_t port) const;

    /**
     * What a port has carried until a time; differences between two times give its use over time.
     * @param port the port
     * @param now the present time; earlier ones are refused
     * @return the counts
     */
    FluidPortUse GetPortUse(uint32_t port, Time now) const;
    /**
     * @param link a link
     * @param now the present time; earlier ones are refused
     * @return what it has carried until then, overhead included, bytes
     */
    uint64_t GetCarriedBytes(uint32_t link, Time now) const;
    /** @return number of transfers handed over and not yet delivered */
    uint64_t GetUnfinishedCount() const;

  protected:
    void DoDispose() override;

  private:
    /** No side. */
    static constexpr uint32_t NONE = UINT32_MAX;

    /** Identity of a queue: source, destination, owner, flow. */
    using QueueKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    /** A queue of transfers. */
    struct Queue
    {
        std::deque<FluidTransfer> backlog; //!< the head is being carried, if `active`
        std::vector<uint32_t> uses;        //!< resources that it crosses
        uint64_t delayTicks = 0;           //!< from its last byte's leaving to its delivery
        bool active = false;               //!< whether it takes part in sharing
        uint32_t share = 0;                //!< its number in m_shares
        uint32_t side = NONE;              //!< the side that limits it; NONE: not known yet
        FluidWork end = 0; //!< its head ends when that side has served so much; if NONE: its work
    };

    /** A transfer handed over, or on its way behind its last byte. */
    struct Due
    {
        uint64_t tick = 0;       //!< when it is due
        FluidTransfer transfer;  //!< the transfer
        uint64_t delayTicks = 0; //!< of its queue
    };

    /** @param line in the order of ticks @param due is put into it, behind what is due then */
    static void Insert(std::deque<Due>& line, const Due& due);

    /**
     * @param transfer a transfer
     * @return its queue's identity
     */
    static QueueKey GetKey(const FluidTransfer& transfer);
    /**
     * @param port a port
     * @param receiving which way
     * @return number of the resource in m_shares, and of the side
     */
    static uint32_t GetResource(uint32_t port, bool receiving);
    /**
     * Set the capacity of a resource.
     * @param resource its number
     * @param name what it is, for a refusal
     * @param rate its capacity
     */
    void SetRate(uint32_t resource, const std::string& name, DataRate rate);
    /** @return number of a new queue @param transfer the first of it */
    uint32_t MakeQueue(const FluidTransfer& transfer);
    /**
     * @param transfer a transfer
     * @return the work of carrying it
     */
    FluidWork GetWork(const FluidTransfer& transfer) const;
    /**
     * A port's call has come.
     * @param transfer the call; becomes the transfer of the group
     * @return whether it can begin
     */
    bool Gather(FluidTransfer& transfer);
    /** @param transfer of a group @return the resources that it uses */
    std::vector<uint32_t> GetGroupUses(const FluidTransfer& transfer) const;
    /** @param transfer of a group, has ended @return the ports that it has come to */
    std::vector<uint32_t> GetReceivers(const FluidTransfer& transfer) const;
    /** ns-3 event at a member. @param transfer what is there @param port where */
    void DeliverToMember(const FluidTransfer& transfer, uint32_t port);
    /** Kind FLUID_REQUEST: put what was handed over into its queues. */
    void OnRequest();
    /** Kind FLUID_UPDATE: end what is due, and share anew. */
    void OnUpdate();
    /**
     * Begin with the first transfer of a queue that needs sharing; those without bytes end at once.
     * @param number an idle queue
     */
    void StartHead(uint32_t number);
    /** End the transfers whose last byte is due. */
    void FinishHeads();
    /**
     * Let a side limit a queue.
     * @param number the queue
     * @param resource the side
     * @param end what the side will have served when the queue's head ends
     */
    void Limit(uint32_t number, uint32_t resource, FluidWork end);
    /** Send what has ended at this tick on its way, and call out what is due. */
    void CallOutDue();
    /**
     * ns-3 event at the destination.
     * @param transfer what is there
     */
    void Deliver(const FluidTransfer& transfer);
    /**
     * ns-3 event at the source.
     * @param transfer what is known to be there
     */
    void Acknowledge(const FluidTransfer& transfer);
    /** Share the ports anew, and move queues to the sides that limit them now. */
    void Share();
    /** Schedule the next update. */
    void ScheduleNext();

    DataRate m_rate;           //!< attribute
    double m_overhead;         //!< attribute
    double m_groupEfficiency;  //!< attribute
    Time m_delay;              //!< attribute
    uint32_t m_scale = 0;      //!< m_overhead in 2^-16
    uint32_t m_groupScale = 0; //!< m_overhead over m_groupEfficiency likewise
    uint64_t m_delayTicks = 0; //!< m_delay in ps

    Ptr<FrameClock> m_clock;                     //!< the time
    uint32_t m_object = 0;                       //!< this domain's number in the clock
    std::vector<uint32_t> m_nodeIds;             //!< by port
    TransferCallback m_delivered;                //!< the owner's
    TransferCallback m_acknowledged;             //!< the owner's
    std::vector<DataRate> m_capacities;          //!< by resource
    std::vector<FluidSide> m_sides;              //!< by resource
    std::vector<uint64_t> m_endedBytes;          //!< by resource: payload of finished transfers
    MaxMinShares m_shares;                       //!< who gets what
    std::vector<uint32_t> m_byShare;             //!< queue of each of m_shares' flows
    std::map<QueueKey, uint32_t> m_queueNumbers; //!< by identity
    std::vector<Queue> m_queues;                 //!< by number
    std::vector<uint64_t> m_versions;            //!< of queues: counts changes of side and end
    std::deque<Due> m_inbox;                     //!< handed over, not yet entered
    std::vector<uint32_t> m_idle;                //!< queues that have to begin at this tick
    std::vector<Due> m_ended;                    //!< ended at this tick, due later
    PathFinder m_finder;                         //!< see SetPathFinder()
    std::deque<Due> m_deliveries;                //!< to be delivered, in order
    std::deque<Due> m_acknowledgments;           //!< to be acknowledged, in order
    uint64_t m_nextUpdate;                       //!< earliest update that is scheduled
    uint64_t m_unfinished = 0;                   //!< handed over and not delivered
    GroupCallback m_groupDelivered;              //!< the owner's
    std::vector<std::vector<uint32_t>> m_groups; //!< ports of each group
    /** Of reductions that not all ports have called for: by group and handle, how many have. */
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> m_calls;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLUID_DOMAIN_H
