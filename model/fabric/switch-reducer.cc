// SPDX-License-Identifier: GPL-2.0-only

#include "switch-reducer.h"

#include <algorithm>
#include <string>

namespace ns3::llm
{

SwitchReducer::SwitchReducer(const Surroundings& surroundings)
    : m_around(surroundings)
{
}

void
SwitchReducer::AddGroup(uint32_t group, const ReductionTree::Node& node, const Framing& framing)
{
    m_groups.resize(std::max<std::size_t>(m_groups.size(), group + std::size_t{1}));
    Group& one = m_groups[group];
    one.node = node;
    one.framing = framing;
    uint64_t slots = 1;
    while (slots < framing.windowFrames)
    {
        slots *= 2;
    }
    one.slots.resize(slots);
    one.mask = slots - 1;
}

bool
SwitchReducer::Take(const TransitFrame& transit)
{
    if (transit.kind < FrameKind::REDUCE)
    {
        return false;
    }
    Frame* frame = transit.Store();
    if (frame->queuePair >= m_groups.size() || m_groups[frame->queuePair].node.children.empty())
    {
        return false;
    }
    Group& group = m_groups[frame->queuePair];
    if (frame->kind == FrameKind::REDUCE)
    {
        TakeContribution(group, frame);
    }
    else if (ReductionFrame::IsToken(*frame))
    {
        SendTokenDown(group, frame);
    }
    else
    {
        Admit(*frame);
        SendDown(group, frame);
    }
    return true;
}

void
SwitchReducer::TakeContribution(Group& group, Frame* frame)
{
    const bool isToken = ReductionFrame::IsToken(*frame);
    const uint64_t end = frame->psn + (isToken ? frame->payloadBytes : 1);
    bool isKept = false;
    for (uint64_t psn = frame->psn; psn < end; ++psn)
    {
        Slot& slot = group.slots[psn & group.mask];
        if (slot.count == 0)
        {
            slot.tag = frame->tag;
            slot.ends = frame->entropy;
            slot.source = frame->source;
        }
        const bool hasOther = slot.frame && !isToken &&
                              (slot.frame->psn != psn || slot.frame->wireBytes != frame->wireBytes);
        if (slot.tag != frame->tag || slot.ends != frame->entropy || hasOther)
        {
            Refuse(*frame, slot);
        }
        ++slot.count;
        if (!isToken && !slot.frame)
        {
            slot.frame = frame;
            isKept = true;
            Admit(*frame);
        }
    }
    if (!isKept)
    {
        m_merged += isToken ? 0 : 1;
        m_around.pool->Give(frame);
    }
    Advance(group);
}

void
SwitchReducer::Advance(Group& group)
{
    const std::size_t children = group.node.children.size();
    Slot last; // of those that a token stands for
    uint64_t count = 0;
    for (Slot* slot = &group.slots[group.ready & group.mask]; slot->count == children;
         slot = &group.slots[++group.ready & group.mask])
    {
        const bool isFurther = !slot->frame && slot->tag == last.tag;
        if (count != 0 && !isFurther)
        {
            SendTokenUp(group, last, group.ready - count, count);
            count = 0;
        }
        const Slot full = *slot;
        *slot = Slot();
        if (full.frame)
        {
            SendUp(group, full.frame);
            continue;
        }
        last = full;
        ++count;
    }
    if (count != 0)
    {
        SendTokenUp(group, last, group.ready - count, count);
    }
}

void
SwitchReducer::SendUp(Group& group, Frame* frame)
{
    if (group.node.parent != ReductionTree::NONE)
    {
        Send(frame, group.node.parent);
        return;
    }
    frame->kind = FrameKind::RESULT;
    SendDown(group, frame);
}

void
SwitchReducer::SendTokenUp(Group& group, const Slot& slot, uint64_t psn, uint64_t count)
{
    if (group.node.parent == ReductionTree::NONE)
    {
        return; // only where calls do not match, which has been refused
    }
    Frame like{};
    like.kind = FrameKind::REDUCE;
    like.tag = slot.tag;
    like.entropy = slot.ends;
    like.source = slot.source;
    like.psn = psn;
    like.queuePair =
        static_cast<uint32_t>(&group - m_groups.data()) & ((1u << Frame::NUMBER_BITS) - 1);
    Frame* token = MakeToken(group, like);
    token->payloadBytes = static_cast<uint16_t>(count);
    Send(token, group.node.parent);
}

bool
SwitchReducer::IsFor(const Group& group, std::size_t child, const Frame& frame)
{
    const uint32_t destination = ReductionFrame::GetDestination(frame);
    if (destination != ReductionFrame::EVERY)
    {
        return group.node.childOf[destination] == child;
    }
    // who has multicast a frame needs no copy of it
    const uint32_t source = ReductionFrame::GetSource(frame);
    return source == ReductionFrame::EVERY || group.node.childOf[source] != child ||
           group.node.children[child].memberCount > 1;
}

void
SwitchReducer::SendDown(Group& group, Frame* frame)
{
    const bool isCredit =
        frame->flags & Frame::LAST || (frame->psn + 1) % ReductionFrame::TOKEN_FRAMES == 0;
    const Frame original = *frame;
    Frame* spare = frame; // the first copy is the frame itself
    for (std::size_t c = 0; c < group.node.children.size(); ++c)
    {
        const uint16_t port = group.node.children[c].port;
        if (IsFor(group, c, original))
        {
            Send(spare ? spare : Copy(original), port);
            spare = nullptr;
        }
        else if (isCredit)
        {
            Send(MakeToken(group, original), port);
        }
    }
    if (spare)
    {
        // only a group of one that multicasts to itself gets here
        m_around.buffer->Release(m_around.place, spare->trafficClass, spare->wireBytes);
        m_around.pool->Give(spare);
    }
}

void
SwitchReducer::SendTokenDown(Group& group, Frame* token)
{
    const Frame original = *token;
    Admit(*token);
    for (std::size_t c = 0; c < group.node.children.size(); ++c)
    {
        Send(c == 0 ? token : Copy(original), group.node.children[c].port);
    }
}

Frame*
SwitchReducer::MakeToken(const Group& group, const Frame& like)
{
    Frame* token = m_around.pool->Take();
    *token = like;
    token->flags = static_cast<uint8_t>(Frame::TOKEN | (like.flags & Frame::LAST));
    token->payloadBytes = 0;
    token->wireBytes = static_cast<uint16_t>(group.framing.tokenBytes);
    token->destination = group.framing.destination;
    token->trafficClass = group.framing.trafficClass;
    Admit(*token);
    return token;
}

Frame*
SwitchReducer::Copy(const Frame& frame)
{
    Frame* copy = m_around.pool->Take();
    *copy = frame;
    Admit(*copy);
    return copy;
}

void
SwitchReducer::Admit(const Frame& frame)
{
    m_around.buffer->AdmitApart(m_around.place, frame.trafficClass, frame.wireBytes);
}

void
SwitchReducer::Send(Frame* frame, uint16_t port)
{
    m_around.transmitters[port].Enqueue(TransitFrame(frame), m_around.place);
}

void
SwitchReducer::Refuse(const Frame& frame, const Slot& slot)
{
    m_around.faults->StopRun(
        "the members of a reduction group call for different things: after the call of owner " +
        std::to_string(slot.tag >> 44) + ", place " + std::to_string(slot.tag & UINT32_MAX) +
        ", by terminal " + std::to_string(slot.source) + " has come that of owner " +
        std::to_string(frame.tag >> 44) + ", place " + std::to_string(frame.tag & UINT32_MAX) +
        ", by terminal " + std::to_string(frame.source) + " as the same frame (" +
        std::to_string(frame.psn) + "); all have to make the same calls in the same order");
}

} // namespace ns3::llm
