// SPDX-License-Identifier: GPL-2.0-only

#include "collective-runner.h"

#include "ns3/collective-bound.h"
#include "ns3/ideal-time.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

namespace ns3::llm
{

CollectiveRunner::CollectiveRunner(Ptr<Cluster> cluster,
                                   const std::vector<uint32_t>& accelerators,
                                   const CollectiveRequest& request,
                                   const std::string& algorithm)
    : CollectiveRunner(cluster,
                       accelerators,
                       std::vector<CollectiveRequest>(accelerators.size(), request),
                       algorithm)
{
}

CollectiveRunner::CollectiveRunner(Ptr<Cluster> cluster,
                                   const std::vector<uint32_t>& accelerators,
                                   const std::vector<CollectiveRequest>& calls,
                                   const std::string& algorithm)
    : m_cluster(cluster),
      m_request(calls.at(0)),
      m_communicator(CreateObject<Communicator>())
{
    if (!algorithm.empty() && algorithm != "auto")
    {
        m_communicator->SetAttribute("Algorithm", StringValue(algorithm));
    }
    m_communicator->SetTransport(cluster->GetTransport());
    m_communicator->SetLocality(cluster);
    m_communicator->SetGroup(0, "all", accelerators);
    m_communicator->TraceConnectWithoutContext("OperationDone",
                                               MakeCallback(&CollectiveRunner::NoteRecord, this));
    for (uint32_t rank = 0; rank < accelerators.size(); ++rank)
    {
        Simulator::ScheduleWithContext(cluster->GetNodeId(accelerators[rank]),
                                       Time(0),
                                       &Communicator::Start,
                                       m_communicator,
                                       rank,
                                       calls.at(rank),
                                       MakeCallback(&CollectiveRunner::RankDone, this));
    }
}

void
CollectiveRunner::RankDone()
{
    ++m_doneCount;
    m_lastDone = Simulator::Now();
}

void
CollectiveRunner::NoteRecord(const OperationRecord& record)
{
    m_remark = record.remark;
}

std::vector<std::string>
CollectiveRunner::GetComplaints() const
{
    std::vector<std::string> result;
    for (const std::string& line : m_communicator->DescribeUnfinished())
    {
        result.push_back("unfinished: " + line);
    }
    for (const std::string& fault : m_cluster->GetFaults())
    {
        result.push_back("fault: " + fault);
    }
    return result;
}

CollectiveOutcome
CollectiveRunner::GetOutcome() const
{
    const std::vector<uint32_t>& accelerators = m_communicator->GetAccelerators();
    const auto program = m_communicator->MakeProgram(m_request);
    CollectiveOutcome result;
    result.time = m_lastDone;
    result.ideal = EvaluateIdealTime(*program,
                                     accelerators,
                                     m_cluster,
                                     m_communicator->GetStepCosts(),
                                     m_communicator->GetId());
    result.bound = GetBandwidthBound(*program, accelerators, m_cluster, m_communicator->GetId());
    result.algorithmBandwidth = GetAlgorithmBandwidth(m_request, result.time);
    result.busBandwidth = GetBusBandwidth(m_request, GetSize(), result.time);
    result.remark = m_remark;
    return result;
}

} // namespace ns3::llm
