// SPDX-License-Identifier: GPL-2.0-only

#include "nic-reductions.h"

#include "rdma-transport.h"

#include "ns3/abort.h"
#include "ns3/identity-hash.h"
#include "ns3/reduction-frame.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

NicReductions::NicReductions(RdmaTransport* transport,
                             FabricNetwork* network,
                             uint32_t terminal,
                             uint32_t nodeId,
                             const RdmaConfig& config)
    : m_transport(transport),
      m_network(network),
      m_clock(PeekPointer(network->GetClock())),
      m_terminal(terminal),
      m_nodeId(nodeId),
      m_config(config),
      m_settings(network->GetReductionSettings()),
      m_windowFrames(m_settings.windowBytes / config.mtuBytes)
{
    m_object = m_clock->AddObject(this);
    m_clock->SetHandler(FrameEventKind::REDUCE_REQUEST, &HandleRequest);
    m_clock->SetHandler(FrameEventKind::REDUCE_FIRST, &HandleWake);
    m_clock->SetHandler(FrameEventKind::REDUCE_LAST, &HandleWake);
    m_clock->SetHandler(FrameEventKind::REDUCE_DONE, &HandleDone);
}

void
NicReductions::Start()
{
    m_port = &m_network->GetTerminalPort(m_terminal)->GetTransmitter();
    m_settings = m_network->GetReductionSettings(); // all terminals are known
}

void
NicReductions::Join(const Membership& membership)
{
    const auto place =
        std::find_if(m_groups.begin(),
                     m_groups.end(),
                     [&](const Group& other) { return other.membership.owner > membership.owner; });
    Group group;
    group.membership = membership;
    m_groups.insert(place, std::move(group));
    m_placeOf.resize(std::max<std::size_t>(m_placeOf.size(), membership.group + std::size_t{1}));
    for (std::size_t i = 0; i < m_groups.size(); ++i)
    {
        m_placeOf[m_groups[i].membership.group] = static_cast<uint32_t>(i);
    }
}

NicReductions::Group&
NicReductions::At(uint32_t number)
{
    return m_groups[m_placeOf[number]];
}

void
NicReductions::Post(const Call& call)
{
    m_posted.push_back({m_clock->Request(FrameEventKind::REDUCE_REQUEST, m_object), call});
}

void
NicReductions::HandleRequest(void* object)
{
    static_cast<NicReductions*>(object)->TakePosted();
}

void
NicReductions::TakePosted()
{
    const uint64_t now = m_clock->NowTicks();
    std::size_t count = 0;
    for (; count < m_posted.size() && m_posted[count].tick <= now; ++count)
    {
        const Call& call = m_posted[count].call;
        Group& group = At(call.group);
        Operation operation;
        operation.call = call;
        operation.firstPsn = group.nextPsn;
        operation.frames =
            std::max<uint64_t>(1, (call.bytes + m_config.mtuBytes - 1) / m_config.mtuBytes);
        group.nextPsn += operation.frames;
        group.operations.push_back(operation);
    }
    m_posted.erase(m_posted.begin(), m_posted.begin() + static_cast<std::ptrdiff_t>(count));
    Kick();
}

bool
NicReductions::MaySend(const Group& group) const
{
    if (group.sending >= std::min<std::size_t>(group.operations.size(), m_settings.outstanding))
    {
        return false;
    }
    const Operation& operation = group.operations[group.sending];
    return operation.firstPsn + operation.sentFrames < group.received + m_windowFrames;
}

std::size_t
NicReductions::FindNext() const
{
    for (std::size_t i = 0; i < m_groups.size(); ++i)
    {
        const std::size_t place = (m_turn + i) % m_groups.size();
        if (MaySend(m_groups[place]))
        {
            return place;
        }
    }
    return m_groups.size();
}

void
NicReductions::Kick()
{
    if (!m_port->IsUp() || m_port->IsPaused(m_config.dataClass) || FindNext() == m_groups.size())
    {
        return;
    }
    const uint64_t tick = std::max({m_port->GetFreeTick(), m_clock->NowTicks(), m_pacedUntil});
    if (tick < m_wakeAt)
    {
        m_wakeAt = tick;
        const bool isTurn = tick != m_lineUntil; // something else has had the line since
        m_clock->ScheduleFrame(tick,
                               isTurn ? FrameEventKind::REDUCE_FIRST : FrameEventKind::REDUCE_LAST,
                               m_object);
    }
}

void
NicReductions::HandleWake(void* object)
{
    auto self = static_cast<NicReductions*>(object);
    if (self->m_wakeAt == self->m_clock->NowTicks())
    {
        self->m_wakeAt = FrameClock::NEVER;
        self->Wake();
    }
}

void
NicReductions::Wake()
{
    if (!m_port->IsUp() || m_port->IsPaused(m_config.dataClass))
    {
        return; // PortReady() of the NIC is going to kick
    }
    const std::size_t next = FindNext();
    if (next < m_groups.size() && m_port->IsIdle() && m_pacedUntil <= m_clock->NowTicks())
    {
        m_turn = next + 1;
        SendOne(m_groups[next]);
        m_lineUntil = m_port->GetFreeTick();
    }
    Kick();
}

void
NicReductions::SendOne(Group& group)
{
    Operation& operation = group.operations[group.sending];
    const Call& call = operation.call;
    Frame* frame = m_network->GetPool().Take();
    *frame = Frame();
    frame->kind = FrameKind::REDUCE;
    frame->sentTick = m_clock->NowTicks();
    frame->tag = MessageTag(call.result);
    frame->psn = operation.firstPsn + operation.sentFrames;
    frame->destination = m_settings.destination;
    frame->source = m_terminal;
    frame->entropy = call.ends;
    frame->queuePair = call.group & ((1u << Frame::NUMBER_BITS) - 1);
    frame->identity =
        static_cast<uint32_t>(MixHash(MixHash(m_network->GetTerminalPlace(m_terminal), frame->tag),
                                      operation.sentFrames));
    frame->trafficClass = m_config.dataClass;
    frame->flags = operation.sentFrames == 0 ? Frame::FIRST : uint8_t{0};
    uint64_t count = 1;
    if (call.isSender)
    {
        const uint64_t done = operation.sentFrames * m_config.mtuBytes;
        const uint64_t bytes = std::min<uint64_t>(m_config.mtuBytes, call.bytes - done);
        frame->payloadBytes = static_cast<uint16_t>(bytes);
        frame->wireBytes = static_cast<uint16_t>(bytes + m_config.dataOverheadBytes);
    }
    else
    {
        count = std::min({uint64_t{ReductionFrame::TOKEN_FRAMES},
                          operation.frames - operation.sentFrames,
                          group.received + m_windowFrames - frame->psn});
        frame->flags |= Frame::TOKEN;
        frame->payloadBytes = static_cast<uint16_t>(count);
        frame->wireBytes = static_cast<uint16_t>(m_settings.tokenBytes);
    }
    operation.sentFrames += count;
    if (operation.sentFrames == operation.frames)
    {
        frame->flags |= Frame::LAST;
        ++group.sending;
    }
    if (m_settings.efficiency < 1)
    {
        const auto ticks = static_cast<double>(m_port->GetSerializationTicks(frame->wireBytes));
        m_pacedUntil =
            frame->sentTick + static_cast<uint64_t>(std::ceil(ticks / m_settings.efficiency));
    }
    ++m_sentFrames;
    m_port->Enqueue(frame);
}

void
NicReductions::Receive(const Frame& frame)
{
    Group& group = At(frame.queuePair);
    Operation& operation = group.operations[group.receiving];
    group.received = frame.psn + 1;
    operation.gotBytes += ReductionFrame::IsToken(frame) ? 0 : frame.payloadBytes;
    if (group.received == operation.firstPsn + operation.frames)
    {
        NS_ABORT_MSG_IF(operation.call.isGetter && operation.gotBytes != operation.call.bytes,
                        "a result of " << operation.call.bytes << " bytes came as "
                                       << operation.gotBytes);
        operation.doneTick = m_clock->NowTicks() + group.membership.latencyTicks;
        ++group.receiving;
        m_clock->ScheduleFrame(operation.doneTick, FrameEventKind::REDUCE_DONE, m_object);
    }
    Kick();
}

void
NicReductions::HandleDone(void* object)
{
    static_cast<NicReductions*>(object)->Finish();
}

void
NicReductions::Finish()
{
    const uint64_t now = m_clock->NowTicks();
    for (Group& group : m_groups)
    {
        while (!group.operations.empty() && group.operations.front().doneTick <= now)
        {
            const Call& call = group.operations.front().call;
            if (call.isGetter)
            {
                m_transport->CallOutDelivered(m_nodeId, call.result);
            }
            group.operations.pop_front();
            --group.sending;
            --group.receiving;
        }
    }
    Kick();
}

} // namespace ns3::llm
