// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/iteration-estimate.h"
#include "ns3/iteration-time.h"
#include "ns3/rail-only-helper.h"
#include "ns3/ring-communication-cost.h"
#include "ns3/time-resolution.h"
#include "ns3/training-helper.h"
#include "ns3/training-report.h"
#include "ns3/workload-settings.h"

#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Jobs of every kind of parallelism, simulated in one HB domain and replayed in closed form.
 */

namespace
{

/** A small mixture of 8 experts, every second layer of which is dense. */
const char* const MIXTURE = R"({"model_type": "qwen3_moe", "hidden_size": 512,
    "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 64,
    "intermediate_size": 1024, "vocab_size": 8192, "num_experts": 8, "num_experts_per_tok": 2,
    "moe_intermediate_size": 512, "decoder_sparse_step": 2, "tie_word_embeddings": false})";

/** A small model with latent attention, experts and one shared expert. */
const char* const LATENT = R"({"model_type": "deepseek_v3", "hidden_size": 512,
    "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 8,
    "intermediate_size": 1024, "vocab_size": 8192, "n_routed_experts": 8, "num_experts_per_tok": 2,
    "n_shared_experts": 1, "first_k_dense_replace": 1, "moe_intermediate_size": 256,
    "q_lora_rank": 192, "kv_lora_rank": 128, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32,
    "v_head_dim": 64, "tie_word_embeddings": false})";

/** A job. */
struct Job
{
    std::string strategy;                    //!< its words, see WorkloadSettings::WithStrategy()
    std::string model = "gpt2";              //!< built-in name, or the text of a config.json
    std::string schedule = "";               //!< class, or the usual one
    TransformerWorkloadOptions options = {}; //!< the rest
    std::string blocks = "";                 //!< of the stages
};

/** Jobs that are simulated and replayed. */
class StrategiesTestCase : public TestCase
{
  public:
    StrategiesTestCase()
        : TestCase("Every kind of parallelism ends, and takes as long simulated as replayed")
    {
    }

  private:
    void DoRun() override
    {
        TransformerWorkloadOptions rendezvous;
        rendezvous.rendezvous = true;
        rendezvous.pipelineCallOverhead = MicroSeconds(20);
        TransformerWorkloadOptions gather;
        gather.operators.contextExchange = OperatorOptions::GATHER;
        TransformerWorkloadOptions norm;
        norm.gradientNorm = true;
        norm.scatterGather = true;
        const std::vector<Job> jobs = {
            {"tp4-pp2"},
            {"tp4-pp2", "gpt2", "", {}, "8,4"},
            {"tp4-pp2", "gpt2", "", norm},
            {"tp2-pp4-sp", "gpt2", "GPipeSchedule"},
            {"tp2-pp4-sp-selective", "gpt2", "ZeroBubbleSchedule"},
            {"tp2-pp2-chunks3-full"},
            {"tp2-pp2-chunks3", "gpt2", "", rendezvous},
            {"pp4", "gpt2", "", rendezvous},
            {"tp2-zero1"},
            {"tp2-sp-zero2"},
            {"zero3"},
            {"tp2-zero3-full-microBatchSize2"},
            {"tp2-cp2-pp2"},
            {"tp2-cp4", "gpt2", "", gather},
            {"tp2-ep4-sp", MIXTURE},
            {"ep8-zero1", MIXTURE},
            {"tp2-pp2-ep2-zero3-full", MIXTURE},
            {"tp2-pp2-cp2-ep2-sp-selective", MIXTURE, "ZeroBubbleSchedule"},
            {"tp4-ep2-sp-zero1", LATENT},
        };
        for (const Job& job : jobs)
        {
            Check(job);
        }
    }

    /** @param job to be run both ways */
    void Check(const Job& job)
    {
        const auto workload = Make(job);
        const double replayed = Replay(workload);
        const TrainingReport report = Simulate(workload);
        const double simulated = report.GetSummary().iterationUs / 1e6;
        NS_TEST_EXPECT_MSG_EQ_TOL(simulated / replayed, 1, 0.02, job.strategy);
        // nothing beats computation, and each rank does all of it
        const auto estimate = EstimateIteration(workload, 0);
        NS_TEST_EXPECT_MSG_GT(simulated, estimate.computeTime.GetSeconds(), job.strategy);
        CheckBytes(workload, report, job.strategy);
    }

    /**
     * What was communicated is what the closed form says, over all ranks.
     * @param workload the workload
     * @param report of the run
     * @param what for messages
     */
    void CheckBytes(const Ptr<const TransformerWorkload>& workload,
                    const TrainingReport& report,
                    const std::string& what)
    {
        for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
        {
            const auto dimension = static_cast<ParallelDimension>(i);
            uint64_t expected = 0;
            for (uint32_t rank = 0; rank < workload->GetStrategy().GetRankCount(); ++rank)
            {
                expected += EstimateIteration(workload, rank).Get(dimension).bytes;
            }
            uint64_t done = 0;
            for (const CollectiveReport& collective : report.collectives)
            {
                const CollectiveRecord& record = collective.record;
                if (record.dimension == dimension)
                {
                    const bool message = record.kind == TrainingTask::SEND;
                    done += record.bytes * record.count * (message ? 1 : collective.groupSize);
                }
            }
            NS_TEST_EXPECT_MSG_EQ(done, expected, what << ", " << GetShortName(dimension));
        }
    }

    /** @param job a job @return what it computes */
    static Ptr<const TransformerWorkload> Make(const Job& job)
    {
        WorkloadSettings settings;
        settings.accelerators = 16;
        settings.tp = 1;
        settings.sequenceLength = 512;
        settings.model = "gpt2";
        settings.schedule = job.schedule;
        settings.blocks = job.blocks;
        auto config = settings.WithStrategy(job.strategy).MakeConfig(job.options);
        if (job.model[0] == '{')
        {
            config.model = TransformerModel::FromJson(job.model, "small");
        }
        return Create<TransformerWorkload>(config, settings.accelerators);
    }

    /** @param workload a workload @return its iteration by replay, seconds */
    static double Replay(const Ptr<const TransformerWorkload>& workload)
    {
        RingCommunicationCost cost;
        for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
        {
            // a domain of 450 GB/s whose frames carry 4096 of 4178 bytes, and twice 250 ns
            cost.Set(static_cast<ParallelDimension>(i),
                     {DataRate("3600Gbps"), NanoSeconds(500), Time(0)});
        }
        return ReplayIteration(workload, cost).time.GetSeconds();
    }

    /** @param workload a workload @return its iteration in one HB domain */
    static TrainingReport Simulate(const Ptr<const TransformerWorkload>& workload)
    {
        auto helper = CreateObject<RailOnlyHelper>();
        helper->SetAttribute("Accelerators", UintegerValue(16));
        helper->SetAttribute("DomainSize", UintegerValue(16));
        const Ptr<Cluster> cluster = helper->Build();
        const Ptr<TrainingJob> job = TrainingHelper().Install(workload, cluster);
        job->Start();
        Simulator::Run();
        NS_ABORT_MSG_UNLESS(job->IsFinished(), job->DescribeUnfinished().front());
        const TrainingReport report = MakeTrainingReport(*job, "domain");
        Simulator::Destroy();
        return report;
    }
};

/** The suite. */
class TrainingStrategiesTestSuite : public TestSuite
{
  public:
    TrainingStrategiesTestSuite()
        : TestSuite("llm-fabric-training-strategies", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new StrategiesTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

TrainingStrategiesTestSuite g_trainingStrategiesTestSuite; //!< registers itself

} // namespace
