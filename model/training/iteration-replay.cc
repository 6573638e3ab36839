// SPDX-License-Identifier: GPL-2.0-only

#include "iteration-replay.h"

#include "ns3/input-error.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::llm
{

IterationReplay::Config
IterationReplay::MakeConfig(const ParallelStrategy& strategy)
{
    Config config;
    std::vector<uint32_t> stages(strategy.pipelineParallel);
    std::iota(stages.begin(), stages.end(), 0);
    for (const uint32_t stage : stages)
    {
        RankCoordinates place;
        place.pipeline = stage;
        config.ranks.push_back(strategy.GetRank(place));
    }
    config.stageOf = [strategy](uint32_t rank)
    {
        return strategy.GetCoordinates(rank).pipeline;
    };
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        const auto dimension = static_cast<ParallelDimension>(i);
        Group& group = config.groups[i];
        switch (dimension)
        {
        case ParallelDimension::PIPELINE:
            group = {strategy.pipelineParallel, stages};
            break;
        case ParallelDimension::EMBEDDING:
            group.size = std::min(2U, strategy.pipelineParallel);
            group.stages = {0};
            if (group.size > 1)
            {
                group.stages.push_back(stages.back());
            }
            break;
        case ParallelDimension::WORLD:
            group = {static_cast<uint32_t>(strategy.GetRankCount()), stages};
            break;
        default:
            group.size = strategy.GetSize(dimension);
        }
    }
    return config;
}

IterationReplay::IterationReplay(Config config, const CommunicationCost& cost)
    : m_config(std::move(config)),
      m_cost(cost)
{
    NS_ABORT_MSG_UNLESS(m_config.factory && m_config.stageOf,
                        "a replay has no graph factory or does not know the stages of ranks");
    const double share = m_config.communicationSlowDown;
    if (!(share >= 0 && share < 1))
    {
        RefuseInput("communication slow-down = " + std::to_string(share) +
                    ", but must be a share from 0 to below 1");
    }
    if (m_config.ranks.empty())
    {
        RefuseInput("a replay needs at least one stage");
    }
    for (const Group& group : m_config.groups)
    {
        for (const uint32_t stage : group.stages)
        {
            if (stage >= m_config.ranks.size())
            {
                RefuseInput("a group names stage " + std::to_string(stage) + "; the replay has " +
                            std::to_string(m_config.ranks.size()) + ", counted from 0");
            }
        }
    }
}

ReplayResult
IterationReplay::Run()
{
    NS_ABORT_MSG_UNLESS(m_stages.empty(), "a replay is run twice");
    m_stages.resize(m_config.ranks.size());
    for (uint32_t index = 0; index < m_stages.size(); ++index)
    {
        Stage& stage = m_stages[index];
        stage.graph = m_config.factory(m_config.ranks[index]);
        stage.tasks = std::make_unique<TaskWindow>(*stage.graph, m_config.window);
        stage.progress = ComputeProgress(m_config.communicationSlowDown);
        stage.tasks->Restart();
    }
    for (uint32_t index = 0; index < m_stages.size(); ++index)
    {
        Advance(index);
    }
    while (!m_events.empty())
    {
        const Event event = m_events.top();
        m_events.pop();
        if (!IsStale(event))
        {
            m_now = event.time;
            Finish(event);
        }
    }
    return Conclude();
}

void
IterationReplay::Advance(uint32_t index)
{
    TaskWindow& tasks = *m_stages[index].tasks;
    tasks.Fill();
    for (const uint64_t id : tasks.FindStartable())
    {
        const TrainingTask& task = tasks.Start(id, m_now);
        switch (task.kind)
        {
        case TrainingTask::COMPUTE:
            StartCompute(index, task);
            break;
        case TrainingTask::SEND:
            StartSend(index, task);
            break;
        case TrainingTask::RECEIVE:
            StartReceive(index, task);
            break;
        default:
            StartCollective(index, task);
        }
    }
}

bool
IterationReplay::IsStale(const Event& event) const
{
    const Stage& stage = m_stages[event.stage];
    return event.computes && !(stage.computing && stage.computeId == event.task &&
                               stage.progress.GetEnd() == event.time);
}

void
IterationReplay::Finish(const Event& event)
{
    Stage& stage = m_stages[event.stage];
    Account(stage);
    const TaskWindow::Entry entry = stage.tasks->Finish(event.task);
    if (entry.task.kind == TrainingTask::COMPUTE)
    {
        stage.computing = false;
    }
    else if (IsCollective(entry.task) &&
             m_config.groups[static_cast<std::size_t>(entry.task.dimension)].size > 1)
    {
        SetCollectives(event.stage, stage.collectives - 1);
    }
    ++m_tasksDone;
    stage.end = m_now;
    if (m_config.listener)
    {
        m_config.listener(event.stage, entry.task, entry.start, m_now);
    }
    Advance(event.stage);
}

void
IterationReplay::StartCompute(uint32_t index, const TrainingTask& task)
{
    Stage& stage = m_stages[index];
    stage.computing = true;
    stage.computeId = task.id;
    stage.progress.Begin(m_now, task.duration, stage.collectives > 0);
    m_events.push({stage.progress.GetEnd(), index, task.id, true});
}

void
IterationReplay::SetCollectives(uint32_t index, uint32_t collectives)
{
    Stage& stage = m_stages[index];
    const bool changed = (stage.collectives > 0) != (collectives > 0);
    stage.collectives = collectives;
    if (changed && stage.computing && m_config.communicationSlowDown > 0)
    {
        stage.progress.SetShared(m_now, collectives > 0);
        m_events.push({stage.progress.GetEnd(), index, stage.computeId, true});
    }
}

void
IterationReplay::StartCollective(uint32_t index, const TrainingTask& task)
{
    const Group& group = m_config.groups[static_cast<std::size_t>(task.dimension)];
    if (group.size < 2)
    {
        m_events.push({m_now, index, task.id, false});
        return;
    }
    SetCollectives(index, m_stages[index].collectives + 1);
    if (!group.stages.empty())
    {
        Meet(index, task, group);
        return;
    }
    const Time time = m_cost.GetCollectiveTime(task.dimension, task.kind, task.bytes, group.size);
    m_events.push({m_now + time, index, task.id, false});
}

void
IterationReplay::Meet(uint32_t index, const TrainingTask& task, const Group& group)
{
    Meeting& meeting = m_meetings[static_cast<std::size_t>(task.dimension)];
    if (std::count(group.stages.begin(), group.stages.end(), index) == 0)
    {
        RefuseInput(Describe(index) + " is not in the group of its " + TaskWindow::Describe(task));
    }
    if (meeting.tasks.empty())
    {
        meeting.kind = task.kind;
        meeting.bytes = task.bytes;
    }
    else if (meeting.kind != task.kind || meeting.bytes != task.bytes)
    {
        RefuseInput(Describe(index) + " comes to the " + TaskWindow::Describe(task) + ", but " +
                    Describe(meeting.tasks.front().first) + " to one of other kind or of " +
                    std::to_string(meeting.bytes) + " bytes");
    }
    meeting.tasks.emplace_back(index, task.id);
    if (meeting.tasks.size() < group.stages.size())
    {
        return;
    }
    const Time end =
        m_now + m_cost.GetCollectiveTime(task.dimension, task.kind, task.bytes, group.size);
    for (const auto& [stage, id] : meeting.tasks)
    {
        m_events.push({end, stage, id, false});
    }
    meeting.tasks.clear();
}

uint32_t
IterationReplay::FindPeer(uint32_t index, const TrainingTask& task) const
{
    const uint32_t peer = m_config.stageOf(task.peer);
    if (peer >= m_stages.size())
    {
        RefuseInput(Describe(index) + " has a peer in stage " + std::to_string(peer) +
                    ", which there is not: " + TaskWindow::Describe(task));
    }
    return peer;
}

void
IterationReplay::StartSend(uint32_t index, const TrainingTask& task)
{
    const uint32_t peer = FindPeer(index, task);
    Channel& channel = m_channels[{task.dimension, index, peer}];
    if (!task.rendezvous)
    {
        Transmit(index, task.id, m_now, m_now);
    }
    else if (channel.awaited)
    {
        Transmit(index, task.id, m_now, std::max(m_now, channel.asked));
    }
    else
    {
        channel.offered.emplace_back(task.id, m_now);
    }
}

void
IterationReplay::Transmit(uint32_t index, uint64_t id, Time started, Time from)
{
    const TrainingTask& task = m_stages[index].tasks->Get(id);
    const uint32_t peer = FindPeer(index, task);
    const MessageCost cost = m_cost.GetMessageCost(task.dimension, task.bytes);
    const Time handed = from + cost.launch;
    m_events.push({handed, index, task.id, false});
    Time& out = m_nics[{task.dimension, index}].out;
    Time& in = m_nics[{task.dimension, peer}].in;
    out = in = std::max({handed, out, in}) + cost.transfer;
    Channel& channel = m_channels[{task.dimension, index, peer}];
    channel.sent.push_back({started, out + cost.latency, task.bytes});
    if (channel.awaited)
    {
        Deliver(channel, index, peer);
    }
}

void
IterationReplay::StartReceive(uint32_t index, const TrainingTask& task)
{
    const uint32_t peer = FindPeer(index, task);
    Channel& channel = m_channels[{task.dimension, peer, index}];
    channel.awaited = true;
    channel.receive = task.id;
    const MessageCost cost = m_cost.GetMessageCost(task.dimension, task.bytes);
    channel.ready = m_now + cost.launch;
    channel.asked = channel.ready + cost.latency;
    channel.bytes = task.bytes;
    if (IsPipelineReceive(task))
    {
        m_stages[index].peerStart = Time::Max();
    }
    if (!channel.offered.empty())
    {
        const auto [id, started] = channel.offered.front();
        channel.offered.pop_front();
        Transmit(peer, id, started, channel.asked);
    }
    else if (!channel.sent.empty())
    {
        Deliver(channel, peer, index);
    }
}

void
IterationReplay::Deliver(Channel& channel, uint32_t source, uint32_t destination)
{
    const Channel::Message message = channel.sent.front();
    channel.sent.pop_front();
    channel.awaited = false;
    Stage& stage = m_stages[destination];
    const TrainingTask& task = stage.tasks->Get(channel.receive);
    if (message.bytes != channel.bytes)
    {
        RefuseInput(Describe(source) + " sends " + std::to_string(message.bytes) + " bytes where " +
                    Describe(destination) + " has the " + TaskWindow::Describe(task));
    }
    if (IsPipelineReceive(task))
    {
        stage.peerStart = message.start;
    }
    m_events.push({std::max(message.arrival, channel.ready), destination, channel.receive, false});
}

void
IterationReplay::Account(Stage& stage)
{
    if (stage.computing)
    {
        stage.account.compute += m_now - stage.accounted;
    }
    else if (m_now > stage.accounted)
    {
        const TaskWindow::Entry* blocker = stage.tasks->FindBlocker();
        NS_ABORT_MSG_UNLESS(blocker, "a stage was idle with a task that could start");
        stage.account.AddIdle(blocker->task, stage.peerStart, stage.accounted, m_now);
    }
    stage.accounted = m_now;
}

std::string
IterationReplay::Describe(uint32_t index) const
{
    return "stage " + std::to_string(index) + " (rank " + std::to_string(m_config.ranks[index]) +
           ")";
}

ReplayResult
IterationReplay::Conclude()
{
    ReplayResult result;
    result.time = m_now;
    result.tasks = m_tasksDone;
    for (uint32_t index = 0; index < m_stages.size(); ++index)
    {
        Stage& stage = m_stages[index];
        if (stage.tasks->IsDone())
        {
            stage.account.bubble += m_now - stage.accounted;
        }
        else
        {
            Account(stage);
            for (const std::string& line : stage.tasks->DescribeUnfinished())
            {
                result.unfinished.push_back(Describe(index) + ": " + line);
            }
        }
        result.accounts.push_back(stage.account);
        result.ends.push_back(stage.end);
    }
    return result;
}

} // namespace ns3::llm
