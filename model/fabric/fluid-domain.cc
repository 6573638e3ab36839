// SPDX-License-Identifier: GPL-2.0-only

#include "fluid-domain.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FluidDomain");
NS_OBJECT_ENSURE_REGISTERED(FluidDomain);

namespace
{

constexpr uint64_t FRACTION = 1u << 16;                //!< units of rate per bit/s
constexpr uint64_t PICOSECONDS = 1'000'000'000'000;    //!< in a second
constexpr uint64_t MAX_RATE_BPS = 281'000'000'000'000; //!< so that rates fit 64 bits
constexpr uint64_t MIN_RATE_BPS = 1'000'000;           //!< so that shares stay exact enough
constexpr double MAX_OVERHEAD = 16;                    //!< largest `WireOverhead`

} // namespace

TypeId
FluidDomain::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FluidDomain")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FluidDomain>()
            .AddAttribute("DataRate",
                          "Capacity of each port, each way; 1 Mb/s to 281000 Gb/s.",
                          DataRateValue(DataRate("2400Gb/s")),
                          MakeDataRateAccessor(&FluidDomain::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("WireOverhead",
                          "Bytes carried per byte of payload, rounded to a multiple of 2^-16. The "
                          "default is that of full frames of 4096 B with 82 B around them.",
                          DoubleValue(4178.0 / 4096.0),
                          MakeDoubleAccessor(&FluidDomain::m_overhead),
                          MakeDoubleChecker<double>(1.0, MAX_OVERHEAD))
            .AddAttribute(
                "ReductionEfficiency",
                "Part of the ports' rate at which groups reduce and multicast; the rest "
                "of the time on the ports is lost. 1 is what the links allow; NCCL's tuner "
                "takes 0.85 for NVLS on Hopper.",
                DoubleValue(1),
                MakeDoubleAccessor(&FluidDomain::m_groupEfficiency),
                MakeDoubleChecker<double>(0.01, 1.0))
            .AddAttribute("Delay",
                          "Time from the last byte's leaving to its delivery, and again from there "
                          "to the acknowledgment.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&FluidDomain::m_delay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

FluidDomain::FluidDomain()
    : m_shares(0),
      m_nextUpdate(FrameClock::NEVER)
{
    NS_LOG_FUNCTION(this);
}

FluidDomain::~FluidDomain()
{
    NS_LOG_FUNCTION(this);
}

void
FluidDomain::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_clock = nullptr;
    m_delivered.Nullify();
    m_acknowledged.Nullify();
    m_finder = nullptr;
    m_groupDelivered.Nullify();
    Object::DoDispose();
}

void
FluidDomain::Setup(Ptr<FrameClock> clock, const std::vector<uint32_t>& nodeIds)
{
    NS_LOG_FUNCTION(this << nodeIds.size());
    NS_ABORT_MSG_IF(m_clock, "a fluid domain is set up once");
    m_clock = clock;
    m_nodeIds = nodeIds;
    m_scale = static_cast<uint32_t>(std::lround(m_overhead * FRACTION));
    m_groupScale = static_cast<uint32_t>(std::lround(m_overhead / m_groupEfficiency * FRACTION));
    m_delayTicks = m_delay.GetTimeStep();
    m_object = m_clock->AddObject(this);
    m_clock->SetHandler(FrameEventKind::FLUID_REQUEST,
                        [](void* domain) { static_cast<FluidDomain*>(domain)->OnRequest(); });
    m_clock->SetHandler(FrameEventKind::FLUID_UPDATE,
                        [](void* domain) { static_cast<FluidDomain*>(domain)->OnUpdate(); });
    m_sides.resize(2 * nodeIds.size());
    m_capacities.resize(m_sides.size());
    m_endedBytes.resize(m_sides.size());
    m_shares = MaxMinShares(static_cast<uint32_t>(m_sides.size()));
    for (uint32_t port = 0; port < nodeIds.size(); ++port)
    {
        SetPortRates(port, m_rate, m_rate);
    }
}

void
FluidDomain::SetPortRates(uint32_t port, DataRate sending, DataRate receiving)
{
    NS_LOG_FUNCTION(this << port << sending << receiving);
    SetRate(GetResource(port, false), "port " + std::to_string(port), sending);
    SetRate(GetResource(port, true), "port " + std::to_string(port), receiving);
}

uint32_t
FluidDomain::AddLink(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    const uint32_t resource = m_shares.AddResource();
    m_sides.emplace_back();
    m_capacities.emplace_back();
    m_endedBytes.emplace_back();
    const uint32_t link = resource - 2 * GetPortCount();
    SetRate(resource, "link " + std::to_string(link), rate);
    return link;
}

void
FluidDomain::SetPathFinder(PathFinder finder)
{
    NS_LOG_FUNCTION(this);
    m_finder = std::move(finder);
}

void
FluidDomain::SetRate(uint32_t resource, const std::string& name, DataRate rate)
{
    const uint64_t bps = rate.GetBitRate();
    if (bps < MIN_RATE_BPS || bps > MAX_RATE_BPS)
    {
        RefuseInput("FluidDomain: the DataRate of " + name + " is " + std::to_string(bps) +
                    " bit/s; allowed are 1 Mb/s to 281000 Gb/s");
    }
    m_capacities.at(resource) = rate;
    m_shares.SetCapacity(resource, bps * FRACTION);
}

void
FluidDomain::SetCallbacks(TransferCallback delivered, TransferCallback acknowledged)
{
    NS_LOG_FUNCTION(this);
    m_delivered = delivered;
    m_acknowledged = acknowledged;
}

void
FluidDomain::Send(const FluidTransfer& transfer)
{
    NS_LOG_FUNCTION(this << transfer.source << transfer.destination << transfer.bytes);
    NS_ABORT_MSG_UNLESS(m_clock, "a fluid domain is set up before anything is sent over it");
    NS_ABORT_MSG_IF(transfer.source >= GetPortCount() || transfer.destination >= GetPortCount() ||
                        transfer.source == transfer.destination,
                    "no transfer goes from port " << transfer.source << " to port "
                                                  << transfer.destination << " of a domain with "
                                                  << GetPortCount() << " ports");
    m_inbox.push_back({m_clock->Request(FrameEventKind::FLUID_REQUEST, m_object), transfer, 0});
    ++m_unfinished;
}

uint32_t
FluidDomain::GetPortCount() const
{
    return static_cast<uint32_t>(m_nodeIds.size());
}

double
FluidDomain::GetWireOverhead() const
{
    return std::lround(m_overhead * FRACTION) / static_cast<double>(FRACTION);
}

Time
FluidDomain::GetDelay() const
{
    return m_delay;
}

DataRate
FluidDomain::GetSendingRate(uint32_t port) const
{
    return m_capacities.at(GetResource(port, false));
}

DataRate
FluidDomain::GetReceivingRate(uint32_t port) const
{
    return m_capacities.at(GetResource(port, true));
}

FluidPortUse
FluidDomain::GetPortUse(uint32_t port, Time now) const
{
    const FluidWork byte = FluidWork{8} * PICOSECONDS * FRACTION;
    const auto tick = static_cast<uint64_t>(now.GetTimeStep());
    const uint32_t sending = GetResource(port, false);
    const uint32_t receiving = GetResource(port, true);
    return {m_endedBytes.at(sending),
            m_endedBytes.at(receiving),
            static_cast<uint64_t>(m_sides[sending].GetCarried(tick) / byte),
            static_cast<uint64_t>(m_sides[receiving].GetCarried(tick) / byte),
            m_sides[sending].GetLoad() / FRACTION,
            m_sides[receiving].GetLoad() / FRACTION};
}

uint64_t
FluidDomain::GetCarriedBytes(uint32_t link, Time now) const
{
    const FluidWork byte = FluidWork{8} * PICOSECONDS * FRACTION;
    const auto tick = static_cast<uint64_t>(now.GetTimeStep());
    return static_cast<uint64_t>(m_sides.at(2 * GetPortCount() + link).GetCarried(tick) / byte);
}

uint64_t
FluidDomain::GetUnfinishedCount() const
{
    return m_unfinished;
}

FluidDomain::QueueKey
FluidDomain::GetKey(const FluidTransfer& transfer)
{
    return {transfer.source, transfer.destination, transfer.owner, transfer.flow};
}

uint32_t
FluidDomain::GetResource(uint32_t port, bool receiving)
{
    return 2 * port + (receiving ? 1 : 0);
}

FluidWork
FluidDomain::GetWork(const FluidTransfer& transfer) const
{
    const bool isOfGroup = transfer.group != FluidTransfer::NO_GROUP;
    return FluidWork{transfer.bytes} * (8 * PICOSECONDS) * (isOfGroup ? m_groupScale : m_scale);
}

uint32_t
FluidDomain::MakeQueue(const FluidTransfer& transfer)
{
    const auto number = static_cast<uint32_t>(m_queues.size());
    m_queues.emplace_back();
    m_versions.push_back(0);
    Queue& queue = m_queues.back();
    queue.delayTicks = m_delayTicks;
    if (transfer.group != FluidTransfer::NO_GROUP)
    {
        queue.uses = GetGroupUses(transfer);
        return number;
    }
    queue.uses = {GetResource(transfer.source, false), GetResource(transfer.destination, true)};
    if (m_finder)
    {
        const FluidPath path = m_finder(transfer);
        for (const uint32_t link : path.links)
        {
            queue.uses.push_back(2 * GetPortCount() + link);
        }
        queue.delayTicks = path.delay.GetTimeStep();
    }
    return number;
}

void
FluidDomain::Insert(std::deque<Due>& line, const Due& due)
{
    // of equal delays, as they are but for SetPathFinder(), the last is always due last
    auto at = line.end();
    while (at != line.begin() && due.tick < std::prev(at)->tick)
    {
        --at;
    }
    line.insert(at, due);
}

void
FluidDomain::OnRequest()
{
    const uint64_t now = m_clock->NowTicks();
    if (m_inbox.empty() || m_inbox.front().tick > now)
    {
        return; // a second request of the same tick
    }
    // an ns-3 event of this very tick may have run already: what it handed over is not due yet
    while (!m_inbox.empty() && m_inbox.front().tick <= now)
    {
        FluidTransfer& transfer = m_inbox.front().transfer;
        if (transfer.group != FluidTransfer::NO_GROUP && !Gather(transfer))
        {
            m_inbox.pop_front();
            continue;
        }
        const auto [it, isNew] =
            m_queueNumbers.try_emplace(GetKey(transfer), static_cast<uint32_t>(m_queues.size()));
        if (isNew)
        {
            MakeQueue(transfer);
        }
        Queue& queue = m_queues[it->second];
        if (queue.backlog.empty())
        {
            m_idle.push_back(it->second);
        }
        queue.backlog.push_back(transfer);
        m_inbox.pop_front();
    }
    m_clock->ScheduleFrame(now, FrameEventKind::FLUID_UPDATE, m_object);
}

void
FluidDomain::OnUpdate()
{
    if (m_nextUpdate <= m_clock->NowTicks())
    {
        m_nextUpdate = FrameClock::NEVER;
    }
    FinishHeads();
    for (uint32_t number : m_idle)
    {
        StartHead(number);
    }
    m_idle.clear();
    CallOutDue();
    Share();
    ScheduleNext();
}

void
FluidDomain::FinishHeads()
{
    const uint64_t now = m_clock->NowTicks();
    for (FluidSide& side : m_sides)
    {
        if (side.GetNext() > now)
        {
            continue;
        }
        side.Settle(now);
        for (side.FindNext(m_versions); side.GetNext() <= now; side.FindNext(m_versions))
        {
            const uint32_t number = side.GetFirst();
            Queue& queue = m_queues[number];
            const FluidTransfer head = queue.backlog.front();
            m_ended.push_back({now + queue.delayTicks, head, queue.delayTicks});
            queue.backlog.pop_front();
            // an end is rounded up to a tick: nothing was carried between the two
            const FluidWork excess = side.GetServed() - queue.end;
            for (const uint32_t resource : queue.uses)
            {
                m_sides[resource].TakeBack(excess);
            }
            StartHead(number);
        }
    }
}

void
FluidDomain::StartHead(uint32_t number)
{
    Queue& queue = m_queues[number];
    while (!queue.backlog.empty() && queue.backlog.front().bytes == 0)
    {
        m_ended.push_back(
            {m_clock->NowTicks() + queue.delayTicks, queue.backlog.front(), queue.delayTicks});
        queue.backlog.pop_front();
    }
    if (queue.backlog.empty())
    {
        if (queue.active)
        {
            m_shares.RemoveFlow(queue.share);
            m_sides[queue.side].Leave();
            queue.active = false;
            ++m_versions[number];
        }
        return;
    }
    const FluidTransfer& head = queue.backlog.front();
    if (queue.active)
    {
        Limit(number, queue.side, m_sides[queue.side].GetServed() + GetWork(head));
        return;
    }
    queue.active = true;
    queue.side = NONE;
    queue.end = GetWork(head);
    queue.share = m_shares.AddFlow(queue.uses);
    m_byShare.resize(std::max<std::size_t>(m_byShare.size(), queue.share + 1));
    m_byShare[queue.share] = number;
}

void
FluidDomain::Limit(uint32_t number, uint32_t resource, FluidWork end)
{
    m_queues[number].side = resource;
    m_queues[number].end = end;
    m_sides[resource].Push(end, number, ++m_versions[number]);
}

void
FluidDomain::CallOutDue()
{
    const uint64_t now = m_clock->NowTicks();
    std::stable_sort(m_ended.begin(),
                     m_ended.end(),
                     [](const Due& a, const Due& b)
                     { return GetKey(a.transfer) < GetKey(b.transfer); });
    for (const Due& due : m_ended)
    {
        const Queue& queue = m_queues[m_queueNumbers.at(GetKey(due.transfer))];
        for (const uint32_t resource : queue.uses)
        {
            m_endedBytes[resource] += due.transfer.bytes;
        }
        Insert(m_deliveries, due);
    }
    m_ended.clear();
    for (; !m_deliveries.empty() && m_deliveries.front().tick <= now; m_deliveries.pop_front())
    {
        const FluidTransfer& transfer = m_deliveries.front().transfer;
        --m_unfinished;
        if (transfer.group != FluidTransfer::NO_GROUP)
        {
            for (const uint32_t port : GetReceivers(transfer))
            {
                m_clock->CallOut(m_nodeIds[port],
                                 MakeEvent(&FluidDomain::DeliverToMember, this, transfer, port));
            }
            continue;
        }
        m_clock->CallOut(m_nodeIds[transfer.destination],
                         MakeEvent(&FluidDomain::Deliver, this, transfer));
        const uint64_t delayTicks = m_deliveries.front().delayTicks;
        Insert(m_acknowledgments, {now + delayTicks, transfer, delayTicks});
    }
    while (!m_acknowledgments.empty() && m_acknowledgments.front().tick <= now)
    {
        const FluidTransfer& transfer = m_acknowledgments.front().transfer;
        m_clock->CallOut(m_nodeIds[transfer.source],
                         MakeEvent(&FluidDomain::Acknowledge, this, transfer));
        m_acknowledgments.pop_front();
    }
}

void
FluidDomain::Deliver(const FluidTransfer& transfer)
{
    m_delivered(transfer);
}

void
FluidDomain::Acknowledge(const FluidTransfer& transfer)
{
    m_acknowledged(transfer);
}

void
FluidDomain::Share()
{
    m_shares.Update();
    // first make up for the time at the old rates, then move, then go on at the new rates
    for (uint32_t resource : m_shares.GetReached())
    {
        m_sides[resource].Settle(m_clock->NowTicks());
    }
    for (uint32_t share : m_shares.GetMoved())
    {
        const uint32_t number = m_byShare[share];
        const Queue& queue = m_queues[number];
        FluidWork left = queue.end;
        if (queue.side != NONE)
        {
            left -= m_sides[queue.side].GetServed();
            m_sides[queue.side].Leave();
        }
        const uint32_t resource = m_shares.GetBottleneck(share);
        m_sides[resource].Join();
        Limit(number, resource, m_sides[resource].GetServed() + left);
    }
    for (uint32_t resource : m_shares.GetReached())
    {
        m_sides[resource].SetRates(m_shares.GetLevel(resource), m_shares.GetLoad(resource));
        m_sides[resource].FindNext(m_versions);
    }
}

void
FluidDomain::ScheduleNext()
{
    uint64_t next = FrameClock::NEVER;
    for (const FluidSide& side : m_sides)
    {
        next = std::min(next, side.GetNext());
    }
    for (const auto* due : {&m_deliveries, &m_acknowledgments})
    {
        next = due->empty() ? next : std::min(next, due->front().tick);
    }
    // an update that is scheduled for an earlier time comes by here again
    if (next < m_nextUpdate)
    {
        m_nextUpdate = next;
        m_clock->ScheduleFrame(next, FrameEventKind::FLUID_UPDATE, m_object);
    }
}

} // namespace ns3::llm
