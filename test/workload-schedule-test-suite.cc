// SPDX-License-Identifier: GPL-2.0-only

#include "schedule-replay.h"

#include "ns3/gpipe-schedule.h"
#include "ns3/interleaved-schedule.h"
#include "ns3/object-factory.h"
#include "ns3/one-forward-one-backward-schedule.h"
#include "ns3/test.h"
#include "ns3/zero-bubble-schedule.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Names of the schedules, without namespace. */
constexpr const char* SCHEDULES[] = {"OneForwardOneBackwardSchedule",
                                     "GPipeSchedule",
                                     "InterleavedSchedule",
                                     "ZeroBubbleSchedule"};

/**
 * @param name of a schedule, without namespace
 * @return one of these
 */
Ptr<PipelineSchedule>
MakeSchedule(const std::string& name)
{
    return ObjectFactory("ns3::llm::" + name).Create<PipelineSchedule>();
}

/**
 * @param name of a schedule
 * @return small and random pipelines that it can run
 */
std::vector<PipelineShape>
GetShapes(const std::string& name)
{
    const auto schedule = MakeSchedule(name);
    std::vector<PipelineShape> shapes;
    for (uint32_t stages = 1; stages <= 5; ++stages)
    {
        for (uint32_t microBatches = 1; microBatches <= 8; ++microBatches)
        {
            for (uint32_t chunks = 1; chunks <= 3; ++chunks)
            {
                shapes.push_back({stages, chunks, microBatches});
            }
        }
    }
    std::mt19937 random(20);
    for (int i = 0; i < 10; ++i)
    {
        const uint32_t stages = 2 + random() % 23;
        shapes.push_back({stages, 1, static_cast<uint32_t>(1 + random() % 60)});
        const uint32_t groups = 1 + random() % 4;
        shapes.push_back({stages, static_cast<uint32_t>(2 + random() % 4), stages * groups});
    }
    const auto unfit = [&](const PipelineShape& shape)
    {
        const bool around = shape.stages == 1 && shape.modelChunks > 1;
        return around || !schedule->GetRefusal(shape).empty();
    };
    shapes.erase(std::remove_if(shapes.begin(), shapes.end(), unfit), shapes.end());
    return shapes;
}

/**
 * @param shape a pipeline
 * @return it as text
 */
std::string
Describe(const PipelineShape& shape)
{
    return std::to_string(shape.stages) + " stages, " + std::to_string(shape.modelChunks) +
           " chunks, " + std::to_string(shape.microBatches) + " micro-batches";
}

/** Orders by hand. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("Each schedule has its order")
    {
    }

  private:
    void DoRun() override
    {
        const char* name = "OneForwardOneBackwardSchedule";
        Check(name, {4, 1, 4}, 0, "F0 F1 F2 F3 B0 B1 B2 B3 ");
        Check(name, {4, 1, 4}, 2, "F0 F1 B0 F2 B1 F3 B2 B3 ");
        Check(name, {4, 1, 4}, 3, "F0 B0 F1 B1 F2 B2 F3 B3 ");
        Check(name, {3, 1, 5}, 0, "F0 F1 F2 B0 F3 B1 F4 B2 B3 B4 ");
        Check(name, {8, 1, 2}, 0, "F0 F1 B0 B1 ");
        Check("GPipeSchedule", {3, 1, 4}, 1, "F0 F1 F2 F3 B0 B1 B2 B3 ");

        // two groups of two micro-batches; 2 (2 - 0 - 1) + 2 passes of warm-up, then 2
        name = "InterleavedSchedule";
        Check(name, {2, 2, 4}, 0, "F0 F1 F0' F1' F2 B0' F3 B1' F2' B0 F3' B1 B2' B3' B2 B3 ");
        Check(name, {2, 2, 4}, 1, "F0 F1 F0' B0' F1' B1' F2 B0 F3 B1 F2' B2' F3' B3' B2 B3 ");
        // as many micro-batches as stages: the first stage has all forward passes first
        Check(name, {2, 2, 2}, 0, "F0 F1 F0' F1' B0' B1' B0 B1 ");

        // I, W: gradients of inputs, of weights; these are put off by a turn for each stage before
        name = "ZeroBubbleSchedule";
        Check(name, {3, 1, 4}, 0, "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3 ");
        Check(name, {3, 1, 4}, 1, "F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3 ");
        Check(name, {3, 1, 4}, 2, "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3 ");
        Check(name, {4, 1, 1}, 3, "F0 I0 W0 ");
    }

    /**
     * @param name of a schedule
     * @param shape a pipeline
     * @param stage a stage
     * @param expected its order; a prime for each model chunk before
     */
    void Check(const std::string& name,
               const PipelineShape& shape,
               uint32_t stage,
               const std::string& expected)
    {
        const auto schedule = MakeSchedule(name);
        NS_TEST_ASSERT_MSG_EQ(schedule->GetRefusal(shape), "", name);
        const std::map<TrainingPass, const char*> letters = {{TrainingPass::FORWARD, "F"},
                                                             {TrainingPass::BACKWARD, "B"},
                                                             {TrainingPass::BACKWARD_INPUT, "I"},
                                                             {TrainingPass::BACKWARD_WEIGHT, "W"}};
        std::string text;
        for (uint64_t i = 0; i < schedule->GetStepCount(shape, stage); ++i)
        {
            const auto step = schedule->GetStep(shape, stage, i);
            text += letters.at(step.pass) + std::to_string(step.microBatch) +
                    std::string(step.chunk, '\'') + " ";
        }
        NS_TEST_EXPECT_MSG_EQ(text, expected, name << ", stage " << stage);
    }
};

/** What must hold of the steps of any stage. */
class StepTestCase : public TestCase
{
  public:
    StepTestCase()
        : TestCase("Each pass comes once, in order of micro-batches, and activations peak as said")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : SCHEDULES)
        {
            const auto shapes = GetShapes(name);
            NS_TEST_EXPECT_MSG_GT(shapes.size(), 25, "enough pipelines for " << name);
            for (const auto& shape : shapes)
            {
                for (uint32_t stage = 0; stage < shape.stages; ++stage)
                {
                    CheckStage(name, shape, stage);
                }
            }
        }
        CheckPeaks();
    }

    /**
     * @param name of a schedule
     * @param shape a pipeline
     * @param stage a stage
     */
    void CheckStage(const std::string& name, const PipelineShape& shape, uint32_t stage)
    {
        const std::string where =
            name + ", " + Describe(shape) + ", stage " + std::to_string(stage);
        const auto schedule = MakeSchedule(name);
        const bool splits = schedule->SplitsBackward();
        std::map<std::pair<TrainingPass, uint32_t>, uint32_t> next; // by pass and chunk
        std::set<std::pair<uint32_t, uint32_t>> kept;               // micro-batch and chunk
        std::size_t most = 0;
        for (uint64_t i = 0; i < schedule->GetStepCount(shape, stage); ++i)
        {
            const auto step = schedule->GetStep(shape, stage, i);
            const uint32_t due = next[{step.pass, step.chunk}]++;
            NS_TEST_ASSERT_MSG_EQ(step.microBatch, due, where << ", step " << i);
            NS_TEST_ASSERT_MSG_EQ((step.pass == TrainingPass::BACKWARD && splits), false, where);
            if (step.pass == TrainingPass::FORWARD)
            {
                kept.insert({step.microBatch, step.chunk});
                most = std::max(most, kept.size());
            }
            else if (step.pass != TrainingPass::BACKWARD_INPUT)
            {
                NS_TEST_ASSERT_MSG_EQ(kept.erase({step.microBatch, step.chunk}), 1, where);
            }
        }
        // all kinds of passes, on all chunks, for all micro-batches
        NS_TEST_ASSERT_MSG_EQ(next.size(), (splits ? 3u : 2u) * shape.modelChunks, where);
        for (const auto& count : next)
        {
            NS_TEST_ASSERT_MSG_LT(count.first.second, shape.modelChunks, where);
            NS_TEST_ASSERT_MSG_EQ(count.second, shape.microBatches, where);
        }
        NS_TEST_EXPECT_MSG_EQ(schedule->GetPeakActivations(shape, stage), most, where);
        NS_TEST_EXPECT_MSG_EQ(schedule->PipelineSchedule::GetPeakActivations(shape, stage),
                              most,
                              where << ", by default");
    }

    /** Peaks by hand. */
    void CheckPeaks()
    {
        const auto get =
            [](const std::string& name, const PipelineShape& shape, uint32_t stage) -> uint64_t
        {
            return MakeSchedule(name)->GetPeakActivations(shape, stage);
        };
        NS_TEST_EXPECT_MSG_EQ(get("OneForwardOneBackwardSchedule", {4, 1, 9}, 1), 3, "p - s");
        NS_TEST_EXPECT_MSG_EQ(get("OneForwardOneBackwardSchedule", {4, 1, 2}, 1), 2, "m");
        NS_TEST_EXPECT_MSG_EQ(get("GPipeSchedule", {4, 1, 9}, 1), 9, "m");
        // 2 (4 - 1) + (2 - 1) 4 + 1 = 11 chunks, 1 + 3 / 8 of the 8 that four micro-batches are:
        // arXiv 2205.05198, section 4.2.3, has 1 + (p - 1) / (p v)
        NS_TEST_EXPECT_MSG_EQ(get("InterleavedSchedule", {4, 2, 16}, 0), 11, "first stage");
        NS_TEST_EXPECT_MSG_EQ(get("InterleavedSchedule", {4, 2, 4}, 0), 8, "all of them");
        NS_TEST_EXPECT_MSG_EQ(get("ZeroBubbleSchedule", {4, 1, 9}, 0), 4, "p");
        NS_TEST_EXPECT_MSG_EQ(get("ZeroBubbleSchedule", {4, 1, 9}, 3), 4, "p");
    }
};

/** All stages together. */
class ReplayTestCase : public TestCase
{
  public:
    ReplayTestCase()
        : TestCase("Stages that run a schedule together end, with the bubble of its closed form")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : SCHEDULES)
        {
            for (const auto& shape : GetShapes(name))
            {
                CheckEnd(name, shape, {1, 1, 1});
                CheckEnd(name, shape, {5, 7, 3});
                CheckEnd(name, shape, {40, 41, 37});
            }
        }
        // where weights take longer than the forward pass they delay the last backward passes
        const PipelineShape shape{4, 1, 12};
        NS_TEST_EXPECT_MSG_EQ(GetEnd("ZeroBubbleSchedule", shape, {5, 9, 7}, ScheduleReplay::EAGER),
                              12 * 21 + 3 * 9,
                              "(p - 1) tB");
    }

    /**
     * @param name of a schedule
     * @param shape a pipeline
     * @param durations of passes
     * @param sending when a send is over
     * @return when the last pass ended
     */
    uint64_t GetEnd(const std::string& name,
                    const PipelineShape& shape,
                    const ScheduleReplay::Durations& durations,
                    ScheduleReplay::Sending sending)
    {
        ScheduleReplay replay(MakeSchedule(name), shape, durations, sending);
        NS_TEST_EXPECT_MSG_EQ(replay.Run(), "", name << ", " << Describe(shape));
        return replay.GetEnd();
    }

    /**
     * @param name of a schedule
     * @param shape a pipeline
     * @param durations of passes through a model chunk, weights no longer than the others
     */
    void CheckEnd(const std::string& name,
                  const PipelineShape& shape,
                  const ScheduleReplay::Durations& durations)
    {
        const uint64_t once = durations.forward + durations.input + durations.weight;
        const uint64_t ideal = once * shape.microBatches * shape.modelChunks;
        // (p - 1) / m of the ideal time, or (p - 1) / (v m)
        uint64_t bubble = (shape.stages - 1) * once;
        if (name == "ZeroBubbleSchedule")
        {
            const uint64_t filled = std::min(shape.stages, shape.microBatches) - 1;
            bubble -= (shape.stages - 1 + filled) * durations.weight;
        }
        for (const auto sending : {ScheduleReplay::EAGER, ScheduleReplay::BLOCKING})
        {
            NS_TEST_EXPECT_MSG_EQ(GetEnd(name, shape, durations, sending),
                                  ideal + bubble,
                                  name << ", " << Describe(shape) << ", passes of "
                                       << durations.forward << ", " << durations.input << ", "
                                       << durations.weight << ", sends " << sending);
        }
    }
};

/** What schedules refuse. */
class ScheduleRefusalTestCase : public TestCase
{
  public:
    ScheduleRefusalTestCase()
        : TestCase("Schedules say which pipelines they cannot run and what would fit")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {SCHEDULES[0], SCHEDULES[1], SCHEDULES[3]})
        {
            Check(name, {4, 1, 3}, {});
            Check(name,
                  {4, 2, 8},
                  {name, "not 2 model chunks", "did you mean InterleavedSchedule"});
        }
        const std::string name = "InterleavedSchedule";
        Check(name, {4, 2, 8}, {});
        Check(name, {4, 1, 8}, {"2 model chunks", "did you mean OneForwardOneBackwardSchedule?"});
        Check(name, {4, 2, 10}, {"multiple of PP = 4, not 10", "did you mean 8 or 12?"});
        Check(name, {4, 2, 3}, {"not 3", "did you mean 4?"});
    }

    /**
     * @param name of a schedule
     * @param shape a pipeline
     * @param parts what its refusal must say; none: it can run it
     */
    void Check(const std::string& name,
               const PipelineShape& shape,
               const std::vector<std::string>& parts)
    {
        const std::string refusal = MakeSchedule(name)->GetRefusal(shape);
        NS_TEST_EXPECT_MSG_EQ(refusal.empty(), parts.empty(), name << ": " << refusal);
        for (const auto& part : parts)
        {
            NS_TEST_EXPECT_MSG_NE(refusal.find(part), std::string::npos, part << ": " << refusal);
        }
    }
};

/** The suite. */
class WorkloadScheduleTestSuite : public TestSuite
{
  public:
    WorkloadScheduleTestSuite()
        : TestSuite("llm-fabric-workload-schedule", TestSuite::Type::UNIT)
    {
        AddTestCase(new OrderTestCase);
        AddTestCase(new StepTestCase);
        AddTestCase(new ReplayTestCase);
        AddTestCase(new ScheduleRefusalTestCase);
    }
};

WorkloadScheduleTestSuite g_workloadScheduleTestSuite; //!< registers itself

} // namespace
