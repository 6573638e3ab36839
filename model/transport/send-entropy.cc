// SPDX-License-Identifier: GPL-2.0-only

#include "send-entropy.h"

#include "ns3/identity-hash.h"
#include "ns3/uinteger.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(SendEntropy);
NS_OBJECT_ENSURE_REGISTERED(FlowEntropy);
NS_OBJECT_ENSURE_REGISTERED(RandomEntropy);

TypeId
SendEntropy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::SendEntropy").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

bool
SendEntropy::IsPerFlow() const
{
    return false;
}

std::size_t
SendEntropy::GetStateSize() const
{
    return 0;
}

void
SendEntropy::Start(void*, const QueuePairInfo&) const
{
}

void
SendEntropy::OnAck(void*, uint32_t, bool, uint64_t) const
{
}

void
SendEntropy::OnTimeout(void*, uint64_t) const
{
}

uint32_t
SendEntropy::Draw(uint32_t flowEntropy, const Frame& frame, uint32_t values)
{
    constexpr uint64_t PURPOSE = 0x656e7472; // keeps these draws apart from all others
    const uint64_t what = uint64_t{frame.identity} << 32 | frame.attempt;
    const uint64_t value = ((MixHash(PURPOSE, what) >> 32) * values) >> 32;
    return static_cast<uint32_t>(MixHash(flowEntropy, value) >> 32);
}

TypeId
FlowEntropy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FlowEntropy")
                            .SetParent<SendEntropy>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FlowEntropy>();
    return tid;
}

bool
FlowEntropy::IsPerFlow() const
{
    return true;
}

uint32_t
FlowEntropy::Choose(void*, uint32_t flowEntropy, const Frame&, uint64_t) const
{
    return flowEntropy;
}

TypeId
RandomEntropy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RandomEntropy")
                            .SetParent<SendEntropy>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RandomEntropy>()
                            .AddAttribute("Values",
                                          "Entropies of a queue pair (16 bits of a port: 65536).",
                                          UintegerValue(65536),
                                          MakeUintegerAccessor(&RandomEntropy::m_values),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

uint32_t
RandomEntropy::Choose(void*, uint32_t flowEntropy, const Frame& frame, uint64_t) const
{
    return Draw(flowEntropy, frame, m_values);
}

} // namespace ns3::llm
