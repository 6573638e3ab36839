// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SCHEDULE_REPLAY_H
#define LLM_FABRIC_SCHEDULE_REPLAY_H

#include "ns3/pipeline-schedule.h"
#include "ns3/ptr.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/**
 * All stages of a pipeline run a schedule together, with messages that take no time.
 *
 * A stage has three streams, each in the order of its schedule: passes, sends, receives. A pass waits
 * for its message, a send for its pass. Between two stages messages come in the order in which they
 * were sent, whatever they are about.
 */
class ScheduleReplay
{
  public:
    /** How long passes take, the same on all stages. */
    struct Durations
    {
        uint64_t forward = 1; //!< of a model chunk
        uint64_t input = 1;   //!< gradients of inputs
        uint64_t weight = 1;  //!< gradients of weights
    };

    /** When a send is over. */
    enum Sending
    {
        EAGER,    //!< at once
        BLOCKING, //!< when the receiver's stream of receives has reached it
    };

    /**
     * @param schedule the schedule
     * @param shape the pipeline
     * @param durations of passes
     * @param sending when a send is over
     */
    ScheduleReplay(const ns3::Ptr<const ns3::llm::PipelineSchedule>& schedule,
                   const ns3::llm::PipelineShape& shape,
                   const Durations& durations,
                   Sending sending)
        : m_shape(shape),
          m_durations(durations),
          m_sending(sending),
          m_stages(shape.stages)
    {
        for (uint32_t number = 0; number < shape.stages; ++number)
        {
            Stage& stage = m_stages[number];
            const uint64_t count = schedule->GetStepCount(shape, number);
            for (uint64_t index = 0; index < count; ++index)
            {
                stage.steps.push_back(schedule->GetStep(shape, number, index));
                const Place source = GetNeighbor(number, stage.steps.back(), false);
                if (source.first != NOBODY)
                {
                    stage.receives.push_back({source.first, GetKey(stage.steps.back()), index});
                }
            }
        }
    }

    /** @return "" if all passes were done as they must, else what went wrong */
    std::string Run()
    {
        for (bool moved = true; moved && m_error.empty();)
        {
            moved = false;
            for (uint32_t number = 0; number < m_shape.stages; ++number)
            {
                moved = Compute(number) || moved;
                moved = Send(number) || moved;
                moved = Receive(number) || moved;
            }
        }
        for (uint32_t number = 0; number < m_shape.stages && m_error.empty(); ++number)
        {
            const Stage& stage = m_stages[number];
            if (stage.nextStep < stage.steps.size() || !stage.sends.empty())
            {
                m_error = "stage " + std::to_string(number) + " waits for ever";
            }
        }
        return m_error;
    }

    /** @return when the last pass ended */
    uint64_t GetEnd() const
    {
        uint64_t end = 0;
        for (const Stage& stage : m_stages)
        {
            end = std::max(end, stage.computeFree);
        }
        return end;
    }

  private:
    /** Direction, micro-batch and model chunk of a pass; both kinds of backward passes count alike. */
    using Key = std::tuple<bool, uint32_t, uint32_t>;
    /** Stage and model chunk. */
    using Place = std::pair<uint32_t, uint32_t>;

    static constexpr uint32_t NOBODY = UINT32_MAX; //!< no stage

    /** What a stage hands on. */
    struct Output
    {
        uint32_t destination; //!< stage
        Key key;              //!< the pass that needs it
        uint64_t ready;       //!< when its pass ended
        bool posted;          //!< it is in the channel
    };

    /** What a stage takes. */
    struct Input
    {
        uint32_t source; //!< stage
        Key key;         //!< the pass that needs it
        uint64_t step;   //!< that pass
    };

    /** A message between two stages. */
    struct Message
    {
        Key key;       //!< the pass that needs it
        uint64_t sent; //!< when
    };

    /** State of a stage. */
    struct Stage
    {
        std::vector<ns3::llm::PipelineStep> steps;             //!< its schedule
        std::size_t nextStep = 0;                              //!< next pass
        std::vector<Input> receives;                           //!< what it takes, in order
        std::size_t nextReceive = 0;                           //!< next of them
        std::deque<Output> sends;                              //!< what is still to be sent
        std::map<uint64_t, uint64_t> arrivals;                 //!< by step
        std::set<std::pair<ns3::llm::TrainingPass, Key>> done; //!< passes that ended
        uint64_t computeFree = 0;                              //!< when the last pass ended
        uint64_t sendFree = 0;                                 //!< likewise the last send
        uint64_t receiveFree = 0;                              //!< and the last receive
    };

    /**
     * @param step a pass
     * @return what it and its message are known by
     */
    static Key GetKey(const ns3::llm::PipelineStep& step)
    {
        return {step.pass == ns3::llm::TrainingPass::FORWARD, step.microBatch, step.chunk};
    }

    /**
     * @param number a stage
     * @param step a pass of it
     * @param after where its result goes, else where its input comes from
     * @return the place, or NOBODY
     */
    Place GetNeighbor(uint32_t number, const ns3::llm::PipelineStep& step, bool after) const
    {
        if (step.pass == ns3::llm::TrainingPass::BACKWARD_WEIGHT)
        {
            return {NOBODY, 0};
        }
        const bool upwards = (step.pass == ns3::llm::TrainingPass::FORWARD) == after;
        const uint32_t place = step.chunk * m_shape.stages + number;
        if (upwards ? place + 1 == m_shape.stages * m_shape.modelChunks : place == 0)
        {
            return {NOBODY, 0};
        }
        const uint32_t next = upwards ? place + 1 : place - 1;
        return {next % m_shape.stages, next / m_shape.stages};
    }

    /**
     * @param pass a pass
     * @return how long it takes
     */
    uint64_t GetDuration(ns3::llm::TrainingPass pass) const
    {
        switch (pass)
        {
        case ns3::llm::TrainingPass::FORWARD:
            return m_durations.forward;
        case ns3::llm::TrainingPass::BACKWARD:
            return m_durations.input + m_durations.weight;
        case ns3::llm::TrainingPass::BACKWARD_INPUT:
            return m_durations.input;
        case ns3::llm::TrainingPass::BACKWARD_WEIGHT:
            break;
        }
        return m_durations.weight;
    }

    /**
     * Note a pass, and whether it came before what it needs of its own stage, or twice.
     * @param number the stage
     * @param step the pass
     */
    void Check(uint32_t number, const ns3::llm::PipelineStep& step)
    {
        using ns3::llm::TrainingPass;
        auto& done = m_stages[number].done;
        const auto has = [&](TrainingPass pass)
        {
            return done.count(
                       {pass, {pass == TrainingPass::FORWARD, step.microBatch, step.chunk}}) > 0;
        };
        const bool needs =
            step.pass == TrainingPass::FORWARD ||
            (step.pass == TrainingPass::BACKWARD_WEIGHT ? has(TrainingPass::BACKWARD_INPUT)
                                                        : has(TrainingPass::FORWARD));
        if (!needs || !done.insert({step.pass, GetKey(step)}).second)
        {
            m_error = "stage " + std::to_string(number) + " passes micro-batch " +
                      std::to_string(step.microBatch) + (needs ? " twice" : " too early");
        }
    }

    /** Do passes. @param number the stage @return whether there was one */
    bool Compute(uint32_t number)
    {
        Stage& stage = m_stages[number];
        const std::size_t before = stage.nextStep;
        for (; stage.nextStep < stage.steps.size() && m_error.empty(); ++stage.nextStep)
        {
            const auto& step = stage.steps[stage.nextStep];
            if (GetNeighbor(number, step, false).first != NOBODY)
            {
                const auto arrival = stage.arrivals.find(stage.nextStep);
                if (arrival == stage.arrivals.end())
                {
                    break;
                }
                stage.computeFree = std::max(stage.computeFree, arrival->second);
            }
            Check(number, step);
            stage.computeFree += GetDuration(step.pass);
            const Place next = GetNeighbor(number, step, true);
            if (next.first != NOBODY)
            {
                const bool forward = step.pass == ns3::llm::TrainingPass::FORWARD;
                stage.sends.push_back({next.first,
                                       {forward, step.microBatch, next.second},
                                       stage.computeFree,
                                       false});
            }
        }
        return stage.nextStep > before;
    }

    /** Send what is next. @param number the stage @return whether there was something */
    bool Send(uint32_t number)
    {
        Stage& stage = m_stages[number];
        if (stage.sends.empty() || stage.sends.front().posted)
        {
            return false;
        }
        Output& output = stage.sends.front();
        stage.sendFree = std::max(stage.sendFree, output.ready);
        m_channels[{number, output.destination}].push_back({output.key, stage.sendFree});
        output.posted = true;
        if (m_sending == EAGER)
        {
            stage.sends.pop_front();
        }
        return true;
    }

    /** Receive what is next. @param number the stage @return whether it was there */
    bool Receive(uint32_t number)
    {
        Stage& stage = m_stages[number];
        if (stage.nextReceive == stage.receives.size())
        {
            return false;
        }
        const Input& input = stage.receives[stage.nextReceive];
        auto& channel = m_channels[{input.source, number}];
        if (channel.empty())
        {
            return false;
        }
        if (channel.front().key != input.key)
        {
            m_error = "stage " + std::to_string(number) + " gets a message that it does not expect";
            return false;
        }
        stage.receiveFree = std::max(stage.receiveFree, channel.front().sent);
        channel.pop_front();
        stage.arrivals[input.step] = stage.receiveFree;
        if (m_sending == BLOCKING)
        {
            Stage& source = m_stages[input.source];
            source.sendFree = stage.receiveFree;
            source.sends.pop_front();
        }
        ++stage.nextReceive;
        return true;
    }

    ns3::llm::PipelineShape m_shape; //!< the pipeline
    Durations m_durations;           //!< of passes
    Sending m_sending;               //!< when a send is over
    std::vector<Stage> m_stages;     //!< by number
    std::map<std::pair<uint32_t, uint32_t>, std::deque<Message>>
        m_channels;      //!< by source and destination
    std::string m_error; //!< what went wrong, or ""
};

#endif // LLM_FABRIC_SCHEDULE_REPLAY_H
