// SPDX-License-Identifier: GPL-2.0-only

#include "deadlock-detector.h"

#include "fabric-switch.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace ns3::llm
{

std::vector<DeadlockDetector::Stopped>
DeadlockDetector::Collect(const FabricSwitch& from)
{
    std::vector<Stopped> all;
    std::vector<const FabricSwitch*> switches{&from};
    for (std::size_t s = 0; s < switches.size(); ++s)
    {
        const FabricSwitch& at = *switches[s];
        for (uint32_t p = 0; p < at.GetPortCount(); ++p)
        {
            const FrameTransmitter& port = at.GetPort(p)->GetTransmitter();
            for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
            {
                if (!port.IsPaused(c) || !port.HasWaiting(c))
                {
                    continue;
                }
                const FrameTransmitter& peer = *port.GetPeer();
                const auto by = dynamic_cast<const FabricSwitch*>(peer.GetOwner());
                all.push_back({&at,
                               static_cast<uint16_t>(p),
                               c,
                               by,
                               peer.GetIndex(),
                               port.GetWaitingBytes(c, at.GetPortCount()),
                               {},
                               by && by->GetBuffer().IsPaused(peer.GetIndex(), c)});
                if (by && std::find(switches.begin(), switches.end(), by) == switches.end())
                {
                    switches.push_back(by);
                }
            }
        }
    }
    return all;
}

bool
DeadlockDetector::WouldResume(const std::vector<Stopped>& all, const Stopped& one)
{
    // what stays at the far end: what waits there for those that are held
    std::map<std::pair<uint8_t, uint16_t>, uint64_t> stays;
    for (const Stopped& other : all)
    {
        if (other.isHeld && other.at == one.by)
        {
            for (uint16_t port = 0; port < other.waiting.size(); ++port)
            {
                if (other.waiting[port] != 0)
                {
                    stays[{other.trafficClass, port}] += other.waiting[port];
                }
            }
        }
    }
    const SharedBuffer& buffer = one.by->GetBuffer();
    int64_t sharedUsed = 0;
    for (const auto& [queue, bytes] : stays)
    {
        sharedUsed += buffer.GetSharedPartOf(queue.second, queue.first, bytes);
    }
    return buffer.WouldResume(one.byPort,
                              one.trafficClass,
                              stays[{one.trafficClass, one.byPort}],
                              sharedUsed);
}

void
DeadlockDetector::Link(std::vector<Stopped>& all)
{
    for (Stopped& one : all)
    {
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            const Stopped& other = all[i];
            if (one.isHeld && other.isHeld && other.at == one.by &&
                other.trafficClass == one.trafficClass && other.waiting[one.byPort] != 0)
            {
                one.waitsFor.push_back(i);
            }
        }
    }
}

std::vector<std::size_t>
DeadlockDetector::FindCircle(const std::vector<Stopped>& all)
{
    // what is held waits for something that is held: from any, the way comes back to where it was
    std::vector<std::size_t> way;
    auto at = static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [](const Stopped& one) { return one.isHeld; }) -
        all.begin());
    while (true)
    {
        const auto before = std::find(way.begin(), way.end(), at);
        if (before != way.end())
        {
            return {before, way.end()};
        }
        way.push_back(at);
        if (all[at].waitsFor.empty())
        {
            return way;
        }
        at = all[at].waitsFor.front();
    }
}

std::string
DeadlockDetector::Describe(const std::vector<Stopped>& all,
                           const std::vector<std::size_t>& circle,
                           uint64_t tick) const
{
    std::ostringstream text;
    text << "PFC deadlock at " << static_cast<double>(tick) / 1e6 << " us: frames have waited for "
         << static_cast<double>(m_limit) / 1e6 << " us behind pauses that wait for each other, ";
    for (const std::size_t i : circle)
    {
        const Stopped& one = all[i];
        text << "port " << one.port << " of " << one.at->Describe() << " (class "
             << +one.trafficClass << ") -> ";
    }
    text << "the first again. Choose routes without such circles (up and then down), keep queues "
            "short "
            "by a congestion control, or give ns3::llm::FabricSwitch::BufferSize more";
    return text.str();
}

void
DeadlockDetector::Look(const FabricSwitch& from, uint16_t port)
{
    if (!m_faults || !m_faults->GetTexts().empty())
    {
        return; // the run ends already
    }
    std::vector<Stopped> all = Collect(from);
    bool hasChanged = true;
    while (hasChanged)
    {
        hasChanged = false;
        for (Stopped& one : all)
        {
            if (one.isHeld && WouldResume(all, one))
            {
                one.isHeld = false;
                hasChanged = true;
            }
        }
    }
    const bool isAny =
        std::any_of(all.begin(), all.end(), [](const Stopped& one) { return one.isHeld; });
    if (isAny)
    {
        Link(all);
        const uint64_t tick = from.GetPort(port)->GetTransmitter().GetNowTicks();
        m_faults->StopRun(Describe(all, FindCircle(all), tick));
    }
}

} // namespace ns3::llm
