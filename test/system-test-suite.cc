// SPDX-License-Identifier: GPL-2.0-only

#include "cluster-conservation.h"
#include "engine-test-support.h"

#include "ns3/cluster.h"
#include "ns3/collective-bound.h"
#include "ns3/communicator.h"
#include "ns3/config.h"
#include "ns3/frame-digest.h"
#include "ns3/ideal-time.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * The whole way from a collective to frames: clusters, communicators, RDMA, switches.
 */

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What to run. */
struct Scenario
{
    std::string helper;                                              //!< TypeId of the topology
    CollectiveOperation operation = CollectiveOperation::ALL_REDUCE; //!< the operation
    uint64_t bytes = 1 << 20;                                        //!< S
    uint32_t accelerators = 16;                                      //!< in the cluster
    uint32_t domainSize = 8;                                         //!< K
    uint32_t ranks = 8;                                              //!< of each group
    uint32_t stride = 1;                                             //!< between ranks of a group
    uint32_t groups = 1;                                             //!< at once
    uint32_t groupStride = 0;                              //!< between first ranks of groups
    std::string fidelity = "fluid";                        //!< of the HB domains
    std::string control = "ns3::llm::NoCongestionControl"; //!< of the NIC network
    std::string engine = FRAME_ENGINE;                     //!< simulator
    uint32_t seed = 1;                                     //!< run number

    /** @return one line */
    std::string Describe() const
    {
        std::ostringstream text;
        text << GetName(operation) << " of " << bytes << " B, " << ranks << " ranks on " << helper
             << " with " << fidelity << " domains";
        return text.str();
    }
};

/** What came of it. */
struct Outcome
{
    std::vector<Time> done; //!< of each rank of each group
    Time last;              //!< of all
    Time ideal;             //!< of the first group
    Time bound;             //!< of the first group
    uint64_t digest = 0;    //!< hash of all frames
    uint64_t frames = 0;    //!< frames x links
    uint64_t marks = 0;     //!< ECN marks
    uint64_t pauses = 0;    //!< PFC pauses
    std::size_t faults = 0; //!< anything that went wrong
    std::string unfinished; //!< what is open at the end
};

/**
 * Note when a rank is done.
 * @param time set to now
 */
void
NoteDone(Time* time)
{
    *time = Simulator::Now();
}

/**
 * @param scenario what
 * @return the cluster
 */
Ptr<Cluster>
BuildCluster(const Scenario& scenario)
{
    Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl", StringValue(scenario.control));
    Config::SetDefault("ns3::llm::Communicator::Algorithm", StringValue("ns3::llm::RingAlgorithm"));
    ObjectFactory factory(scenario.helper);
    factory.Set("Accelerators", UintegerValue(scenario.accelerators));
    factory.Set("DomainSize", UintegerValue(scenario.domainSize));
    factory.Set("DomainFidelity", StringValue(scenario.fidelity));
    return factory.Create<TopologyHelper>()->Build();
}

/**
 * @param scenario what
 * @return what came of it
 */
Outcome
Simulate(const Scenario& scenario)
{
    EngineScope scope(scenario.engine);
    RngSeedManager::SetRun(scenario.seed);
    Outcome outcome;
    Ptr<Cluster> cluster = BuildCluster(scenario);
    FrameDigest digest;
    cluster->SetObserver(&digest);
    ClusterConservation conservation(cluster);
    CollectiveRequest request;
    request.operation = scenario.operation;
    request.bytes = scenario.bytes;
    std::vector<Ptr<Communicator>> communicators;
    outcome.done.resize(scenario.groups * scenario.ranks);
    for (uint32_t g = 0; g < scenario.groups; ++g)
    {
        std::vector<uint32_t> accelerators;
        for (uint32_t r = 0; r < scenario.ranks; ++r)
        {
            accelerators.push_back(g * scenario.groupStride + r * scenario.stride);
        }
        auto communicator = CreateObject<Communicator>();
        communicator->SetTransport(cluster->GetTransport());
        communicator->SetLocality(cluster);
        communicator->SetGroup(g, "group " + std::to_string(g), accelerators);
        for (uint32_t r = 0; r < scenario.ranks; ++r)
        {
            Simulator::ScheduleWithContext(
                cluster->GetNodeId(accelerators[r]),
                Time(0),
                &Communicator::Start,
                communicator,
                r,
                request,
                MakeBoundCallback(&NoteDone, &outcome.done[g * scenario.ranks + r]));
        }
        communicators.push_back(communicator);
    }
    Simulator::Run();
    conservation.Require();
    for (const auto& communicator : communicators)
    {
        for (const auto& line : communicator->DescribeUnfinished())
        {
            outcome.unfinished += line + "\n";
        }
    }
    outcome.last = *std::max_element(outcome.done.begin(), outcome.done.end());
    const auto program = communicators[0]->MakeProgram(request);
    outcome.ideal = EvaluateIdealTime(*program,
                                      communicators[0]->GetAccelerators(),
                                      cluster,
                                      communicators[0]->GetStepCosts());
    outcome.bound = GetBandwidthBound(*program, communicators[0]->GetAccelerators(), cluster);
    outcome.digest = digest.GetHash();
    outcome.frames = digest.GetFrameCount();
    outcome.faults = cluster->GetFaults().size();
    for (const auto& counter : cluster->GetCounters())
    {
        outcome.marks += counter.name == "ECN marks" ? counter.value : 0;
        outcome.pauses += counter.name == "pauses" ? counter.value : 0;
    }
    return outcome;
}

/** A lone collective takes its ideal time within 1 %, and never less than the bound. */
class IdealTimeCase : public TestCase
{
  public:
    /** @param scenario what to run */
    explicit IdealTimeCase(const Scenario& scenario)
        : TestCase("ideal time: " + scenario.Describe()),
          m_scenario(scenario)
    {
    }

  private:
    void DoRun() override
    {
        const Outcome outcome = Simulate(m_scenario);
        NS_TEST_ASSERT_MSG_EQ(outcome.unfinished, "", "all ranks are done");
        NS_TEST_ASSERT_MSG_EQ(outcome.faults, 0, "nothing went wrong");
        NS_TEST_ASSERT_MSG_GT(outcome.bound, Time(0), "there is a bound");
        NS_TEST_ASSERT_MSG_EQ_TOL(outcome.last.GetDouble() / outcome.ideal.GetDouble(),
                                  1.0,
                                  0.01,
                                  "simulated over ideal time");
        NS_TEST_ASSERT_MSG_GT_OR_EQ(outcome.last, outcome.bound, "nothing beats the bound");
        NS_TEST_ASSERT_MSG_GT_OR_EQ(outcome.ideal, outcome.bound, "nor does the ideal time");
    }

    Scenario m_scenario; //!< what to run
};

/** The same traffic takes the same time, to the picosecond, on two fabrics. */
class EqualFabricsCase : public TestCase
{
  public:
    /**
     * @param name of the traffic
     * @param scenario what to run, but for the fabric
     */
    EqualFabricsCase(const std::string& name, const Scenario& scenario)
        : TestCase(name + " is equal on rail-only and rail-optimized, " + scenario.fidelity),
          m_scenario(scenario)
    {
    }

  private:
    void DoRun() override
    {
        Scenario scenario = m_scenario;
        scenario.helper = "ns3::llm::RailOnlyHelper";
        const Outcome railOnly = Simulate(scenario);
        scenario.helper = "ns3::llm::RailOptimizedHelper";
        const Outcome railOptimized = Simulate(scenario);
        NS_TEST_ASSERT_MSG_EQ(railOnly.marks + railOnly.pauses, 0, "no mark and no pause");
        for (std::size_t i = 0; i < railOnly.done.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_GT(railOnly.done[i], Time(0), "rank " << i << " is done");
            NS_TEST_ASSERT_MSG_EQ(railOnly.done[i], railOptimized.done[i], "time of rank " << i);
        }
    }

    Scenario m_scenario; //!< what to run
};

/** The same seed gives the same frames at the same picoseconds, under both engines. */
class SameSeedCase : public TestCase
{
  public:
    /** @param scenario what to run, with marks and pauses */
    explicit SameSeedCase(const Scenario& scenario)
        : TestCase("same seed, same frames: " + scenario.Describe()),
          m_scenario(scenario)
    {
    }

  private:
    void DoRun() override
    {
        const Outcome first = Simulate(m_scenario);
        const Outcome second = Simulate(m_scenario);
        Scenario other = m_scenario;
        other.engine = DEFAULT_ENGINE;
        const Outcome third = Simulate(other);
        NS_TEST_ASSERT_MSG_GT(first.marks, 0, "chance plays a part");
        NS_TEST_ASSERT_MSG_EQ(first.digest, second.digest, "two runs");
        NS_TEST_ASSERT_MSG_EQ(first.digest, third.digest, "two engines");
        NS_TEST_ASSERT_MSG_EQ(first.last, third.last, "two engines, end");
        other.engine = FRAME_ENGINE;
        other.seed = m_scenario.seed + 1;
        NS_TEST_ASSERT_MSG_NE(first.digest, Simulate(other).digest, "another seed");
    }

    Scenario m_scenario; //!< what to run
};

/** The suite. */
class SystemTestSuite : public TestSuite
{
  public:
    SystemTestSuite()
        : TestSuite("llm-fabric-system", TestSuite::Type::SYSTEM)
    {
        AddIdealTimes("ns3::llm::SingleSwitchHelper", 1, 1);
        AddIdealTimes("ns3::llm::RailOnlyHelper", 8, 8);
        AddIdealTimes("ns3::llm::RailOptimizedHelper", 8, 8);
        AddIdealTimes("ns3::llm::RailOnlyHelper", 8, 1);
        AddEqualFabrics();
        AddSameSeed();
    }

  private:
    /**
     * @param helper the topology
     * @param domainSize K
     * @param stride between ranks
     */
    void AddIdealTimes(const std::string& helper, uint32_t domainSize, uint32_t stride)
    {
        Scenario scenario;
        scenario.helper = helper;
        scenario.domainSize = domainSize;
        scenario.stride = stride;
        scenario.accelerators = 8 * std::max(domainSize, stride);
        for (const uint64_t megabytes : {1, 16, 256})
        {
            scenario.bytes = megabytes << 20;
            const bool isLong = megabytes > 16;
            for (const auto operation : {CollectiveOperation::ALL_REDUCE,
                                         CollectiveOperation::ALL_GATHER,
                                         CollectiveOperation::REDUCE_SCATTER,
                                         CollectiveOperation::POINT_TO_POINT})
            {
                scenario.operation = operation;
                scenario.ranks = operation == CollectiveOperation::POINT_TO_POINT ? 2 : 8;
                for (const std::string fidelity : {"fluid", "packet"})
                {
                    scenario.fidelity = fidelity;
                    const bool sameAgain = fidelity == "packet" && stride >= domainSize;
                    if (!sameAgain)
                    {
                        Add(new IdealTimeCase(scenario), isLong);
                    }
                }
            }
        }
        scenario.bytes = (1 << 20) + 12347; // a size that nothing divides
        scenario.operation = CollectiveOperation::ALL_REDUCE;
        scenario.ranks = 7;
        scenario.fidelity = "fluid";
        Add(new IdealTimeCase(scenario), false);
    }

    /** Traffic that does not cross from rail to rail. */
    void AddEqualFabrics()
    {
        Scenario scenario;
        scenario.accelerators = 32;
        scenario.bytes = 3000001;
        scenario.groups = 4;
        scenario.ranks = 8;
        scenario.stride = 1;
        scenario.groupStride = 8;
        scenario.fidelity = "fluid";
        Add(new EqualFabricsCase("tensor-parallel traffic", scenario), false);
        scenario.fidelity = "packet";
        Add(new EqualFabricsCase("tensor-parallel traffic", scenario), false);
        scenario.groups = 8;
        scenario.ranks = 4;
        scenario.stride = 8;
        scenario.groupStride = 1;
        scenario.control = "ns3::llm::Dcqcn";
        Add(new EqualFabricsCase("data-parallel traffic", scenario), false);
    }

    /** Traffic in which flows collide. */
    void AddSameSeed()
    {
        Scenario scenario;
        scenario.helper = "ns3::llm::FatTreeHelper";
        scenario.accelerators = 16;
        scenario.domainSize = 2;
        scenario.bytes = 16 << 20;
        scenario.groups = 2;
        scenario.ranks = 8;
        scenario.stride = 2;
        scenario.groupStride = 1;
        scenario.control = "ns3::llm::Dcqcn";
        Add(new SameSeedCase(scenario), false);
        scenario.fidelity = "packet";
        scenario.groups = 1;
        scenario.ranks = 16;
        scenario.stride = 1;
        scenario.helper = "ns3::llm::RailOptimizedHelper";
        scenario.domainSize = 4;
        Add(new SameSeedCase(scenario), false);
    }

    /**
     * @param testCase a case
     * @param isLong whether it runs only when all are asked for
     */
    void Add(TestCase* testCase, bool isLong)
    {
        if (isLong)
        {
            AddTestCase(testCase, compat::LONG_TEST);
        }
        else
        {
            AddTestCase(testCase);
        }
    }
};

SystemTestSuite g_systemTestSuite; //!< registers the suite

} // namespace
