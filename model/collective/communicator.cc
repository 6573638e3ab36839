// SPDX-License-Identifier: GPL-2.0-only

#include "communicator.h"

#include "operation-text.h"

#include "ns3/abort.h"
#include "ns3/input-error.h"
#include "ns3/locality.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("Communicator");

namespace
{

/** How many operations a rank may have in flight. */
constexpr uint64_t MAX_IN_FLIGHT = MessageTransport::INSTANCES / 2;

/** Instances this far ahead of the oldest open one are the future; those beyond are the past. */
constexpr uint32_t FUTURE = MessageTransport::INSTANCES / 4 * 3;

} // namespace

void
Communicator::SetGroup(uint32_t id,
                       const std::string& name,
                       const std::vector<uint32_t>& accelerators)
{
    NS_LOG_FUNCTION(this << id << name << accelerators.size());
    NS_ABORT_MSG_IF(!m_ranks.empty(), name << ": the group was set before, as " << m_name);
    if (accelerators.empty() || id >= MessageTransport::MAX_OWNERS)
    {
        RefuseInput(name + " with id " + std::to_string(id) + " and " +
                    std::to_string(accelerators.size()) + " ranks: a group needs an id below " +
                    std::to_string(MessageTransport::MAX_OWNERS) + " and 1 rank or more");
    }
    m_id = id;
    m_name = name;
    m_accelerators = accelerators;
    for (uint32_t rank = 0; rank < accelerators.size(); ++rank)
    {
        const auto [place, isNew] = m_rankOf.emplace(accelerators[rank], rank);
        if (!isNew)
        {
            RefuseInput(name + ": accelerator " + std::to_string(accelerators[rank]) +
                        " is both rank " + std::to_string(place->second) + " and rank " +
                        std::to_string(rank) + "; each rank needs an accelerator of its own");
        }
    }
    m_ranks.resize(accelerators.size());
    for (RankState& state : m_ranks)
    {
        state.credits.SetMost(m_maxOutstanding);
    }
    m_chosen = CollectiveAlgorithm::CreateByName(m_algorithmName, name);
    SetTransport(m_transport);
}

void
Communicator::SetTransport(Ptr<MessageTransport> transport)
{
    m_transport = transport;
    if (m_transport && !m_ranks.empty())
    {
        MessageTransport::MessageCallback acknowledged;
        if (m_maxOutstanding > 0)
        {
            acknowledged = MakeCallback(&Communicator::Acknowledge, this);
        }
        m_transport->SetOwner(m_id, MakeCallback(&Communicator::Deliver, this), acknowledged);
    }
}

void
Communicator::SetLocality(Ptr<const Locality> locality)
{
    m_locality = locality;
    m_chooser = nullptr;
    m_lastProgram = nullptr;
}

void
Communicator::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_transport && !m_ranks.empty())
    {
        m_transport->SetOwner(m_id,
                              MessageTransport::MessageCallback(),
                              MessageTransport::MessageCallback());
    }
    m_transport = nullptr;
    m_locality = nullptr;
    m_lastProgram = nullptr;
    m_checks.clear();
    m_calls.clear();
    m_ranks.clear();
    Object::DoDispose();
}

void
Communicator::Start(uint32_t rank, const CollectiveRequest& request, DoneCallback done)
{
    NS_LOG_FUNCTION(this << rank << DescribeRequest(request));
    NS_ABORT_MSG_IF(rank >= m_ranks.size(),
                    m_name << " has " << m_ranks.size() << " ranks, so none is rank " << rank);
    NS_ABORT_MSG_IF(m_ranks.size() > 1 && !m_transport, m_name << " has no transport");
    RankState& state = m_ranks[rank];
    if (!state.open.empty() && state.calls - state.open.begin()->first >= MAX_IN_FLIGHT)
    {
        RefuseInput(DescribeRank(rank) + " would have more than " + std::to_string(MAX_IN_FLIGHT) +
                    " operations in flight; the oldest is its " +
                    DescribeOrdinal(state.open.begin()->first) + ", " +
                    DescribeOperation(rank, state.open.begin()->first));
    }
    CheckCall(rank, state.calls, request);
    const uint64_t instance = state.calls++;
    const Time launch = GetSize() > 1 ? m_launchLatency : Time(0);
    const int64_t tick = (Simulator::Now() + launch).GetTimeStep() + 1;
    state.open.emplace(instance,
                       OpenOperation{request,
                                     done,
                                     Simulator::Now(),
                                     0,
                                     OperationProgress(MakeProgram(request), rank, tick),
                                     GetCheck(instance, request)});
    const auto early = state.early.find(instance);
    if (early != state.early.end())
    {
        for (const Message& message : early->second)
        {
            Accept(rank, instance, message);
        }
        state.early.erase(early);
    }
    WakeAt(rank, tick);
}

void
Communicator::WakeAt(uint32_t rank, int64_t tick)
{
    RankState& state = m_ranks[rank];
    if (tick >= state.wakeTick)
    {
        return;
    }
    state.wakeTick = tick;
    const uint32_t context =
        m_locality ? m_locality->GetNodeId(m_accelerators[rank]) : Simulator::GetContext();
    Simulator::ScheduleWithContext(context,
                                   TimeStep(tick - Simulator::Now().GetTimeStep()),
                                   &Communicator::Advance,
                                   Ptr<Communicator>(this),
                                   rank);
}

void
Communicator::Advance(uint32_t rank)
{
    if (rank >= m_ranks.size())
    {
        return; // disposed
    }
    RankState& state = m_ranks[rank];
    const int64_t tick = Simulator::Now().GetTimeStep();
    if (state.wakeTick <= tick)
    {
        state.wakeTick = OperationProgress::NEVER;
    }
    int64_t next = OperationProgress::NEVER;
    state.isHeldUp = false;
    std::vector<uint64_t> finished;
    for (auto& [number, operation] : state.open)
    {
        const bool hasCredit = operation.progress.IsHeldUp() && state.credits.HasRoom(tick);
        if (hasCredit || operation.progress.GetWakeTick() <= tick)
        {
            AdvanceOperation(rank, number, operation);
        }
        if (operation.progress.IsDone())
        {
            finished.push_back(number);
        }
        next = std::min(next, operation.progress.GetWakeTick());
        state.isHeldUp |= operation.progress.IsHeldUp();
    }
    if (next != OperationProgress::NEVER)
    {
        WakeAt(rank, next);
    }
    for (const uint64_t instance : finished)
    {
        Finish(rank, instance);
    }
}

void
Communicator::AdvanceOperation(uint32_t rank, uint64_t instance, OpenOperation& operation)
{
    const auto done = [&](uint32_t lane, uint32_t index, const Step& step)
    {
        if (operation.check)
        {
            RefuseFault(instance, operation.request, operation.check->Do(rank, lane, index));
        }
        if (step.kind == Step::SEND)
        {
            operation.sentBytes += step.bytes;
            Send(rank, instance, step);
        }
        else if (step.kind == Step::REDUCE || step.kind == Step::MULTICAST)
        {
            operation.sentBytes += IsSending(step, rank) ? step.bytes : 0;
            CallSwitches(rank, instance, step, operation.progress.GetProgram());
        }
    };
    operation.progress.Advance(Simulator::Now().GetTimeStep(),
                               GetStepCosts(),
                               m_ranks[rank].credits,
                               done);
}

void
Communicator::Finish(uint32_t rank, uint64_t instance)
{
    RankState& state = m_ranks[rank];
    const auto place = state.open.find(instance);
    const OpenOperation& operation = place->second;
    NS_LOG_LOGIC(DescribeRank(rank) << " has done its " << DescribeOrdinal(instance) << ", "
                                    << DescribeRequest(operation.request));
    OperationRecord record;
    record.communicator = m_id;
    record.size = GetSize();
    record.rank = rank;
    record.instance = instance;
    record.request = operation.request;
    record.sentBytes = operation.sentBytes;
    record.start = operation.start;
    record.end = Simulator::Now();
    record.remark = GetSize() == 1 ? "alone in its group, so there was nothing to send" : "";
    const DoneCallback done = operation.done;
    if (operation.check)
    {
        RefuseFault(instance, operation.request, operation.check->Finish(rank));
        if (++m_checks[instance].finished == GetSize())
        {
            m_checks.erase(instance);
        }
    }
    state.lastRequest = operation.request;
    state.lastInstance = instance;
    state.open.erase(place);
    m_operationDone(record);
    if (!done.IsNull())
    {
        done();
    }
}

void
Communicator::Send(uint32_t rank, uint64_t instance, const Step& step) const
{
    Message message;
    message.source = m_accelerators[rank];
    message.destination = m_accelerators.at(step.peer);
    message.bytes = step.bytes;
    message.owner = m_id;
    message.instance = static_cast<uint32_t>(instance % MessageTransport::INSTANCES);
    message.place = step.place;
    message.flow = step.flow;
    message.priority = m_priority;
    message.joint = step.joint;
    m_transport->Send(message);
}

void
Communicator::Acknowledge(const Message& message)
{
    const uint32_t rank = FindRank(message.source);
    const int64_t tick = Simulator::Now().GetTimeStep();
    m_ranks[rank].credits.Return(tick);
    if (m_ranks[rank].isHeldUp)
    {
        WakeAt(rank, tick + 1);
    }
}

void
Communicator::Deliver(const Message& message)
{
    NS_LOG_FUNCTION(this << message.source << message.destination << message.place);
    const uint32_t rank = FindRank(message.destination);
    const bool isFromSwitches = message.source == EVERY_MEMBER;
    const bool isMember =
        rank < GetSize() && (isFromSwitches || FindRank(message.source) < GetSize());
    NS_ABORT_MSG_IF(!isMember,
                    m_name << " got a message from accelerator " << message.source << " to "
                           << message.destination << ", which are not both in the group");
    RankState& state = m_ranks[rank];
    const uint64_t base = state.open.empty() ? state.calls : state.open.begin()->first;
    const uint32_t ahead =
        (message.instance - static_cast<uint32_t>(base)) % MessageTransport::INSTANCES;
    const uint64_t instance =
        ahead < FUTURE ? base + ahead : base + ahead - MessageTransport::INSTANCES;
    if (instance >= state.calls && ahead < FUTURE)
    {
        state.early[instance].push_back(message);
        return;
    }
    if (state.open.find(instance) == state.open.end())
    {
        RefuseMismatch(rank, instance, message);
    }
    Accept(rank, instance, message);
    WakeAt(rank, Simulator::Now().GetTimeStep() + 1);
}

void
Communicator::Accept(uint32_t rank, uint64_t instance, const Message& message)
{
    OperationProgress& progress = m_ranks[rank].open.at(instance).progress;
    const uint32_t peer = message.source == EVERY_MEMBER ? Step::EVERY : FindRank(message.source);
    Step step;
    if (!progress.FindReceive(peer, message.place, step) || step.bytes != message.bytes)
    {
        RefuseMismatch(rank, instance, message);
    }
    progress.Arrive(peer, message.place, Simulator::Now().GetTimeStep());
}

uint32_t
Communicator::GetSize() const
{
    return static_cast<uint32_t>(m_accelerators.size());
}

uint32_t
Communicator::GetId() const
{
    return m_id;
}

const std::string&
Communicator::GetName() const
{
    return m_name;
}

const std::vector<uint32_t>&
Communicator::GetAccelerators() const
{
    return m_accelerators;
}

StepCosts
Communicator::GetStepCosts() const
{
    return {m_stepLatency, m_reductionRate, m_launchLatency};
}

uint32_t
Communicator::FindRank(uint32_t accelerator) const
{
    const auto place = m_rankOf.find(accelerator);
    return place == m_rankOf.end() ? GetSize() : place->second;
}

} // namespace ns3::llm
