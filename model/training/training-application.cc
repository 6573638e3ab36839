// SPDX-License-Identifier: GPL-2.0-only

#include "training-application.h"

#include "training-runtime.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("TrainingApplication");
NS_OBJECT_ENSURE_REGISTERED(TrainingApplication);

TypeId
TrainingApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::TrainingApplication")
            .SetParent<Application>()
            .SetGroupName("LlmFabric")
            .AddConstructor<TrainingApplication>()
            .AddAttribute(
                "Window",
                "Most unfinished tasks that a rank takes from its graph at a time; bounds "
                "memory. Must cover what a rank can have under way at once.",
                UintegerValue(1024),
                MakeUintegerAccessor(&TrainingApplication::m_window),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "CommunicationSlowDown",
                "Share of the accelerator that its collectives hold: while at least one of the "
                "rank runs, compute goes on at rate 1 - share. NCCL with 24 channels holds 24 of "
                "the 108 multiprocessors of an A100. Messages between stages hold nothing.",
                DoubleValue(0),
                MakeDoubleAccessor(&TrainingApplication::m_collectiveShare),
                MakeDoubleChecker<double>(0, 0.99));
    return tid;
}

TrainingApplication::TrainingApplication()
{
    NS_LOG_FUNCTION(this);
}

TrainingApplication::~TrainingApplication()
{
    NS_LOG_FUNCTION(this);
}

void
TrainingApplication::Configure(uint32_t rank,
                               std::unique_ptr<TrainingGraph> graph,
                               uint32_t iterations,
                               double slowDown,
                               TrainingRuntime* runtime)
{
    NS_LOG_FUNCTION(this << rank << iterations << slowDown);
    NS_ABORT_MSG_UNLESS(graph && runtime, "rank " << rank << " has no graph or no runtime");
    NS_ABORT_MSG_IF(iterations == 0, "rank " << rank << " was given no iteration to run");
    NS_ABORT_MSG_UNLESS(std::isfinite(slowDown) && slowDown > 0,
                        "slow-down factor of rank " << rank << " is " << slowDown
                                                    << ", must be above 0");
    m_rank = rank;
    m_graph = std::move(graph);
    m_iterations = iterations;
    m_slowDown = slowDown;
    m_runtime = runtime;
}

void
TrainingApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_runtime, "a TrainingApplication starts without Configure()");
    m_tasks = std::make_unique<TaskWindow>(*m_graph, m_window);
    m_progress = ComputeProgress(m_collectiveShare);
    m_accounted = Simulator::Now();
    m_tasks->Restart();
    Advance();
}

void
TrainingApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_computeEvent.Cancel();
    m_issueEvent.Cancel();
}

void
TrainingApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_computeEvent.Cancel();
    m_issueEvent.Cancel();
    m_tasks.reset();
    m_graph.reset();
    m_runtime = nullptr;
    Application::DoDispose();
}

bool
TrainingApplication::IsDone() const
{
    return m_iteration == m_iterations;
}

bool
TrainingApplication::IsComputing() const
{
    return m_computing;
}

uint32_t
TrainingApplication::GetIteration() const
{
    return m_iteration;
}

std::vector<std::string>
TrainingApplication::DescribeUnfinished() const
{
    if (IsDone())
    {
        return {};
    }
    return m_tasks ? m_tasks->DescribeUnfinished() : std::vector<std::string>{"has not started"};
}

void
TrainingApplication::Advance()
{
    NS_LOG_FUNCTION(this);
    while (!IsDone())
    {
        m_tasks->Fill();
        if (!m_tasks->IsDone())
        {
            StartTasks();
            return;
        }
        m_runtime->IterationDone(m_rank, m_iteration, m_account);
        m_account = RankAccount();
        if (++m_iteration < m_iterations)
        {
            m_tasks->Restart();
        }
        else
        {
            m_runtime->RankDone(m_rank);
        }
    }
}

void
TrainingApplication::StartTasks()
{
    const Time now = Simulator::Now();
    for (const uint64_t id : m_tasks->FindStartable())
    {
        const TrainingTask& task = m_tasks->Start(id, now);
        if (task.kind != TrainingTask::COMPUTE)
        {
            m_due.push_back({id, now});
            ScheduleIssue();
            continue;
        }
        m_computing = true;
        m_computeId = id;
        Time duration = task.duration;
        if (m_slowDown != 1)
        {
            duration =
                TimeStep(std::llround(static_cast<double>(duration.GetTimeStep()) * m_slowDown));
        }
        m_progress.Begin(now, duration, m_collectives > 0);
        ScheduleComputeEnd();
    }
}

void
TrainingApplication::ScheduleComputeEnd()
{
    m_computeEvent = Simulator::Schedule(m_progress.GetEnd() - Simulator::Now(),
                                         &TrainingApplication::ComputeDone,
                                         this);
}

void
TrainingApplication::SetCollectives(uint32_t collectives)
{
    const bool changed = (m_collectives > 0) != (collectives > 0);
    m_collectives = collectives;
    if (changed && m_computing && m_collectiveShare > 0)
    {
        m_progress.SetShared(Simulator::Now(), collectives > 0);
        // a cancelled event would still take its time
        Simulator::Remove(m_computeEvent);
        ScheduleComputeEnd();
    }
}

void
TrainingApplication::ScheduleIssue()
{
    if (m_issueEvent.IsExpired())
    {
        m_issueEvent = Simulator::Schedule(TimeStep(1), &TrainingApplication::Issue, this);
    }
}

void
TrainingApplication::Issue()
{
    NS_LOG_FUNCTION(this);
    const Time now = Simulator::Now();
    // what started in this very tick waits for the next: more may still start in this one
    const auto later = std::stable_partition(m_due.begin(),
                                             m_due.end(),
                                             [&](const DueTask& due) { return due.start < now; });
    std::vector<DueTask> due(m_due.begin(), later);
    m_due.erase(m_due.begin(), later);
    std::sort(due.begin(),
              due.end(),
              [](const DueTask& a, const DueTask& b) { return a.id < b.id; });
    if (!m_due.empty())
    {
        m_issueEvent = Simulator::Schedule(TimeStep(1), &TrainingApplication::Issue, this);
    }
    for (const DueTask& item : due)
    {
        // a copy: the task may be done, and gone, before Launch() returns
        const TrainingTask task = m_tasks->Get(item.id);
        SetCollectives(m_collectives + (IsCollective(task) ? 1 : 0));
        m_runtime->Launch(
            m_rank,
            task,
            MakeCallback(&TrainingApplication::CommunicationDone, this).Bind(item.id));
    }
}

void
TrainingApplication::ComputeDone()
{
    NS_LOG_FUNCTION(this << m_computeId);
    Account();
    m_computing = false;
    FinishTask(m_computeId);
}

void
TrainingApplication::CommunicationDone(uint64_t id)
{
    NS_LOG_FUNCTION(this << id);
    Account();
    FinishTask(id);
}

void
TrainingApplication::FinishTask(uint64_t id)
{
    const TaskWindow::Entry entry = m_tasks->Finish(id);
    SetCollectives(m_collectives - (IsCollective(entry.task) ? 1 : 0));
    m_runtime->TaskDone(m_rank, entry.task, entry.start);
    Advance();
}

void
TrainingApplication::Account()
{
    const Time now = Simulator::Now();
    if (m_computing)
    {
        m_account.compute += now - m_accounted;
    }
    else if (now > m_accounted)
    {
        AccountIdle(m_accounted, now);
    }
    m_accounted = now;
}

void
TrainingApplication::AccountIdle(Time from, Time to)
{
    const TaskWindow::Entry* blocker = m_tasks->FindBlocker();
    NS_ABORT_MSG_UNLESS(blocker, "rank " << m_rank << " was idle with a task that could start");
    const bool receives = IsPipelineReceive(blocker->task);
    const Time peerStart = receives ? m_runtime->GetPeerStart(m_rank, blocker->task) : Time::Max();
    m_account.AddIdle(blocker->task, peerStart, from, to);
}

} // namespace ns3::llm
