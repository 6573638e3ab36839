// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-bubble.h"

#include "ns3/input-error.h"
#include "ns3/iteration-replay.h"

#include <memory>

namespace ns3::llm
{

namespace
{

/** Communication that takes no time. */
class FreeCommunication : public CommunicationCost
{
  public:
    Time GetCollectiveTime(ParallelDimension, TrainingTask::Kind, uint64_t, uint32_t) const override
    {
        return Time(0);
    }

    MessageCost GetMessageCost(ParallelDimension, uint64_t) const override
    {
        return {};
    }
};

/** What a stage does: each pass receives what it needs, computes, and sends what it made. */
class EqualStageGraph : public TrainingGraph
{
  public:
    /**
     * @param schedule the order of passes
     * @param shape the pipeline
     * @param times of the passes
     * @param stage which stage
     */
    EqualStageGraph(const PipelineSchedule& schedule,
                    const PipelineShape& shape,
                    const PassTimes& times,
                    uint32_t stage)
        : m_schedule(schedule),
          m_shape(shape),
          m_times(times),
          m_stage(stage)
    {
    }

    bool Next(TrainingTask& task) override
    {
        if (m_index == m_schedule.GetStepCount(m_shape, m_stage))
        {
            return false;
        }
        const PipelineStep step = m_schedule.GetStep(m_shape, m_stage, m_index);
        const bool forward = step.pass == TrainingPass::FORWARD;
        const bool passesOn = step.pass != TrainingPass::BACKWARD_WEIGHT;
        const bool isFirst = m_stage == 0 && step.chunk == 0;
        const bool isLast = m_stage + 1 == m_shape.stages && step.chunk + 1 == m_shape.modelChunks;
        const bool receives = passesOn && !(forward ? isFirst : isLast);
        const bool sends = passesOn && !(forward ? isLast : isFirst);
        task = TrainingTask();
        task.id = m_nextId++;
        if (m_part == 0)
        {
            m_part = 1;
            if (receives)
            {
                SetMessage(task, TrainingTask::RECEIVE, !forward);
                m_received = task.id;
                m_hasReceived = true;
                return true;
            }
        }
        if (m_part == 1)
        {
            task.duration = GetTime(step.pass);
            if (m_hasReceived)
            {
                task.dependencies = {m_received};
            }
            m_hasReceived = false;
            m_part = sends ? 2 : 0;
            m_index += sends ? 0 : 1;
            return true;
        }
        SetMessage(task, TrainingTask::SEND, forward);
        task.dependencies = {task.id - 1};
        m_part = 0;
        ++m_index;
        return true;
    }

    void Restart() override
    {
        m_index = m_nextId = 0;
        m_part = 0;
        m_hasReceived = false;
    }

  private:
    /**
     * Make a task a message.
     * @param task the task
     * @param kind SEND or RECEIVE
     * @param onwards whether the other stage is the next one, around the end
     */
    void SetMessage(TrainingTask& task, TrainingTask::Kind kind, bool onwards) const
    {
        task.kind = kind;
        task.dimension = ParallelDimension::PIPELINE;
        task.bytes = 1;
        task.peer = (m_stage + (onwards ? 1 : m_shape.stages - 1)) % m_shape.stages;
    }

    /** @param pass a pass @return its time */
    Time GetTime(TrainingPass pass) const
    {
        switch (pass)
        {
        case TrainingPass::FORWARD:
            return m_times.forward;
        case TrainingPass::BACKWARD_INPUT:
            return m_times.backwardInput;
        case TrainingPass::BACKWARD_WEIGHT:
            return m_times.backwardWeight;
        default:
            return m_times.backwardInput + m_times.backwardWeight;
        }
    }

    const PipelineSchedule& m_schedule; //!< the order of passes
    PipelineShape m_shape;              //!< the pipeline
    PassTimes m_times;                  //!< of the passes
    uint32_t m_stage;                   //!< which stage
    uint64_t m_index = 0;               //!< the step that runs
    uint32_t m_part = 0;                //!< of it: 0 receive, 1 compute, 2 send
    uint64_t m_nextId = 0;              //!< id of the next task
    uint64_t m_received = 0;            //!< what the next computation waits for
    bool m_hasReceived = false;         //!< whether it waits
};

} // namespace

double
MeasureBubble(const PipelineSchedule& schedule, const PipelineShape& shape, const PassTimes& times)
{
    ParallelStrategy strategy;
    strategy.pipelineParallel = shape.stages;
    IterationReplay::Config config = IterationReplay::MakeConfig(strategy);
    config.factory = [&](uint32_t rank)
    {
        return std::make_unique<EqualStageGraph>(schedule, shape, times, rank);
    };
    const FreeCommunication cost;
    const ReplayResult result = IterationReplay(config, cost).Run();
    if (!result.unfinished.empty())
    {
        RefuseInput("a schedule cannot end: " + result.unfinished.front());
    }
    const double busy = result.accounts.front().compute.GetSeconds();
    return result.time.GetSeconds() / busy - 1;
}

} // namespace ns3::llm
