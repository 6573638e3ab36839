// SPDX-License-Identifier: GPL-2.0-only

#include "flow-ecmp.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FlowEcmp);

TypeId
FlowEcmp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FlowEcmp")
            .SetParent<LoadBalancer>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FlowEcmp>()
            .AddAttribute("HashFields",
                          "What is hashed, a sum: 1 the source, 2 the destination, 4 the entropy, "
                          "which is what the queue pair puts into the UDP source port and by "
                          "default a hash of source, destination and flow. 3: all queue pairs of a "
                          "pair take one path.",
                          UintegerValue(ENTROPY),
                          MakeUintegerAccessor(&FlowEcmp::m_hashFields),
                          MakeUintegerChecker<uint32_t>(1, 7))
            .AddAttribute("SeedPerSwitch",
                          "Each switch has a seed of its own. Without it all hash alike, and the "
                          "tiers' choices are one and the same (polarization).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FlowEcmp::m_seedPerSwitch),
                          MakeBooleanChecker());
    return tid;
}

uint16_t
FlowEcmp::Choose(const TransitFrame& frame, const Ports& ports, uint32_t group)
{
    return Foretell(frame, ports, group);
}

uint16_t
FlowEcmp::Foretell(const TransitFrame& frame, const Ports& ports, uint32_t) const
{
    if (IsPlain())
    {
        return Pick(frame.entropy, ports, GetSeed());
    }
    uint64_t hash = GetSeed();
    if (m_hashFields & SOURCE)
    {
        hash = MixHash(hash, GetSwitch().terminalPlaces->at(frame.frame->source));
    }
    if (m_hashFields & DESTINATION)
    {
        hash = MixHash(hash, GetSwitch().terminalPlaces->at(frame.destination));
    }
    if (m_hashFields & ENTROPY)
    {
        hash = MixHash(hash, frame.entropy);
    }
    return PortOf(hash, ports);
}

} // namespace ns3::llm
