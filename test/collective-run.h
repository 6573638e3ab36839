// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_COLLECTIVE_RUN_H
#define LLM_FABRIC_TEST_COLLECTIVE_RUN_H

#include "engine-test-support.h"

#include "ns3/boolean.h"
#include "ns3/cluster.h"
#include "ns3/collective-bound.h"
#include "ns3/communicator.h"
#include "ns3/config.h"
#include "ns3/ideal-time.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Operations of groups on a cluster, with their contributions followed.
 */

namespace ns3::llm
{

/** A cluster of a test. */
struct ClusterOptions
{
    std::string helper = "ns3::llm::SingleSwitchHelper";   //!< TypeId of the topology
    uint32_t accelerators = 8;                             //!< in all
    uint32_t domainSize = 1;                               //!< K
    std::string fidelity = "fluid";                        //!< of the HB domains
    std::string control = "ns3::llm::NoCongestionControl"; //!< of the NIC network
};

/** One operation of one group. */
struct GroupOperation
{
    CollectiveRequest request;          //!< what to do
    std::string algorithm = "auto";     //!< attribute Algorithm
    std::vector<uint32_t> accelerators; //!< of each rank
    std::vector<Time> starts;           //!< of each rank; none: all at 0
    uint32_t priority = 0;              //!< attribute Priority
};

/** What came of a group's operation. */
struct GroupOutcome
{
    std::vector<Time> done; //!< when each rank was done
    Time last;              //!< when the last was
    Time ideal;             //!< of the operation alone
    Time bound;             //!< that nothing beats
};

/** Runs operations on a cluster until nothing is left to do. */
class CollectiveRun
{
  public:
    /** @param options the cluster */
    explicit CollectiveRun(const ClusterOptions& options)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue(options.control));
        ObjectFactory factory(options.helper);
        factory.Set("Accelerators", UintegerValue(options.accelerators));
        factory.Set("DomainSize", UintegerValue(options.domainSize));
        factory.Set("DomainFidelity", StringValue(options.fidelity));
        m_cluster = factory.Create<TopologyHelper>()->Build();
    }

    /**
     * Run operations, all at once.
     * @param operations one for each group
     * @return what came of them
     */
    std::vector<GroupOutcome> Run(const std::vector<GroupOperation>& operations)
    {
        std::vector<GroupOutcome> outcomes(operations.size());
        std::vector<Ptr<Communicator>> communicators;
        for (uint32_t group = 0; group < operations.size(); ++group)
        {
            communicators.push_back(Start(group, operations[group], outcomes[group]));
        }
        Simulator::Run();
        for (uint32_t group = 0; group < operations.size(); ++group)
        {
            for (const std::string& line : communicators[group]->DescribeUnfinished())
            {
                m_unfinished += line + "\n";
            }
            Conclude(*communicators[group], operations[group].request, outcomes[group]);
        }
        return outcomes;
    }

    /** @return operations that did not end, in words */
    const std::string& GetUnfinished() const
    {
        return m_unfinished;
    }

    /** @return the cluster */
    Ptr<Cluster> GetCluster() const
    {
        return m_cluster;
    }

  private:
    /** @param time set to now */
    static void NoteDone(Time* time)
    {
        *time = Simulator::Now();
    }

    /** @param id of the group @param operation its @param outcome gets the times @return the group */
    Ptr<Communicator> Start(uint32_t id, const GroupOperation& operation, GroupOutcome& outcome)
    {
        const std::vector<uint32_t>& accelerators = operation.accelerators;
        outcome.done.resize(accelerators.size());
        auto communicator = CreateObject<Communicator>();
        communicator->SetAttribute("Algorithm", StringValue(operation.algorithm));
        communicator->SetAttribute("CheckContributions", BooleanValue(true));
        communicator->SetAttribute("Priority", UintegerValue(operation.priority));
        communicator->SetTransport(m_cluster->GetTransport());
        communicator->SetLocality(m_cluster);
        communicator->SetGroup(id, "group " + std::to_string(id), accelerators);
        for (uint32_t rank = 0; rank < accelerators.size(); ++rank)
        {
            Simulator::ScheduleWithContext(m_cluster->GetNodeId(accelerators[rank]),
                                           operation.starts.empty() ? Time(0)
                                                                    : operation.starts[rank],
                                           &Communicator::Start,
                                           communicator,
                                           rank,
                                           operation.request,
                                           MakeBoundCallback(&NoteDone, &outcome.done[rank]));
        }
        return communicator;
    }

    /** @param group a group @param request its operation @param outcome gets ideal time and bound */
    void
    Conclude(const Communicator& group, const CollectiveRequest& request, GroupOutcome& outcome)
    {
        outcome.last = *std::max_element(outcome.done.begin(), outcome.done.end());
        const auto program = group.MakeProgram(request);
        outcome.ideal = EvaluateIdealTime(*program,
                                          group.GetAccelerators(),
                                          m_cluster,
                                          group.GetStepCosts(),
                                          group.GetId());
        outcome.bound =
            GetBandwidthBound(*program, group.GetAccelerators(), m_cluster, group.GetId());
    }

    EngineScope m_scope{FRAME_ENGINE}; //!< ends with this
    Ptr<Cluster> m_cluster;            //!< carries the messages
    std::string m_unfinished;          //!< in words
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_COLLECTIVE_RUN_H
