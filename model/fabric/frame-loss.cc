// SPDX-License-Identifier: GPL-2.0-only

#include "frame-loss.h"

#include "identity-hash.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FrameLoss);

namespace
{

constexpr uint64_t PURPOSE = 0x6c6f7373; //!< keeps these draws apart from others of the same frame

} // namespace

TypeId
FrameLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FrameLoss")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddAttribute("Kinds",
                          "Frames that may be lost, as a sum: data 1, ACKs 2, NACKs 4, CNPs 8, PFC "
                          "frames 16, packets of ns-3's stack 32. A switch that misses a pause "
                          "overflows, and a port that "
                          "misses a resume stops for good.",
                          UintegerValue(47),
                          MakeUintegerAccessor(&FrameLoss::m_kinds),
                          MakeUintegerChecker<uint32_t>(0, 63));
    return tid;
}

void
FrameLoss::Begin(uint64_t seed, uint64_t place)
{
    NS_ABORT_MSG_IF(m_hasBegun,
                    GetInstanceTypeId().GetName()
                        << ": one object serves one direction of a link, this one has one already");
    m_hasBegun = true;
    m_seed = MixHash(MixHash(seed, PURPOSE), place);
    DoBegin();
}

void
FrameLoss::DoBegin()
{
}

double
FrameLoss::Draw(const Frame& frame, uint64_t tick) const
{
    const auto kind = static_cast<uint64_t>(frame.kind);
    uint64_t hash = MixHash(m_seed, uint64_t{frame.identity} << 32 | kind << 8 | frame.attempt);
    hash = MixHash(hash, frame.psn);
    // PFC frames have no identity: all that a port sends are told apart by their time
    return HashToUnit(frame.kind == FrameKind::PAUSE ? MixHash(hash, tick) : hash);
}

} // namespace ns3::llm
