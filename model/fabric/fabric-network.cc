// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-network.h"

#include "class-choice.h"
#include "identity-hash.h"
#include "route-builder.h"

#include "ns3/boolean.h"
#include "ns3/input-error.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricNetwork);

TypeId
FabricNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricNetwork")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FabricNetwork>()
            .AddAttribute("ReferenceMode",
                          "Decide every departure in an event of its own, instead of one event per "
                          "hop: the slower reference, with the same results.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricNetwork::m_isReference),
                          MakeBooleanChecker())
            .AddAttribute(
                "BatchSwitches",
                "Let a switch handle its frames in batches, each within the shortest delay "
                "of its links, with the same results; not in reference mode, and not where "
                "an observer needs the order of arrivals.",
                BooleanValue(true),
                MakeBooleanAccessor(&FabricNetwork::m_hasBatches),
                MakeBooleanChecker())
            .AddAttribute("FrameLoss",
                          "TypeId of what says which frames each direction of each link loses; "
                          "empty: none are lost. SetFrameLoss() goes before it.",
                          StringValue(""),
                          MakeStringAccessor(&FabricNetwork::m_lossType),
                          MakeStringChecker())
            .AddAttribute("DeadlockTimeout",
                          "When frames have waited behind a pause for so long, see whether pauses "
                          "wait for each other in a circle; that ends the run. 0: do not. (A full "
                          "buffer of 32 MiB drains at 25 Gb/s in 10.7 ms; less than the default "
                          "retransmission timeout, so that the cause is named first.)",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FabricNetwork::m_deadlockTimeout),
                          MakeTimeChecker(Time(0)));
    static const bool HAS_MORE = (AddReductionAttributes(tid), true); // once
    return HAS_MORE ? tid : TypeId();
}

void
FabricNetwork::DoDispose()
{
    for (const Vertex& vertex : m_vertices)
    {
        for (const auto& port : vertex.ports)
        {
            port->GetTransmitter().Detach();
        }
    }
    m_vertices.clear();
    m_edges.clear();
    m_owners.clear();
    Object::DoDispose();
}

void
FabricNetwork::SetClock(Ptr<FrameClock> clock)
{
    m_clock = clock;
    m_clock->SetHandler(FrameEventKind::LINK_STATE, &HandleLinkState);
}

void
FabricNetwork::SetNamePrefix(const std::string& prefix)
{
    m_namePrefix = prefix;
}

uint32_t
FabricNetwork::AddSwitch(Ptr<Node> node, uint32_t tier, uint32_t place, const std::string& name)
{
    Vertex vertex;
    vertex.node = node;
    vertex.fabricSwitch = CreateObject<FabricSwitch>();
    vertex.fabricSwitch->SetPlace(tier, place);
    vertex.fabricSwitch->SetPool(&m_pool);
    vertex.fabricSwitch->SetReports(m_namePrefix + name, &m_faults, &m_detector);
    vertex.place = place;
    vertex.tier = tier;
    vertex.name = m_namePrefix + name;
    node->AggregateObject(vertex.fabricSwitch);
    m_vertices.push_back(vertex);
    m_switches.push_back(static_cast<uint32_t>(m_vertices.size() - 1));
    return m_switches.back();
}

uint32_t
FabricNetwork::AddTerminal(Ptr<Node> node, uint32_t place, const std::string& name)
{
    Vertex vertex;
    vertex.node = node;
    vertex.terminal = static_cast<uint32_t>(m_terminals.size());
    vertex.place = place;
    vertex.name = name;
    m_vertices.push_back(vertex);
    m_terminals.push_back(static_cast<uint32_t>(m_vertices.size() - 1));
    m_terminalPlaces.push_back(place);
    m_owners.push_back(nullptr);
    return m_terminals.back();
}

Ptr<FabricPort>
FabricNetwork::MakePort(uint32_t vertex)
{
    Vertex& v = m_vertices[vertex];
    auto port = CreateObject<FabricPort>();
    port->SetAddress(Mac48Address::Allocate());
    v.node->AddDevice(port);
    v.ports.push_back(port);
    if (v.fabricSwitch)
    {
        v.fabricSwitch->AddPort(port);
    }
    return port;
}

uint32_t
FabricNetwork::Connect(uint32_t a, uint32_t b, DataRate rate, Time delay)
{
    return Connect(a, b, rate, rate, delay);
}

uint32_t
FabricNetwork::Connect(uint32_t a, uint32_t b, DataRate rate, DataRate reverseRate, Time delay)
{
    for (const uint32_t vertex : {a, b})
    {
        const Vertex& v = m_vertices.at(vertex);
        if (!v.fabricSwitch && !v.ports.empty())
        {
            RefuseInput(v.name + ": a terminal takes one link, this one has one already");
        }
    }
    if (a == b)
    {
        RefuseInput(m_vertices[a].name + ": a link from it to itself");
    }
    FabricLink::Check(rate, delay);
    FabricLink::Check(reverseRate, delay);
    auto edge = std::make_unique<Edge>();
    edge->a = a;
    edge->b = b;
    edge->network = this;
    edge->object = m_clock->AddObject(edge.get());
    edge->link = CreateObject<FabricLink>();
    const Ptr<FabricPort> portA = MakePort(a);
    const Ptr<FabricPort> portB = MakePort(b);
    edge->link->Attach(portA, portB, rate, reverseRate, delay);
    m_vertices[a].neighbors.push_back(b);
    m_vertices[b].neighbors.push_back(a);
    m_edges.push_back(std::move(edge));
    return static_cast<uint32_t>(m_edges.size() - 1);
}

void
FabricNetwork::SetTerminalOwner(uint32_t terminal, FrameSink* owner)
{
    m_owners.at(terminal) = owner;
}

void
FabricNetwork::Build()
{
    const uint64_t seed = MixHash(RngSeedManager::GetSeed(), RngSeedManager::GetRun());
    m_detector.SetFaults(&m_faults);
    m_detector.SetLimit(m_deadlockTimeout.IsZero()
                            ? FrameClock::NEVER
                            : static_cast<uint64_t>(m_deadlockTimeout.GetPicoSeconds()));
    for (Vertex& vertex : m_vertices)
    {
        FrameSink* owner = nullptr;
        if (vertex.fabricSwitch)
        {
            owner = PeekPointer(vertex.fabricSwitch);
            vertex.fabricSwitch->PlaceTransmitters();
        }
        else
        {
            owner = m_owners[vertex.terminal];
            if (vertex.ports.empty())
            {
                RefuseInput(vertex.name + ": has no link");
            }
        }
        const uint64_t tier = vertex.fabricSwitch ? vertex.tier + 1 : 0;
        const uint64_t place = MixHash(tier, vertex.place);
        for (std::size_t p = 0; p < vertex.ports.size(); ++p)
        {
            FrameTransmitter& transmitter = vertex.ports[p]->GetTransmitter();
            transmitter.Install(PeekPointer(m_clock),
                                &m_pool,
                                owner,
                                static_cast<uint16_t>(p),
                                MixHash(place, p));
            transmitter.SetReferenceMode(m_isReference);
            if (m_observer)
            {
                transmitter.AddObserver(m_observer);
            }
        }
        if (vertex.fabricSwitch)
        {
            vertex.fabricSwitch->SetSurroundings(PeekPointer(m_clock), &m_terminalPlaces);
            if (m_hasReduction)
            {
                vertex.fabricSwitch->AllowReduction();
            }
            vertex.fabricSwitch->Configure(seed);
        }
    }
    InstallLosses(seed);
    FillRoutes();
    for (const uint32_t v : m_switches)
    {
        FabricSwitch& fabricSwitch = *m_vertices[v].fabricSwitch;
        fabricSwitch.SetClock(PeekPointer(m_clock));
        if (m_hasBatches && !m_isReference)
        {
            fabricSwitch.AllowBatches();
        }
    }
}

void
FabricNetwork::SetFrameLoss(uint32_t direction, Ptr<FrameLoss> loss)
{
    m_edges.at(direction / 2)->losses[direction % 2] = loss;
}

void
FabricNetwork::InstallLosses(uint64_t seed)
{
    ObjectFactory factory;
    if (!m_lossType.empty())
    {
        factory.SetTypeId(ChooseClass("FrameLoss", m_lossType, FrameLoss::GetTypeId()));
    }
    for (const auto& edge : m_edges)
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            Ptr<FrameLoss>& loss = edge->losses[end];
            if (!loss && !m_lossType.empty())
            {
                loss = factory.Create<FrameLoss>();
            }
            if (loss)
            {
                const auto port = DynamicCast<FabricPort>(edge->link->GetDevice(end));
                loss->Begin(seed, port->GetTransmitter().GetPlace());
                port->GetTransmitter().SetLoss(PeekPointer(loss));
            }
        }
    }
}

void
FabricNetwork::FillRoutes()
{
    auto tables = RouteBuilder::Build(MakeGraph(), m_terminals, FabricSwitch::NO_ROUTE);
    for (const uint32_t v : m_switches)
    {
        if (m_hasReduction)
        {
            // where no terminal is go the frames of reduction groups: no route leads there
            tables[v].groupOf.push_back(FabricSwitch::NO_ROUTE);
        }
        m_vertices[v].fabricSwitch->SetRoutes(std::move(tables[v].groups),
                                              std::move(tables[v].groupOf));
    }
}

std::vector<RouteBuilder::Vertex>
FabricNetwork::MakeGraph() const
{
    std::vector<RouteBuilder::Vertex> graph(m_vertices.size());
    for (std::size_t v = 0; v < m_vertices.size(); ++v)
    {
        const Vertex& vertex = m_vertices[v];
        graph[v].forwards = static_cast<bool>(vertex.fabricSwitch);
        graph[v].neighbors = vertex.neighbors;
        for (std::size_t p = 0; p < vertex.ports.size(); ++p)
        {
            if (!vertex.ports[p]->GetTransmitter().IsUp())
            {
                graph[v].neighbors[p] = RouteBuilder::NO_NEIGHBOR;
            }
        }
    }
    return graph;
}

void
FabricNetwork::SetLinkState(uint32_t link, Time at, bool isUp)
{
    Edge& edge = *m_edges.at(link);
    const auto tick = static_cast<uint64_t>(at.GetPicoSeconds());
    edge.changes[tick] = isUp;
    m_clock->RequestAt(tick, FrameEventKind::LINK_STATE, edge.object);
}

void
FabricNetwork::HandleLinkState(void* object)
{
    auto edge = static_cast<Edge*>(object);
    FabricNetwork* network = edge->network;
    const auto change = edge->changes.find(network->m_clock->NowTicks());
    if (change == edge->changes.end())
    {
        return;
    }
    for (const uint32_t v : network->m_switches)
    {
        network->m_vertices[v].fabricSwitch->FinishTick();
    }
    const bool isUp = change->second;
    edge->changes.erase(change);
    if (!isUp)
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            const Vertex& vertex = network->m_vertices[end == 0 ? edge->a : edge->b];
            if (vertex.fabricSwitch)
            {
                const auto port = DynamicCast<FabricPort>(edge->link->GetDevice(end));
                vertex.fabricSwitch->PortDown(port->GetTransmitter().GetIndex());
            }
        }
    }
    edge->link->SetUp(isUp);
    network->FillRoutes();
    if (!isUp)
    {
        network->CheckTrees(*edge);
    }
}

std::vector<Ptr<FabricPort>>
FabricNetwork::GetPath(uint32_t source, uint32_t destination, uint32_t entropy) const
{
    std::vector<Ptr<FabricPort>> path;
    Frame frame{};
    frame.source = source;
    frame.destination = destination;
    frame.entropy = entropy;
    uint32_t at = m_terminals.at(source);
    uint16_t out = 0;
    while (at != m_terminals.at(destination))
    {
        const Vertex& vertex = m_vertices[at];
        if (vertex.fabricSwitch)
        {
            vertex.fabricSwitch->CatchUp();
            out = vertex.fabricSwitch->GetRoute(TransitFrame(&frame));
        }
        if (out == FabricSwitch::NO_ROUTE || !vertex.ports[out]->GetTransmitter().IsUp())
        {
            return {};
        }
        path.push_back(vertex.ports[out]);
        at = vertex.neighbors[out];
    }
    return path;
}

uint32_t
FabricNetwork::GetTerminal(uint32_t vertex) const
{
    return m_vertices.at(vertex).terminal;
}

Ptr<FabricPort>
FabricNetwork::GetTerminalPort(uint32_t terminal) const
{
    return m_vertices[m_terminals.at(terminal)].ports.at(0);
}

uint32_t
FabricNetwork::GetTerminalPlace(uint32_t terminal) const
{
    return m_terminalPlaces.at(terminal);
}

uint32_t
FabricNetwork::GetTerminalNodeId(uint32_t terminal) const
{
    return m_vertices[m_terminals.at(terminal)].node->GetId();
}

Ptr<FabricSwitch>
FabricNetwork::GetSwitch(uint32_t index) const
{
    return m_vertices[m_switches.at(index)].fabricSwitch;
}

std::vector<FabricNetwork::Direction>
FabricNetwork::GetDirections() const
{
    std::vector<Direction> directions;
    for (const auto& edge : m_edges)
    {
        const Vertex& a = m_vertices[edge->a];
        const Vertex& b = m_vertices[edge->b];
        const bool betweenSwitches = a.fabricSwitch && b.fabricSwitch;
        directions.push_back({a.name + " -> " + b.name,
                              DynamicCast<FabricPort>(edge->link->GetDevice(0)),
                              betweenSwitches});
        directions.push_back({b.name + " -> " + a.name,
                              DynamicCast<FabricPort>(edge->link->GetDevice(1)),
                              betweenSwitches});
    }
    return directions;
}

void
FabricNetwork::SetObserver(FrameTransmitter::Observer* observer)
{
    for (Vertex& vertex : m_vertices)
    {
        for (const auto& port : vertex.ports)
        {
            FrameTransmitter& transmitter = port->GetTransmitter();
            transmitter.RemoveObserver(m_observer);
            if (observer)
            {
                transmitter.AddObserver(observer);
            }
        }
    }
    m_observer = observer;
}

} // namespace ns3::llm
