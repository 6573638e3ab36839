// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-switch.h"

#include "class-choice.h"
#include "identity-hash.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricSwitch")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("LoadBalancer",
                          "TypeId of the class that chooses among equal-cost ports.",
                          StringValue("ns3::llm::FlowEcmp"),
                          MakeStringAccessor(&FabricSwitch::m_balancerType),
                          MakeStringChecker())
            .AddAttribute("BufferSize",
                          "Packet memory of the switch, bytes (default 32 MiB, as HPCC's published "
                          "simulations set it).",
                          UintegerValue(32 << 20),
                          MakeUintegerAccessor(&FabricSwitch::m_bufferBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("BufferReserve",
                          "Part of it reserved for each port and class, bytes.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FabricSwitch::m_reserveBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Headroom",
                          "Headroom of each port and lossless class, bytes. 0: what losslessness "
                          "needs by rate, delay and largest frame, 2 d C + 2 MTU + 84.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSwitch::m_headroomBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxFrameSize",
                          "Wire bytes of the largest frame, for the headroom.",
                          UintegerValue(9320),
                          MakeUintegerAccessor(&FabricSwitch::m_maxFrameBytes),
                          MakeUintegerChecker<uint32_t>(84))
            .AddAttribute("Alpha",
                          "A (port, class) may hold alpha times the free part of the shared "
                          "memory.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&FabricSwitch::m_alpha),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Hysteresis",
                          "XON lies so many bytes below XOFF.",
                          UintegerValue(3072),
                          MakeUintegerAccessor(&FabricSwitch::m_hysteresisBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("LosslessClasses",
                          "Bit c set: traffic class c is lossless (default class 3).",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&FabricSwitch::m_losslessMask),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Pfc",
                          "Priority flow control; without it every class is lossy.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_pfc),
                          MakeBooleanChecker())
            .AddAttribute(
                "LosslessDrop",
                "What a drop in a lossless class does: Error ends the run, and a headroom "
                "that is too small is refused; Warning counts it and prints the first.",
                EnumValue(LosslessCheck::STOP_RUN),
                compat::MakeEnumAttributeAccessor<LosslessCheck::DropRule>(
                    &FabricSwitch::m_dropRule),
                MakeEnumChecker(LosslessCheck::STOP_RUN, "Error", LosslessCheck::WARN, "Warning"))
            .AddAttribute("ClassWeights",
                          "Classes that share a port by weight (deficit round robin), "
                          "\"class:weight,...\"; the others go ahead of them in strict priority.",
                          StringValue(""),
                          MakeStringAccessor(&FabricSwitch::m_weights),
                          MakeStringChecker())
            .AddAttribute(
                "WeightQuantum",
                "Wire bytes that weight 1 earns in a round (default: a frame of 4096 B of "
                "payload with all headers).",
                UintegerValue(4194),
                MakeUintegerAccessor(&FabricSwitch::m_quantumBytes),
                MakeUintegerChecker<uint32_t>(64, 1 << 24))
            .AddAttribute("Ecn",
                          "Mark data frames by the length of the queue they leave.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("EcnMinThreshold",
                          "Kmin, bytes at the reference rate (HPCC's settings: 100 KB at 25 Gb/s).",
                          UintegerValue(100000),
                          MakeUintegerAccessor(&FabricSwitch::m_ecnMin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnMaxThreshold",
                          "Kmax, bytes at the reference rate (HPCC's settings: 400 KB at 25 Gb/s).",
                          UintegerValue(400000),
                          MakeUintegerAccessor(&FabricSwitch::m_ecnMax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnMaxProbability",
                          "Pmax, the probability of a mark at Kmax.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&FabricSwitch::m_ecnMaxProbability),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("EcnReferenceRate",
                          "Kmin and Kmax grow with the port's rate over this one; 0bps: they do "
                          "not.",
                          DataRateValue(DataRate("25Gbps")),
                          MakeDataRateAccessor(&FabricSwitch::m_ecnReferenceRate),
                          MakeDataRateChecker())
            .AddAttribute("EcnClasses",
                          "Classes that are marked otherwise: \"class:Kmin:Kmax:Pmax,...\" at the "
                          "reference rate, or \"class:off\".",
                          StringValue(""),
                          MakeStringAccessor(&FabricSwitch::m_ecnClasses),
                          MakeStringChecker());
    return tid;
}

void
FabricSwitch::DoDispose()
{
    m_ports.clear();
    m_balancer = nullptr;
    Object::DoDispose();
}

void
FabricSwitch::AddPort(Ptr<FabricPort> port)
{
    m_ports.push_back(port);
}

void
FabricSwitch::PlaceTransmitters()
{
    m_portCount = static_cast<uint32_t>(m_ports.size());
    m_memory.reset(new FrameTransmitter[m_portCount]);
    m_transmitters = m_memory.get();
    for (uint32_t i = 0; i < m_portCount; ++i)
    {
        m_ports[i]->MoveTransmitter(
            std::shared_ptr<FrameTransmitter>(m_memory, m_transmitters + i));
    }
}

void
FabricSwitch::SetPool(FramePool* pool)
{
    m_pool = pool;
}

void
FabricSwitch::SetSurroundings(const FrameClock* clock, const std::vector<uint32_t>* terminalPlaces)
{
    m_view.clock = clock;
    m_view.terminalPlaces = terminalPlaces;
}

void
FabricSwitch::SetPlace(uint32_t tier, uint32_t place)
{
    m_tier = tier;
    m_place = place;
}

void
FabricSwitch::MakeBalancer(uint64_t seed)
{
    m_view.ports = m_transmitters;
    m_view.runSeed = seed;
    m_view.seed = MixHash(MixHash(seed, m_tier), m_place);
    ObjectFactory factory;
    factory.SetTypeId(ChooseClass("LoadBalancer", m_balancerType, LoadBalancer::GetTypeId()));
    m_balancer = factory.Create<LoadBalancer>();
    m_balancer->Begin(m_view);
    if (m_balancer->GetInstanceTypeId() == FlowEcmp::GetTypeId())
    {
        const auto ecmp = DynamicCast<FlowEcmp>(m_balancer);
        m_isEcmp = ecmp->IsPlain();
        m_ecmpSeed = ecmp->GetSeed();
    }
}

void
FabricSwitch::Configure(uint64_t seed)
{
    MakeBalancer(seed);
    ConfigureEcn(seed);
    m_lossless.SetRule(m_dropRule, m_faults);
    const ClassWeights weights = ClassWeights::Parse("ClassWeights", m_weights, m_quantumBytes);
    const bool isChecked = m_pfc && m_losslessMask != 0 && m_headroomBytes != 0 &&
                           m_dropRule == LosslessCheck::STOP_RUN;
    std::vector<uint64_t> headroom;
    for (const auto& port : m_ports)
    {
        FrameTransmitter& transmitter = port->GetTransmitter();
        headroom.push_back(HeadroomOf(*port));
        transmitter.SetBuffer(&m_buffer);
        transmitter.SetWeights(weights);
        if (isChecked)
        {
            LosslessCheck::CheckHeadroom(m_headroomBytes, transmitter, m_maxFrameBytes, Describe());
        }
    }
    SharedBuffer::Config config;
    config.totalBytes = m_bufferBytes;
    config.reserveBytes = m_reserveBytes;
    config.alpha = m_alpha;
    config.hysteresisBytes = m_hysteresisBytes;
    config.losslessMask = m_pfc ? m_losslessMask : 0;
    m_buffer.Configure(config, headroom, m_reducer ? 1 : 0);
    if (m_buffer.GetSharedBytes() <= 0)
    {
        std::ostringstream text;
        text << "BufferSize " << m_bufferBytes << " B of a switch with " << m_ports.size()
             << " ports: reserve and headroom alone need "
             << static_cast<int64_t>(m_bufferBytes) - m_buffer.GetSharedBytes()
             << " B; give ns3::llm::FabricSwitch::BufferSize more than that";
        RefuseInput(text.str());
    }
}

void
FabricSwitch::SetClock(FrameClock* clock)
{
    m_clock = clock;
}

void
FabricSwitch::AllowBatches()
{
    if (m_portCount != 0)
    {
        m_batch = std::make_unique<SwitchBatch>(m_clock, this, m_transmitters, m_portCount);
        ObserversChanged();
    }
}

void
FabricSwitch::ObserversChanged()
{
    if (!m_batch)
    {
        return;
    }
    bool isOn = m_batch->IsPossible();
    for (uint32_t i = 0; i < m_portCount; ++i)
    {
        isOn = isOn && !m_transmitters[i].IsTraced() && !m_transmitters[i].GetPeer()->NeedsOrder();
    }
    if (isOn != m_batch->IsOn())
    {
        CatchUp();
        m_clock->RunApart([this, isOn](uint64_t) { isOn ? m_batch->Begin() : m_batch->End(); });
    }
}

void
FabricSwitch::CatchUp()
{
    if (!m_clock)
    {
        return;
    }
    m_clock->RunApart(
        [this](uint64_t now)
        {
            if (now == m_caughtUp)
            {
                return;
            }
            m_caughtUp = now;
            if (m_batch && m_batch->IsOn())
            {
                m_batch->Run(now);
            }
            m_clock->SetLocalTick(now - 1); // now is not 0, of which nothing is caught up
            SettleAll();
        });
}

void
FabricSwitch::FinishTick()
{
    if (m_batch && m_batch->IsOn())
    {
        m_clock->RunApart([this](uint64_t now) { m_batch->Run(now + 1); });
    }
}

void
FabricSwitch::SetRoutes(std::vector<std::vector<uint16_t>> groups, std::vector<uint16_t> groupOf)
{
    CatchUp();
    m_groups.clear();
    std::vector<uint16_t> routeOf; // by group
    for (std::vector<uint16_t>& group : groups)
    {
        const std::size_t route = group.size() == 1 ? group[0] : m_portCount + m_groups.size();
        NS_ABORT_MSG_IF(route >= NO_ROUTE, "FabricSwitch: too many ports and groups of ports");
        routeOf.push_back(static_cast<uint16_t>(route));
        if (group.size() > 1)
        {
            m_groups.push_back(std::move(group));
        }
    }
    for (uint16_t& route : groupOf)
    {
        route = route == NO_ROUTE ? NO_ROUTE : routeOf[route];
    }
    m_routes.Assign(groupOf);
    m_balancer->GroupsChanged(m_groups);
}

uint16_t
FabricSwitch::GetRoute(const TransitFrame& frame) const
{
    const uint16_t route = m_routes.Get(frame.destination);
    if (route < m_portCount || route == NO_ROUTE)
    {
        return route;
    }
    const uint32_t group = route - m_portCount;
    return m_balancer->Foretell(frame, m_groups[group], group);
}

uint16_t
FabricSwitch::ChooseRoute(const TransitFrame& frame, uint16_t route)
{
    if (route == NO_ROUTE)
    {
        return NO_ROUTE;
    }
    const uint32_t group = route - m_portCount;
    const std::vector<uint16_t>& ports = m_groups[group];
    return m_isEcmp ? FlowEcmp::Pick(frame.entropy, ports, m_ecmpSeed)
                    : m_balancer->Choose(frame, ports, group);
}

void
FabricSwitch::ReceiveFrame(uint16_t port, const TransitFrame& transit)
{
    Forward(port, transit);
}

void
FabricSwitch::Prepare(uint16_t port, const TransitFrame& transit, bool isNext) const
{
    if (isNext || transit.kind == FrameKind::PAUSE)
    {
        return;
    }
    const uint16_t route = m_routes.Get(transit.destination);
    if (route < m_portCount)
    {
        m_transmitters[route].Prefetch();
    }
    else if (!m_isEcmp)
    {
        __builtin_prefetch(transit.frame); // most balancers look at its identity
    }
    m_buffer.Prefetch(port, transit.trafficClass);
}

bool
FabricSwitch::AdmitWithCare(uint16_t port, const TransitFrame& frame)
{
    const bool wasWatched = m_buffer.IsWatched();
    if (!wasWatched)
    {
        SettleAll();
    }
    switch (m_buffer.Admit(port, frame.trafficClass, frame.wireBytes))
    {
    case SharedBuffer::Verdict::NO_ROOM:
        return false;
    case SharedBuffer::Verdict::PAUSE:
        m_transmitters[port].SendPause(frame.trafficClass, true);
        if (!wasWatched)
        {
            for (uint32_t i = 0; i < m_portCount; ++i)
            {
                m_transmitters[i].Watch();
            }
        }
        return true;
    case SharedBuffer::Verdict::ACCEPT:
        return true;
    }
    return true;
}

void
FabricSwitch::TakeUnroutable(uint16_t port, const TransitFrame& frame)
{
    if (!m_reducer || !m_reducer->Take(frame))
    {
        Drop(port, frame, DropReason::NO_ROUTE);
    }
}

void
FabricSwitch::Drop(uint16_t port, const TransitFrame& frame, DropReason reason)
{
    FrameTransmitter& transmitter = m_transmitters[port];
    transmitter.CountDrop(frame, reason);
    if (reason == DropReason::NO_ROUTE)
    {
        ++m_unroutable;
    }
    else if (m_pfc && (m_losslessMask >> frame.trafficClass & 1))
    {
        m_lossless.Dropped(transmitter, frame, m_buffer, Describe());
    }
    m_pool->Give(frame.frame);
}

void
FabricSwitch::SettleAll()
{
    for (uint32_t i = 0; i < m_portCount; ++i)
    {
        m_transmitters[i].Settle();
    }
}

void
FabricSwitch::BufferReleased()
{
    uint16_t port;
    uint8_t trafficClass;
    while (m_buffer.TakeResumable(port, trafficClass))
    {
        m_transmitters[port].SendPause(trafficClass, false);
    }
}

void
FabricSwitch::PortReady(uint16_t)
{
}

void
FabricSwitch::PortDown(uint16_t port)
{
    m_buffer.ForgetPauses(port);
}

} // namespace ns3::llm
