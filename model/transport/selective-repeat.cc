// SPDX-License-Identifier: GPL-2.0-only

#include "selective-repeat.h"

#include "send-queue-pair.h"

#include "ns3/input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(SelectiveRepeat);

TypeId
SelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::SelectiveRepeat")
            .SetParent<RdmaLossRecovery>()
            .SetGroupName("LlmFabric")
            .AddConstructor<SelectiveRepeat>()
            .AddAttribute("ReorderFrames",
                          "Frames from the first missing one on that a receiver can keep.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&SelectiveRepeat::m_reorderFrames),
                          MakeUintegerChecker<uint32_t>(1, 1u << 20))
            .AddAttribute("ReorderDepth",
                          "A frame counts as lost when one more than so many numbers ahead has "
                          "come; raise it where frames overtake each other.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SelectiveRepeat::m_reorderDepth),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("InFlightFrames",
                          "Frames from the first unacknowledged one on that may have been sent; 0: "
                          "what the path holds (bandwidth-delay product).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SelectiveRepeat::m_inFlightFrames),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FewFrames",
                          "With fewer frames unacknowledged the timeout is TimeoutLow (IRN: 3).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SelectiveRepeat::m_fewFrames),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("TimeoutLow",
                          "Timeout with few frames unacknowledged; 0: RetransmissionTimeout of the "
                          "transport. IRN: 100 us, in networks without PFC.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&SelectiveRepeat::m_timeoutLow),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "TimeoutHigh",
                "Timeout with more frames unacknowledged; 0: RetransmissionTimeout of the "
                "transport. IRN: 320 us, in networks without PFC.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&SelectiveRepeat::m_timeoutHigh),
                MakeTimeChecker(Time(0)));
    return tid;
}

void
SelectiveRepeat::Configure(RdmaConfig& config) const
{
    const std::string room =
        " of ns3::llm::SelectiveRepeat must not be above its ReorderFrames, which is " +
        std::to_string(m_reorderFrames);
    if (m_inFlightFrames > m_reorderFrames)
    {
        RefuseInput("InFlightFrames " + std::to_string(m_inFlightFrames) + room);
    }
    if (m_reorderDepth >= m_reorderFrames)
    {
        RefuseInput("ReorderDepth " + std::to_string(m_reorderDepth) + " and 1" + room);
    }
    const uint32_t most = m_inFlightFrames != 0 ? m_inFlightFrames : m_reorderFrames;
    if (config.framesPerAck > most)
    {
        RefuseInput("FramesPerAck " + std::to_string(config.framesPerAck) +
                    ": ns3::llm::SelectiveRepeat has at most " + std::to_string(most) +
                    " frames in flight (InFlightFrames, ReorderFrames), so no ACK would come");
    }
    config.reorderFrames = m_reorderFrames;
    config.reorderDepth = m_reorderDepth;
    config.fewFrames = m_fewFrames;
    const auto low = static_cast<uint64_t>(m_timeoutLow.GetPicoSeconds());
    const auto high = static_cast<uint64_t>(m_timeoutHigh.GetPicoSeconds());
    config.shortTimeoutTicks = low != 0 ? low : config.timeoutTicks;
    config.timeoutTicks = high != 0 ? high : config.timeoutTicks;
}

uint32_t
SelectiveRepeat::GetMaxFrames(const QueuePairInfo& info) const
{
    if (m_inFlightFrames != 0)
    {
        return m_inFlightFrames;
    }
    const double frames =
        std::ceil(info.GetPathBytes() / (info.mtuBytes + info.frameOverheadBytes));
    // there is no path while links are down
    return frames >= 1 && frames < m_reorderFrames ? static_cast<uint32_t>(frames)
                                                   : m_reorderFrames;
}

bool
SelectiveRepeat::OnNack(SendQueuePair& queuePair, uint64_t, uint64_t cause) const
{
    return cause < queuePair.GetHighestPsn() &&
           queuePair.ResendHoles(cause - std::min<uint64_t>(cause, m_reorderDepth));
}

void
SelectiveRepeat::OnTimeout(SendQueuePair& queuePair) const
{
    queuePair.ResendAll();
}

} // namespace ns3::llm
