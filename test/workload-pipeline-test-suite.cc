// SPDX-License-Identifier: GPL-2.0-only

#include "workload-test-support.h"

#include "ns3/iteration-estimate.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/test.h"

#include <algorithm>
#include <deque>
#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** When things end that communicate for free, but in the order and with the waits of the graph. */
class FreeReplay
{
  public:
    /**
     * @param workload the workload; the ranks of tensor and data groups behave equally, so one rank
     *        of each stage is enough
     */
    explicit FreeReplay(const Ptr<const TransformerWorkload>& workload)
    {
        const auto& strategy = workload->GetStrategy();
        for (uint32_t stage = 0; stage < strategy.pipelineParallel; ++stage)
        {
            m_ranks.push_back(strategy.GetRank({0, stage, 0}));
            m_tasks[m_ranks.back()] = GetTasks(workload, m_ranks.back());
        }
    }

    /** @return when the last task ends; Time(0) if ranks wait for each other */
    Time Run()
    {
        bool moved = true;
        while (moved)
        {
            moved = false;
            for (const auto rank : m_ranks)
            {
                while (m_next[rank] < m_tasks[rank].size() && Step(rank))
                {
                    moved = true;
                }
            }
        }
        Time last(0);
        for (const auto rank : m_ranks)
        {
            if (m_next[rank] < m_tasks[rank].size())
            {
                return Time(0);
            }
            last = std::max(last, *std::max_element(m_ends[rank].begin(), m_ends[rank].end()));
        }
        return last;
    }

  private:
    /**
     * Do the next task of a rank.
     * @param rank the rank
     * @return false if it waits for a message
     */
    bool Step(uint32_t rank)
    {
        const TrainingTask& task = m_tasks[rank][m_next[rank]];
        Time start(0);
        for (const auto id : task.dependencies)
        {
            start = std::max(start, m_ends[rank].at(id));
        }
        if (task.kind == TrainingTask::COMPUTE)
        {
            start = std::max(start, m_computeFree[rank]) + task.duration;
            m_computeFree[rank] = start;
        }
        if (task.kind == TrainingTask::SEND)
        {
            m_messages[{rank, task.peer}].push_back(start);
        }
        if (task.kind == TrainingTask::RECEIVE)
        {
            auto& messages = m_messages[{task.peer, rank}];
            if (messages.empty())
            {
                return false;
            }
            start = std::max(start, messages.front());
            messages.pop_front();
        }
        m_ends[rank].push_back(start);
        ++m_next[rank];
        return true;
    }

    std::vector<uint32_t> m_ranks;                         //!< one of each stage
    std::map<uint32_t, std::vector<TrainingTask>> m_tasks; //!< by rank
    std::map<uint32_t, std::size_t> m_next;                //!< next task, by rank
    std::map<uint32_t, std::vector<Time>> m_ends;          //!< by rank and id
    std::map<uint32_t, Time> m_computeFree;                //!< by rank
    std::map<std::pair<uint32_t, uint32_t>, std::deque<Time>>
        m_messages; //!< by source, destination
};

/** Iteration time with free communication. */
class ReplayTestCase : public TestCase
{
  public:
    ReplayTestCase()
        : TestCase("With free communication an iteration takes the ideal time")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t stages : {1, 2, 4, 8})
        {
            for (const uint32_t microBatches : {1, 3, 8, 20})
            {
                const auto strategy = MakeStrategy(4, stages, 1, microBatches, 1024);
                const auto workload = MakeWorkload("gpt2-medium", strategy);
                FreeReplay replay(workload);
                const Time end = replay.Run();
                const Time ideal = EstimateIteration(workload, 0).idealTime;
                NS_TEST_EXPECT_MSG_EQ(end,
                                      ideal,
                                      stages << " stages, " << microBatches << " micro-batches");
            }
        }
    }
};

/** A schedule with model chunks: all forward passes, chunk by chunk, then all backward passes. */
class ChunkwiseSchedule : public PipelineSchedule
{
  public:
    std::string GetRefusal(const PipelineShape&) const override
    {
        return "";
    }

    PipelineStep GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const override
    {
        const uint64_t half = GetStepCount(shape, stage) / 2;
        const bool forward = index < half;
        const auto turn = static_cast<uint32_t>(forward ? index : index - half);
        const uint32_t chunk = turn / shape.microBatches;
        return {forward ? TrainingPass::FORWARD : TrainingPass::BACKWARD,
                turn % shape.microBatches,
                forward ? chunk : shape.modelChunks - 1 - chunk};
    }
};

/** Layers of stages and model chunks. */
class LayerTestCase : public TestCase
{
  public:
    LayerTestCase()
        : TestCase("Stages and model chunks visit their layers in order, each once a pass")
    {
    }

  private:
    void DoRun() override
    {
        ParallelStrategy strategy = MakeStrategy(2, 2, 1, 3, 256);
        CheckLayers(MakeWorkload("gpt2", strategy), 0, {0, 1, 2, 3, 4, 5});
        CheckLayers(MakeWorkload("gpt2", strategy), 1, {6, 7, 8, 9, 10, 11});
        strategy.modelChunks = 3;
        const auto workload = Create<TransformerWorkload>(
            TransformerWorkload::Config{TransformerModel::Load("gpt2"),
                                        Accelerator::FromName("A100"),
                                        strategy,
                                        nullptr,
                                        CreateObject<ChunkwiseSchedule>(),
                                        {}},
            4);
        CheckLayers(workload, 0, {0, 1, 4, 5, 8, 9});
        CheckLayers(workload, 1, {2, 3, 6, 7, 10, 11});
        NS_TEST_EXPECT_MSG_GT(FreeReplay(workload).Run(), Time(0), "no cycle of waits");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            uint64_t sent = 0;
            Time compute;
            for (const auto& task : GetTasks(workload, rank))
            {
                sent += task.kind == TrainingTask::SEND ? 1 : 0;
                compute += task.kind == TrainingTask::COMPUTE ? task.duration : Time(0);
            }
            const auto estimate = EstimateIteration(workload, rank);
            NS_TEST_EXPECT_MSG_EQ(sent, 3 * (2 * 3 - 1), "all but one of the ends of three chunks");
            NS_TEST_EXPECT_MSG_EQ(estimate.Get(ParallelDimension::PIPELINE).operations,
                                  sent,
                                  "estimate");
            NS_TEST_EXPECT_MSG_EQ(estimate.computeTime, compute, "estimate");
        }
    }

    /**
     * @param workload a workload
     * @param stage a stage
     * @param layers its layers
     */
    void CheckLayers(const Ptr<const TransformerWorkload>& workload,
                     uint32_t stage,
                     std::vector<int32_t> layers)
    {
        std::map<std::string, std::vector<int32_t>> visited;
        for (const auto& task : GetTasks(workload, workload->GetStrategy().GetRank({0, stage, 0})))
        {
            auto& list = visited[task.label];
            if (task.microBatch == 1 && task.layer >= 0 &&
                (list.empty() || list.back() != task.layer))
            {
                list.push_back(task.layer);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((visited["forward"] == layers), true, "upwards, stage " << stage);
        std::reverse(layers.begin(), layers.end());
        NS_TEST_EXPECT_MSG_EQ((visited["backward"] == layers), true, "downwards, stage " << stage);
    }
};

/** The suite. */
class WorkloadPipelineTestSuite : public TestSuite
{
  public:
    WorkloadPipelineTestSuite()
        : TestSuite("llm-fabric-workload-pipeline", TestSuite::Type::UNIT)
    {
        AddTestCase(new ReplayTestCase);
        AddTestCase(new LayerTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicosecondTicks();
    }
};

WorkloadPipelineTestSuite g_workloadPipelineTestSuite; //!< registers itself

} // namespace
