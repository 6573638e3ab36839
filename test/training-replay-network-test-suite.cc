// SPDX-License-Identifier: GPL-2.0-only

#include "refusal.h"
#include "training-mocks.h"

#include "ns3/iteration-replay.h"
#include "ns3/ring-communication-cost.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/training-helper.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * What rings cost, and replays beside simulated jobs.
 */

namespace
{

/** Closed forms. */
class RingCostTestCase : public TestCase
{
  public:
    RingCostTestCase()
        : TestCase("rings cost their closed forms")
    {
    }

  private:
    void DoRun() override
    {
        constexpr auto DP = ParallelDimension::DATA;
        RingCommunicationCost cost;
        // a byte takes 1 ns, a step 10 us, the launch 100 us
        cost.Set(DP, {DataRate("8Gbps"), MicroSeconds(10), MicroSeconds(100)});
        const auto get = [&](TrainingTask::Kind kind)
        {
            return cost.GetCollectiveTime(DP, kind, 4000, 4);
        };
        NS_TEST_EXPECT_MSG_EQ(get(TrainingTask::ALL_REDUCE),
                              NanoSeconds(6000) + MicroSeconds(60 + 100),
                              "2 x 3/4 x 4000 B, 6 steps");
        NS_TEST_EXPECT_MSG_EQ(get(TrainingTask::ALL_GATHER),
                              NanoSeconds(3000) + MicroSeconds(30 + 100),
                              "3/4 x 4000 B, 3 steps");
        NS_TEST_EXPECT_MSG_EQ(get(TrainingTask::REDUCE_SCATTER),
                              get(TrainingTask::ALL_GATHER),
                              "likewise");
        NS_TEST_EXPECT_MSG_EQ(get(TrainingTask::ALL_TO_ALL),
                              NanoSeconds(3000) + MicroSeconds(10 + 100),
                              "3/4 x 4000 B, all messages together");
        const MessageCost message = cost.GetMessageCost(DP, 500);
        NS_TEST_EXPECT_MSG_EQ(message.transfer, NanoSeconds(500), "a message");
        NS_TEST_EXPECT_MSG_EQ(message.latency, MicroSeconds(10), "its way");
        NS_TEST_EXPECT_MSG_EQ(message.launch, MicroSeconds(100), "its launch");
        NS_TEST_EXPECT_MSG_NE(
            GetRefusal([&] { cost.GetMessageCost(ParallelDimension::PIPELINE, 1); })
                .find("PP communication has no rate"),
            std::string::npos,
            "a dimension without a rate");

        const DataRate domain("2400Gbps");
        const DataRate nic("400Gbps");
        using Cost = RingCommunicationCost;
        NS_TEST_EXPECT_MSG_EQ(Cost::GetBusRate(8, 8, domain, nic), domain, "inside a domain");
        NS_TEST_EXPECT_MSG_EQ(Cost::GetBusRate(16, 1, domain, nic), nic, "one in each");
        NS_TEST_EXPECT_MSG_EQ(Cost::GetBusRate(16, 4, domain, nic), DataRate("1600Gbps"), "four");
        NS_TEST_EXPECT_MSG_EQ(Cost::GetBusRate(16, 8, domain, nic), domain, "as many as it can");
    }
};

/** A transformer on an idle fluid network, simulated and replayed. */
class SimulatedTestCase : public TestCase
{
  public:
    /**
     * @param pipeline stages
     * @param share what collectives hold of an accelerator
     */
    SimulatedTestCase(uint32_t pipeline, double share)
        : TestCase("a transformer of " + std::to_string(pipeline) +
                   " stages takes as long replayed as simulated within 1 %, with a slow-down of " +
                   std::to_string(share)),
          m_pipeline(pipeline),
          m_share(share)
    {
    }

  private:
    /** @return what is computed */
    Ptr<const TransformerWorkload> MakeWorkload() const
    {
        ParallelStrategy strategy;
        strategy.tensorParallel = 2;
        strategy.pipelineParallel = m_pipeline;
        strategy.dataParallel = 2;
        strategy.globalBatchSize = 16;
        TransformerWorkload::Config config{TransformerModel::Load("gpt2"),
                                           Accelerator::FromName("H100-SXM"),
                                           strategy,
                                           nullptr,
                                           nullptr,
                                           TransformerWorkloadOptions()};
        return Create<TransformerWorkload>(config, 4 * m_pipeline);
    }

    /** @param workload what is computed @return the replay, every rank at 3600 Gbps and 500 ns */
    ReplayResult Replay(Ptr<const TransformerWorkload> workload) const
    {
        auto config = IterationReplay::MakeConfig(workload->GetStrategy());
        config.factory = [workload](uint32_t rank)
        {
            return workload->MakeGraph(rank);
        };
        config.communicationSlowDown = m_share;
        RingCommunicationCost cost;
        for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
        {
            cost.Set(static_cast<ParallelDimension>(i),
                     {DataRate("3600Gbps"), NanoSeconds(500), Time(0)});
        }
        return IterationReplay(config, cost).Run();
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::llm::FluidDomain::WireOverhead", DoubleValue(1));
        Config::SetDefault("ns3::llm::Communicator::Algorithm",
                           StringValue("ns3::llm::RingAlgorithm"));
        Config::SetDefault("ns3::llm::TrainingApplication::CommunicationSlowDown",
                           DoubleValue(m_share));
        const auto workload = MakeWorkload();
        ObjectFactory factory("ns3::llm::SingleSwitchHelper");
        factory.Set("Accelerators", UintegerValue(4 * m_pipeline));
        factory.Set("DomainSize", UintegerValue(4 * m_pipeline));
        factory.Set("DomainRate", StringValue("3600Gbps"));
        factory.Set("DomainDelay", StringValue("250ns"));
        const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
        const Ptr<TrainingJob> job = TrainingHelper().Install(workload, cluster);
        job->Start();
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(job->IsFinished(), true, "done");
        const ReplayResult replay = Replay(workload);
        NS_TEST_ASSERT_MSG_EQ(replay.unfinished.empty(), true, "replayed to the end");
        NS_TEST_EXPECT_MSG_EQ(replay.tasks * 4, job->GetTasksDone(), "a quarter of the tasks");
        const Time time = job->GetIterations().GetIterations().at(0).end;
        Compare(replay.time, time, time, "iteration");
        for (uint32_t stage = 0; stage < m_pipeline; ++stage)
        {
            const RankAccount& simulated = job->GetIterations().GetRanks().at(4 * stage);
            const RankAccount& replayed = replay.accounts.at(stage);
            Compare(replayed.compute, simulated.compute, time, "compute");
            Compare(replayed.bubble, simulated.bubble, time, "bubble");
            for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
            {
                Compare(replayed.exposed[i],
                        simulated.exposed[i],
                        time,
                        GetShortName(static_cast<ParallelDimension>(i)));
            }
        }
        Simulator::Destroy();
        Config::Reset();
    }

    /**
     * @param replayed a time
     * @param simulated what it should be
     * @param whole within 1 % of this
     * @param name of the time
     */
    void Compare(Time replayed, Time simulated, Time whole, const std::string& name)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(replayed.GetSeconds(),
                                  simulated.GetSeconds(),
                                  whole.GetSeconds() / 100,
                                  name);
    }

    uint32_t m_pipeline; //!< stages
    double m_share;      //!< what collectives hold of an accelerator
};

/** The suite. */
class TrainingReplayNetworkTestSuite : public TestSuite
{
  public:
    TrainingReplayNetworkTestSuite()
        : TestSuite("llm-fabric-training-replay-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RingCostTestCase);
        AddTestCase(new SimulatedTestCase(1, 0));
        AddTestCase(new SimulatedTestCase(4, 0));
        AddTestCase(new SimulatedTestCase(2, 0.25));
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingReplayNetworkTestSuite; //!< registers the suite

} // namespace
