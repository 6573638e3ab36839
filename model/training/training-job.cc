// SPDX-License-Identifier: GPL-2.0-only

#include "training-job.h"

#include "training-application.h"

#include "ns3/communicator.h"
#include "ns3/input-error.h"
#include "ns3/locality.h"
#include "ns3/message-transport.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("TrainingJob");
NS_OBJECT_ENSURE_REGISTERED(TrainingJob);

TypeId
TrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::TrainingJob")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<TrainingJob>()
            .AddAttribute("Name",
                          "What reports call the job.",
                          StringValue("job"),
                          MakeStringAccessor(&TrainingJob::m_name),
                          MakeStringChecker())
            .AddAttribute("Iterations",
                          "How many training iterations to run.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TrainingJob::m_iterationCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "FirstOwner",
                "Id of the job's first communicator; those of jobs that share a transport "
                "must not overlap.",
                UintegerValue(0),
                MakeUintegerAccessor(&TrainingJob::m_firstOwner),
                MakeUintegerChecker<uint32_t>(0, MessageTransport::MAX_OWNERS - 1))
            .AddAttribute(
                "StallTime",
                "Stop the run when for this long no task has ended and none has computed.",
                TimeValue(Seconds(10)),
                MakeTimeAccessor(&TrainingJob::m_stallTime),
                MakeTimeChecker(TimeStep(1)))
            .AddTraceSource("Task",
                            "A rank has done a task: rank, task, start and end.",
                            MakeTraceSourceAccessor(&TrainingJob::m_taskTrace),
                            "ns3::llm::TrainingJob::TaskTracedCallback");
    return tid;
}

TrainingJob::TrainingJob()
{
    NS_LOG_FUNCTION(this);
}

TrainingJob::~TrainingJob()
{
    NS_LOG_FUNCTION(this);
}

void
TrainingJob::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_stallEvent.Cancel();
    m_applications.clear();
    m_communicators.clear();
    m_transport = nullptr;
    m_locality = nullptr;
    m_factory = nullptr;
    m_finished = Callback<void>();
    m_progress = Callback<void>();
    Object::DoDispose();
}

void
TrainingJob::SetLayout(const JobLayout& layout)
{
    NS_LOG_FUNCTION(this << layout.GetRankCount());
    m_layout = layout;
}

void
TrainingJob::SetGraphFactory(GraphFactory factory)
{
    m_factory = std::move(factory);
}

void
TrainingJob::SetTransport(Ptr<MessageTransport> transport)
{
    m_transport = transport;
}

void
TrainingJob::SetLocality(Ptr<const Locality> locality)
{
    m_locality = locality;
}

void
TrainingJob::SetFinishedCallback(Callback<void> finished)
{
    m_finished = finished;
}

void
TrainingJob::SetProgressCallback(Callback<void> progress)
{
    m_progress = progress;
}

CollectiveRequest
TrainingJob::MakeRequest(const TrainingTask& task)
{
    CollectiveRequest request;
    request.bytes = task.bytes;
    switch (task.kind)
    {
    case TrainingTask::ALL_REDUCE:
        request.operation = CollectiveOperation::ALL_REDUCE;
        break;
    case TrainingTask::ALL_GATHER:
        request.operation = CollectiveOperation::ALL_GATHER;
        break;
    case TrainingTask::REDUCE_SCATTER:
        request.operation = CollectiveOperation::REDUCE_SCATTER;
        break;
    case TrainingTask::ALL_TO_ALL:
        request.operation = CollectiveOperation::ALL_TO_ALL;
        break;
    case TrainingTask::SEND:
    case TrainingTask::RECEIVE:
        request.operation = CollectiveOperation::POINT_TO_POINT;
        request.rendezvous = task.rendezvous;
        break;
    case TrainingTask::COMPUTE:
        NS_ABORT_MSG("a compute task was handed over as communication");
    }
    return request;
}

void
TrainingJob::MakeCommunicators()
{
    const auto& groups = m_layout.GetGroups();
    for (uint32_t number = 0; number < groups.size(); ++number)
    {
        const JobGroup& group = groups[number];
        Ptr<Communicator> communicator;
        if (group.ranks.size() > 1)
        {
            communicator = CreateObject<Communicator>();
            communicator->SetTransport(m_transport);
            communicator->SetLocality(m_locality);
            communicator->SetGroup(m_firstOwner + number,
                                   group.name,
                                   m_layout.GetAccelerators(number));
        }
        m_communicators.push_back(communicator);
        m_collectives.AddGroup(group.dimension, static_cast<uint32_t>(group.ranks.size()));
    }
}

void
TrainingJob::Start()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_factory && m_transport && m_locality,
                        "job '" << m_name
                                << "' starts without graph factory, transport or locality");
    NS_ABORT_MSG_UNLESS(m_applications.empty(), "job '" << m_name << "' is started twice");
    m_layout.CheckFits(m_locality->GetAcceleratorCount());
    if (GetOwnerCount() > MessageTransport::MAX_OWNERS - m_firstOwner)
    {
        std::ostringstream text;
        text << "job '" << m_name << "' needs " << GetOwnerCount() << " communicators from id "
             << m_firstOwner << " on; a transport has ids for " << MessageTransport::MAX_OWNERS;
        RefuseInput(text.str());
    }
    MakeCommunicators();
    const uint32_t ranks = m_layout.GetRankCount();
    m_iterations.Open(ranks, m_iterationCount, Simulator::Now());
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        auto application = CreateObject<TrainingApplication>();
        application->Configure(rank,
                               m_factory(rank),
                               m_iterationCount,
                               m_layout.GetSlowDown(rank),
                               this);
        m_applications.push_back(application);
        const uint32_t node = m_locality->GetNodeId(m_layout.GetAccelerator(rank));
        NodeList::GetNode(node)->AddApplication(application);
    }
    m_stallEvent = Simulator::Schedule(m_stallTime, &TrainingJob::CheckStall, this);
}

void
TrainingJob::Launch(uint32_t rank, const TrainingTask& task, Callback<void> done)
{
    NS_LOG_FUNCTION(this << rank << task.id);
    const JobLayout::Seat seat = m_layout.FindSeat(rank, task);
    m_collectives.Started(seat.group, seat.place, task, Simulator::Now());
    if (const auto& communicator = m_communicators[seat.group])
    {
        communicator->Start(seat.place, MakeRequest(task), done);
    }
    else
    {
        done();
    }
}

Time
TrainingJob::GetPeerStart(uint32_t rank, const TrainingTask& task) const
{
    return m_collectives.GetSenderStart(m_layout.FindSeat(rank, task).group);
}

void
TrainingJob::TaskDone(uint32_t rank, const TrainingTask& task, Time start)
{
    m_taskTrace(rank, task, start, Simulator::Now());
    if (task.kind != TrainingTask::COMPUTE)
    {
        const JobLayout::Seat seat = m_layout.FindSeat(rank, task);
        m_collectives.Done(seat.group, seat.place, Simulator::Now());
    }
    ++m_tasksDone;
    if (!m_progress.IsNull())
    {
        m_progress();
    }
}

void
TrainingJob::IterationDone(uint32_t rank, uint32_t iteration, const RankAccount& account)
{
    NS_LOG_FUNCTION(this << rank << iteration);
    m_iterations.Add(rank, iteration, account, Simulator::Now());
}

void
TrainingJob::RankDone(uint32_t rank)
{
    NS_LOG_FUNCTION(this << rank);
    if (++m_ranksDone < m_layout.GetRankCount())
    {
        return;
    }
    m_iterations.Close(Simulator::Now());
    // nothing of the job may keep the simulation alive; a cancelled event would still take its time
    Simulator::Remove(m_stallEvent);
    if (!m_finished.IsNull())
    {
        m_finished();
    }
}

void
TrainingJob::CheckStall()
{
    NS_LOG_FUNCTION(this);
    bool computing = false;
    for (const auto& application : m_applications)
    {
        computing = computing || application->IsComputing();
    }
    if (computing || m_tasksDone != m_tasksAtCheck)
    {
        m_tasksAtCheck = m_tasksDone;
        m_stallEvent = Simulator::Schedule(m_stallTime, &TrainingJob::CheckStall, this);
        return;
    }
    m_stalled = true;
    Simulator::Stop();
}

bool
TrainingJob::IsFinished() const
{
    return !m_applications.empty() && m_ranksDone == m_applications.size();
}

bool
TrainingJob::IsStalled() const
{
    return m_stalled;
}

std::vector<std::string>
TrainingJob::DescribeUnfinished() const
{
    std::vector<std::string> lines;
    for (uint32_t rank = 0; rank < m_applications.size(); ++rank)
    {
        const auto& application = m_applications[rank];
        for (const std::string& line : application->DescribeUnfinished())
        {
            lines.push_back("rank " + std::to_string(rank) + " (accelerator " +
                            std::to_string(m_layout.GetAccelerator(rank)) + "), iteration " +
                            std::to_string(application->GetIteration()) + ": " + line);
        }
    }
    for (const auto& communicator : m_communicators)
    {
        if (communicator)
        {
            const auto more = communicator->DescribeUnfinished();
            lines.insert(lines.end(), more.begin(), more.end());
        }
    }
    return lines;
}

std::string
TrainingJob::GetName() const
{
    return m_name;
}

const JobLayout&
TrainingJob::GetLayout() const
{
    return m_layout;
}

uint32_t
TrainingJob::GetIterationCount() const
{
    return m_iterationCount;
}

uint32_t
TrainingJob::GetOwnerCount() const
{
    return static_cast<uint32_t>(m_layout.GetGroups().size());
}

Ptr<MessageTransport>
TrainingJob::GetTransport() const
{
    return m_transport;
}

Ptr<const Locality>
TrainingJob::GetLocality() const
{
    return m_locality;
}

const TrainingJob::GraphFactory&
TrainingJob::GetGraphFactory() const
{
    return m_factory;
}

uint64_t
TrainingJob::GetTasksDone() const
{
    return m_tasksDone;
}

const IterationLog&
TrainingJob::GetIterations() const
{
    return m_iterations;
}

const CollectiveLog&
TrainingJob::GetCollectives() const
{
    return m_collectives;
}

Ptr<Communicator>
TrainingJob::GetCommunicator(uint32_t group) const
{
    return m_communicators.at(group);
}

} // namespace ns3::llm
