// SPDX-License-Identifier: GPL-2.0-only

#include "topology-helper.h"

#include "scale-out-transport.h"

#include "ns3/boolean.h"
#include "ns3/fluid-transport.h"
#include "ns3/input-error.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(TopologyHelper);

namespace
{

/**
 * Refuse a rate that no link of a cluster has: ns-3 takes "400" as 400 bit/s.
 * @param name the attribute
 * @param rate its value
 */
void
CheckRate(const std::string& name, DataRate rate)
{
    const uint64_t bps = rate.GetBitRate();
    if (bps < 1'000'000)
    {
        const std::string number = std::to_string(bps == 0 ? 400 : bps);
        RefuseInput(name + " " + std::to_string(bps) +
                    "bps: at least 1Mbps is needed; a rate has a unit, such as " + number + "Gbps");
    }
}

/**
 * Refuse a delay that no link of a cluster has: ns-3 takes "500" as 500 s.
 * @param name the attribute
 * @param delay its value
 */
void
CheckDelay(const std::string& name, Time delay)
{
    if (delay > Seconds(1))
    {
        const std::string number = std::to_string(static_cast<uint64_t>(delay.GetSeconds()));
        RefuseInput(name + " " + number + "s: at most 1s is allowed; a delay has a unit, such as " +
                    number + "ns");
    }
}

} // namespace

TypeId
TopologyHelper::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::TopologyHelper")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddAttribute("Accelerators",
                          "Number of accelerators, a multiple of DomainSize.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&TopologyHelper::m_accelerators),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("DomainSize",
                          "K, accelerators per HB domain, which is also the number of rails.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&TopologyHelper::m_domainSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("NicRate",
                          "Line rate of each accelerator's NIC.",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&TopologyHelper::m_nicRate),
                          MakeDataRateChecker())
            .AddAttribute("NicDelay",
                          "Propagation between a NIC and its switch.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&TopologyHelper::m_nicDelay),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute(
                "NicsPerAccelerator",
                "NICs of each accelerator. Each has a NIC network of its own (a plane), all "
                "alike: NIC i reaches NIC i of others. See RdmaTransport's NicSelection.",
                UintegerValue(1),
                MakeUintegerAccessor(&TopologyHelper::m_nicsPerAccelerator),
                MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("SwitchRate",
                          "Line rate between switches; 0bps: as NicRate.",
                          DataRateValue(DataRate("0bps")),
                          MakeDataRateAccessor(&TopologyHelper::m_switchRate),
                          MakeDataRateChecker())
            .AddAttribute("SwitchDelay",
                          "Propagation between switches.",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&TopologyHelper::m_switchDelay),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("DomainRate",
                          "Rate of each accelerator into its HB domain, one direction (H100: 450 "
                          "GB/s).",
                          DataRateValue(DataRate("3600Gbps")),
                          MakeDataRateAccessor(&TopologyHelper::m_domainRate),
                          MakeDataRateChecker())
            .AddAttribute("DomainDelay",
                          "Propagation between an accelerator and its HB domain's switch; a fluid "
                          "domain takes twice this for a message.",
                          TimeValue(NanoSeconds(250)),
                          MakeTimeAccessor(&TopologyHelper::m_domainDelay),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("DomainFidelity",
                          "\"packet\": an HB domain is a switch like others; \"fluid\": its flows "
                          "share its ports max-min fairly.",
                          StringValue("fluid"),
                          MakeStringAccessor(&TopologyHelper::m_domainFidelity),
                          MakeStringChecker())
            .AddAttribute("DomainCongestionControl",
                          "TypeId of the congestion control in packet HB domains.",
                          StringValue("ns3::llm::NoCongestionControl"),
                          MakeStringAccessor(&TopologyHelper::m_domainControl),
                          MakeStringChecker())
            .AddAttribute("Transport",
                          "What carries messages between HB domains: \"rdma\" (RdmaTransport), "
                          "\"tcp\" (TcpTransport, over ns-3's stack) or \"fluid\" (FluidNetwork, "
                          "flows that share links max-min fairly).",
                          StringValue("rdma"),
                          MakeStringAccessor(&TopologyHelper::m_transport),
                          MakeStringChecker())
            .AddAttribute("DomainReduction",
                          "Switches of the HB domains reduce and multicast for groups of their "
                          "accelerators (NVLS; with DomainFidelity packet as trees do).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TopologyHelper::m_domainReduction),
                          MakeBooleanChecker())
            .AddAttribute("NetworkReduction",
                          "Switches of the NIC network reduce and multicast for groups (SHARP).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TopologyHelper::m_networkReduction),
                          MakeBooleanChecker());
    return tid;
}

uint32_t
TopologyHelper::GetAccelerators() const
{
    return m_accelerators;
}

uint32_t
TopologyHelper::GetDomainSize() const
{
    return m_domainSize;
}

uint32_t
TopologyHelper::GetDomains() const
{
    return m_accelerators / m_domainSize;
}

void
TopologyHelper::ConnectNic(Ptr<FabricNetwork> network, uint32_t nic, uint32_t at) const
{
    network->Connect(nic, at, m_nicRate, m_nicDelay);
}

void
TopologyHelper::ConnectSwitches(Ptr<FabricNetwork> network, uint32_t a, uint32_t b) const
{
    const DataRate rate = m_switchRate.GetBitRate() == 0 ? m_nicRate : m_switchRate;
    network->Connect(a, b, rate, m_switchDelay);
}

void
TopologyHelper::CheckCommon() const
{
    if (m_accelerators % m_domainSize != 0)
    {
        const uint32_t below = m_accelerators / m_domainSize * m_domainSize;
        std::ostringstream text;
        text << "Accelerators " << m_accelerators << " with DomainSize " << m_domainSize
             << ": HB domains are full, so the first is a multiple of the second; ";
        if (below != 0)
        {
            text << below << " or ";
        }
        text << below + m_domainSize << " would fit";
        RefuseInput(text.str());
    }
    if (m_domainFidelity != "packet" && m_domainFidelity != "fluid")
    {
        RefuseInput("DomainFidelity '" + m_domainFidelity + "': it is packet or fluid");
    }
    CheckRate("NicRate", m_nicRate);
    CheckRate("DomainRate", m_domainRate);
    if (m_switchRate.GetBitRate() != 0)
    {
        CheckRate("SwitchRate", m_switchRate);
    }
    CheckDelay("NicDelay", m_nicDelay);
    CheckDelay("SwitchDelay", m_switchDelay);
    CheckDelay("DomainDelay", m_domainDelay);
}

Ptr<Cluster>
TopologyHelper::Build()
{
    RequirePicoseconds("TopologyHelper::Build()");
    CheckCommon();
    Check();
    Cluster::Parts parts;
    parts.name = GetTopologyName();
    parts.domainSize = m_domainSize;
    parts.joinsRails = JoinsRails();
    parts.clock = Create<FrameClock>();
    parts.nodes.Create(m_accelerators);
    BuildDomains(parts);

    parts.network = CreateObject<FabricNetwork>();
    parts.network->SetClock(parts.clock);
    if (m_networkReduction)
    {
        parts.network->SetAttribute("InSwitchReduction", BooleanValue(true));
    }
    const std::vector<uint32_t> accelerators = BuildPlanes(parts);
    parts.rdma = CreateObject<RdmaTransport>();
    parts.rdma->Install(parts.network, accelerators);
    parts.network->Build();
    parts.rdma->Start();
    MakeScaleOut(m_transport, parts);

    auto cluster = CreateObject<Cluster>();
    cluster->Setup(parts);
    FinishScaleOut(cluster);
    return cluster;
}

std::vector<uint32_t>
TopologyHelper::BuildPlanes(Cluster::Parts& parts)
{
    std::vector<uint32_t> accelerators;
    for (uint32_t plane = 0; plane < m_nicsPerAccelerator; ++plane)
    {
        const bool isOnly = m_nicsPerAccelerator == 1;
        const std::string number = isOnly ? "" : " " + std::to_string(plane);
        std::vector<uint32_t> nics;
        for (uint32_t a = 0; a < m_accelerators; ++a)
        {
            nics.push_back(
                parts.network->AddTerminal(parts.nodes.Get(a),
                                           GetNicPlace(a),
                                           "accelerator " + std::to_string(a) + " NIC" + number));
            accelerators.push_back(a);
        }
        parts.network->SetNamePrefix(isOnly ? "" : "plane" + number + " ");
        ConnectNics(parts.network, nics);
    }
    return accelerators;
}

void
TopologyHelper::BuildDomains(Cluster::Parts& parts) const
{
    if (m_domainSize == 1)
    {
        return;
    }
    if (m_domainFidelity == "packet")
    {
        BuildPacketDomains(parts);
    }
    else
    {
        BuildFluidDomains(parts);
    }
}

void
TopologyHelper::BuildPacketDomains(Cluster::Parts& parts) const
{
    parts.domainNetwork = CreateObject<FabricNetwork>();
    parts.domainNetwork->SetClock(parts.clock);
    if (m_domainReduction)
    {
        parts.domainNetwork->SetAttribute("InSwitchReduction", BooleanValue(true));
    }
    std::vector<uint32_t> accelerators;
    uint32_t domainSwitch = 0;
    for (uint32_t a = 0; a < m_accelerators; ++a)
    {
        const std::string domain = "HB domain " + std::to_string(a / m_domainSize);
        if (a % m_domainSize == 0)
        {
            domainSwitch = parts.domainNetwork->AddSwitch(CreateObject<Node>(), 0, 0, domain);
        }
        const uint32_t terminal =
            parts.domainNetwork->AddTerminal(parts.nodes.Get(a),
                                             a % m_domainSize,
                                             "accelerator " + std::to_string(a));
        parts.domainNetwork->Connect(terminal, domainSwitch, m_domainRate, m_domainDelay);
        accelerators.push_back(a);
    }
    parts.domainRdma = CreateObject<RdmaTransport>();
    parts.domainRdma->SetAttribute("CongestionControl", StringValue(m_domainControl));
    parts.domainRdma->Install(parts.domainNetwork, accelerators);
    parts.domainNetwork->Build();
    parts.domainRdma->Start();
    parts.scaleUp = parts.domainRdma;
}

void
TopologyHelper::BuildFluidDomains(Cluster::Parts& parts) const
{
    auto transport = CreateObject<FluidTransport>();
    for (uint32_t first = 0; first < m_accelerators; first += m_domainSize)
    {
        std::vector<uint32_t> accelerators;
        std::vector<uint32_t> nodeIds;
        for (uint32_t a = first; a < first + m_domainSize; ++a)
        {
            accelerators.push_back(a);
            nodeIds.push_back(parts.nodes.Get(a)->GetId());
        }
        auto domain = CreateObject<FluidDomain>();
        domain->SetAttribute("DataRate", DataRateValue(m_domainRate));
        domain->SetAttribute("Delay", TimeValue(m_domainDelay * 2));
        domain->Setup(parts.clock, nodeIds);
        transport->AddDomain(domain, accelerators);
        parts.fluidDomains.push_back(domain);
    }
    parts.scaleUp = transport;
    parts.domainsReduce = m_domainReduction;
}

} // namespace ns3::llm
