// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-link.h"

#include "ns3/input-error.h"

#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricLink);

TypeId
FabricLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FabricLink")
                            .SetParent<Channel>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FabricLink>()
                            .AddAttribute("Delay",
                                          "Propagation of both directions.",
                                          TypeId::ATTR_GET,
                                          TimeValue(),
                                          MakeTimeAccessor(&FabricLink::m_delay),
                                          MakeTimeChecker())
                            .AddAttribute("DataRate",
                                          "Line rate, of both directions or from device 0.",
                                          TypeId::ATTR_GET,
                                          DataRateValue(),
                                          MakeDataRateAccessor(&FabricLink::m_rate),
                                          MakeDataRateChecker())
                            .AddAttribute("ReverseDataRate",
                                          "Line rate from device 1.",
                                          TypeId::ATTR_GET,
                                          DataRateValue(),
                                          MakeDataRateAccessor(&FabricLink::m_reverseRate),
                                          MakeDataRateChecker());
    return tid;
}

void
FabricLink::Check(DataRate rate, Time delay)
{
    if (rate.GetBitRate() == 0)
    {
        RefuseInput("link rate 0bps: a link needs a rate above 0, such as 400Gbps");
    }
    if (!delay.IsStrictlyPositive())
    {
        std::ostringstream text;
        text << "link delay " << delay.As(Time::NS) << ": a link needs a delay of at least 1 ps";
        RefuseInput(text.str());
    }
}

void
FabricLink::Attach(Ptr<FabricPort> a, Ptr<FabricPort> b, DataRate rate, Time delay)
{
    Attach(a, b, rate, rate, delay);
}

void
FabricLink::Attach(Ptr<FabricPort> a,
                   Ptr<FabricPort> b,
                   DataRate rate,
                   DataRate reverseRate,
                   Time delay)
{
    Check(rate, delay);
    Check(reverseRate, delay);
    m_ports[0] = a;
    m_ports[1] = b;
    m_rate = rate;
    m_reverseRate = reverseRate;
    m_delay = delay;
    a->SetLink(this);
    b->SetLink(this);
    a->GetTransmitter().Connect(&b->GetTransmitter(), rate, delay);
    b->GetTransmitter().Connect(&a->GetTransmitter(), reverseRate, delay);
}

void
FabricLink::SetUp(bool isUp)
{
    m_ports[0]->GetTransmitter().SetUp(isUp);
    m_ports[1]->GetTransmitter().SetUp(isUp);
}

std::size_t
FabricLink::GetNDevices() const
{
    return 2;
}

Ptr<NetDevice>
FabricLink::GetDevice(std::size_t i) const
{
    return m_ports[i];
}

void
FabricLink::DoDispose()
{
    m_ports[0] = nullptr;
    m_ports[1] = nullptr;
    Channel::DoDispose();
}

} // namespace ns3::llm
