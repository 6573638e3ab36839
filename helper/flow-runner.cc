// SPDX-License-Identifier: GPL-2.0-only

#include "flow-runner.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3::llm
{

FlowRunner::FlowRunner(Ptr<MessageTransport> transport,
                       Ptr<const Locality> locality,
                       uint32_t owner)
    : m_transport(transport),
      m_locality(locality),
      m_owner(owner)
{
    m_transport->SetOwner(owner,
                          MakeCallback(&FlowRunner::Received, this),
                          MakeCallback(&FlowRunner::Acknowledged, this));
}

void
FlowRunner::Start(FlowList flows)
{
    NS_ABORT_MSG_UNLESS(m_flows.empty(), "FlowRunner::Start() is called once");
    CheckFlows(flows, m_locality->GetAcceleratorCount());
    m_flows = std::move(flows);
    m_records.resize(m_flows.size());
    m_starts.resize(m_locality->GetAcceleratorCount());
    m_begin = Simulator::Now();
    NumberQueuePairs();
    Prepare();
    for (uint32_t source = 0; source < m_starts.size(); ++source)
    {
        auto& own = m_starts[source].flows;
        std::stable_sort(own.begin(),
                         own.end(),
                         [this](uint32_t a, uint32_t b)
                         { return m_flows[a].start < m_flows[b].start; });
        ScheduleNext(source);
    }
}

void
FlowRunner::NumberQueuePairs()
{
    using Pair = std::pair<uint32_t, uint32_t>;
    std::map<Pair, std::set<uint32_t>> given;
    for (const Flow& flow : m_flows)
    {
        if (flow.queuePair != Flow::OWN)
        {
            given[{flow.source, flow.destination}].insert(flow.queuePair);
        }
    }
    std::map<Pair, uint32_t> next;
    for (Flow& flow : m_flows)
    {
        if (flow.queuePair != Flow::OWN)
        {
            continue;
        }
        const Pair pair(flow.source, flow.destination);
        uint32_t& number = next[pair];
        const auto taken = given.find(pair);
        while (taken != given.end() && taken->second.count(number) != 0)
        {
            ++number;
        }
        flow.queuePair = number++;
    }
}

void
FlowRunner::Prepare()
{
    for (uint32_t place = 0; place < m_flows.size(); ++place)
    {
        const Flow& flow = m_flows[place];
        const Path path =
            m_locality->GetPath(flow.source, flow.destination, m_owner, flow.queuePair);
        m_records[place].ideal = GetLoneMessageTime(path, flow.bytes);
        if (flow.after == Flow::NONE)
        {
            m_starts[flow.source].flows.push_back(place);
        }
        else
        {
            m_waiting.emplace_back(flow.after, place);
        }
    }
    std::sort(m_waiting.begin(), m_waiting.end());
}

void
FlowRunner::ScheduleNext(uint32_t source)
{
    const Starts& starts = m_starts[source];
    if (starts.next < starts.flows.size())
    {
        const Time at = m_begin + m_flows[starts.flows[starts.next]].start;
        Simulator::ScheduleWithContext(m_locality->GetNodeId(source),
                                       at - Simulator::Now(),
                                       &FlowRunner::StartDue,
                                       this,
                                       source);
    }
}

void
FlowRunner::StartDue(uint32_t source)
{
    Starts& starts = m_starts[source];
    const Time now = Simulator::Now();
    while (starts.next < starts.flows.size() &&
           m_begin + m_flows[starts.flows[starts.next]].start <= now)
    {
        Send(starts.flows[starts.next++]);
    }
    ScheduleNext(source);
}

void
FlowRunner::Send(uint32_t place)
{
    const Flow& flow = m_flows[place];
    m_records[place].state = FlowState::SENT;
    m_records[place].sent = Simulator::Now();
    Message message;
    message.source = flow.source;
    message.destination = flow.destination;
    message.bytes = flow.bytes;
    message.owner = m_owner;
    message.place = place;
    message.flow = flow.queuePair;
    m_transport->Send(message);
}

void
FlowRunner::StartFollowers(uint32_t place)
{
    auto next = std::lower_bound(m_waiting.begin(), m_waiting.end(), std::make_pair(place, 0u));
    for (; next != m_waiting.end() && next->first == place; ++next)
    {
        const Flow& follower = m_flows[next->second];
        if (follower.afterState != m_records[place].state)
        {
            continue;
        }
        if (follower.start.IsZero())
        {
            Send(next->second);
        }
        else
        {
            Simulator::Schedule(follower.start, &FlowRunner::Send, this, next->second);
        }
    }
}

void
FlowRunner::Received(const Message& message)
{
    FlowRecord& record = m_records[message.place];
    record.state = FlowState::RECEIVED;
    record.received = Simulator::Now();
    StartFollowers(message.place);
}

void
FlowRunner::Acknowledged(const Message& message)
{
    FlowRecord& record = m_records[message.place];
    record.state = FlowState::ACKNOWLEDGED;
    record.acknowledged = Simulator::Now();
    ++m_finished;
    StartFollowers(message.place);
    if (m_progress)
    {
        m_progress();
    }
}

void
FlowRunner::SetProgressCallback(std::function<void()> callback)
{
    m_progress = std::move(callback);
}

const FlowList&
FlowRunner::GetFlows() const
{
    return m_flows;
}

const std::vector<FlowRecord>&
FlowRunner::GetRecords() const
{
    return m_records;
}

uint64_t
FlowRunner::GetFinishedCount() const
{
    return m_finished;
}

std::vector<std::string>
FlowRunner::DescribeUnfinished(std::size_t most) const
{
    std::vector<std::string> lines;
    const std::size_t unfinished = m_flows.size() - m_finished;
    for (std::size_t place = 0; place < m_flows.size() && lines.size() < most; ++place)
    {
        const Flow& flow = m_flows[place];
        const FlowRecord& record = m_records[place];
        std::string wait;
        switch (record.state)
        {
        case FlowState::WAITING:
            wait =
                flow.after == Flow::NONE
                    ? "waits for its start"
                    : "waits for flow " + std::to_string(flow.after) + " to be " +
                          (flow.afterState == FlowState::RECEIVED ? "received" : "acknowledged") +
                          (flow.start.IsZero() ? "" : ", and then for its start");
            break;
        case FlowState::SENT:
            wait = "was sent and waits to be received";
            break;
        case FlowState::RECEIVED:
            wait = "was received and waits to be acknowledged";
            break;
        case FlowState::ACKNOWLEDGED:
            continue;
        }
        lines.push_back("flow " + std::to_string(place) + " from accelerator " +
                        std::to_string(flow.source) + " to accelerator " +
                        std::to_string(flow.destination) + ", " + std::to_string(flow.bytes) +
                        " B, " + wait);
    }
    if (unfinished > lines.size())
    {
        lines.push_back("and " + std::to_string(unfinished - lines.size()) + " more flows");
    }
    return lines;
}

} // namespace ns3::llm
