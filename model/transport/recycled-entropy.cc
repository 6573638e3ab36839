// SPDX-License-Identifier: GPL-2.0-only

#include "recycled-entropy.h"

#include "rdma-congestion-control.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <type_traits>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RecycledEntropy);

static_assert(std::is_trivially_copyable_v<RecycledEntropy::State>, "states are plain bytes");
static_assert(sizeof(RecycledEntropy::State) <= SendEntropy::MAX_STATE_BYTES, "states are small");

TypeId
RecycledEntropy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RecycledEntropy")
            .SetParent<SendEntropy>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RecycledEntropy>()
            .AddAttribute(
                "Values",
                "Entropies of a queue pair (16 bits of a port: 65536; the paper finds 256 "
                "enough).",
                UintegerValue(65536),
                MakeUintegerAccessor(&RecycledEntropy::m_values),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ExploreFrames",
                          "Frames with random entropies at the begin and after a frozen time; 0: "
                          "what the path holds (bandwidth-delay product).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RecycledEntropy::m_exploreFrames),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FreezeTime",
                          "For so long after a timeout only known entropies are used (public "
                          "simulator: 10 us, with a timeout of 70 us).",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&RecycledEntropy::m_freezeTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

std::size_t
RecycledEntropy::GetStateSize() const
{
    return sizeof(State);
}

void
RecycledEntropy::Start(void* state, const QueuePairInfo& info) const
{
    auto& own = *new (state) State();
    const double frames =
        std::ceil(info.GetPathBytes() / (info.mtuBytes + info.frameOverheadBytes));
    own.exploreFrames =
        m_exploreFrames != 0 ? m_exploreFrames : static_cast<uint32_t>(std::min(frames, 1e6));
    own.exploreLeft = own.exploreFrames;
}

void
RecycledEntropy::Thaw(State& state, uint64_t now)
{
    if (state.isFrozen && now >= state.thawTick)
    {
        state.isFrozen = false;
        state.exploreLeft = state.exploreFrames;
    }
}

uint32_t
RecycledEntropy::Choose(void* state, uint32_t flowEntropy, const Frame& frame, uint64_t now) const
{
    auto& own = *static_cast<State*>(state);
    Thaw(own, now);
    if (own.exploreLeft > 0)
    {
        --own.exploreLeft;
    }
    else if (own.valid > 0)
    {
        return own.ring[(own.next + RING - own.valid--) % RING];
    }
    else if (own.isFrozen && own.stored > 0)
    {
        own.reuse = static_cast<uint8_t>((own.reuse + 1) % own.stored);
        return own.ring[own.reuse];
    }
    return Draw(flowEntropy, frame, m_values);
}

void
RecycledEntropy::OnAck(void* state, uint32_t entropy, bool isMarked, uint64_t now) const
{
    auto& own = *static_cast<State*>(state);
    Thaw(own, now);
    if (isMarked)
    {
        return;
    }
    own.ring[own.next] = entropy;
    own.next = static_cast<uint8_t>((own.next + 1) % RING);
    own.stored = static_cast<uint8_t>(std::min(own.stored + 1u, RING));
    own.valid = static_cast<uint8_t>(std::min(own.valid + 1u, RING));
}

void
RecycledEntropy::OnTimeout(void* state, uint64_t now) const
{
    auto& own = *static_cast<State*>(state);
    Thaw(own, now);
    if (!own.isFrozen && own.exploreLeft == 0)
    {
        own.isFrozen = true;
        own.thawTick = now + static_cast<uint64_t>(m_freezeTime.GetPicoSeconds());
    }
}

} // namespace ns3::llm
