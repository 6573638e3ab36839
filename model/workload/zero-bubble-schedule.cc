// SPDX-License-Identifier: GPL-2.0-only

#include "zero-bubble-schedule.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/** How a stage goes through its micro-batches. */
struct Turns
{
    uint64_t microBatches; //!< as many turns
    uint64_t warmUp;       //!< forward passes before the first turn
    uint64_t delay;        //!< turns by which gradients of weights are put off

    /**
     * @param turn a turn, or the number of turns
     * @return steps before it
     */
    uint64_t CountBefore(uint64_t turn) const
    {
        const uint64_t forward = std::min(warmUp + turn, microBatches);
        const uint64_t weights = turn - std::min(turn, delay);
        return forward + turn + weights;
    }

    /**
     * @param index a step, not before the first turn
     * @return its turn, below microBatches, or microBatches if it comes after the last
     */
    uint64_t Find(uint64_t index) const
    {
        uint64_t low = 0;
        uint64_t high = microBatches + 1;
        while (high - low > 1)
        {
            const uint64_t middle = (low + high) / 2;
            (CountBefore(middle) <= index ? low : high) = middle;
        }
        return low;
    }
};

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ZeroBubbleSchedule);

TypeId
ZeroBubbleSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::ZeroBubbleSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<ZeroBubbleSchedule>();
    return tid;
}

std::string
ZeroBubbleSchedule::GetRefusal(const PipelineShape& shape) const
{
    if (shape.modelChunks == 1)
    {
        return "";
    }
    return "ZeroBubbleSchedule runs one model chunk a stage, not " +
           std::to_string(shape.modelChunks) + " model chunks; did you mean InterleavedSchedule?";
}

bool
ZeroBubbleSchedule::SplitsBackward() const
{
    return true;
}

PipelineStep
ZeroBubbleSchedule::GetStep(const PipelineShape& shape, uint32_t stage, uint64_t index) const
{
    const uint64_t warmUp = std::min(shape.stages - 1 - stage, shape.microBatches);
    const Turns turns{shape.microBatches, warmUp, stage};
    const auto make = [](TrainingPass pass, uint64_t microBatch) -> PipelineStep
    {
        return {pass, static_cast<uint32_t>(microBatch), 0};
    };
    if (index < warmUp)
    {
        return make(TrainingPass::FORWARD, index);
    }
    const uint64_t turn = turns.Find(index);
    const uint64_t place = index - turns.CountBefore(turn);
    if (turn == turns.microBatches)
    {
        const uint64_t done = turn - std::min<uint64_t>(turn, stage);
        return make(TrainingPass::BACKWARD_WEIGHT, done + place);
    }
    const bool hasForward = warmUp + turn < turns.microBatches;
    if (hasForward && place == 0)
    {
        return make(TrainingPass::FORWARD, warmUp + turn);
    }
    if (place == (hasForward ? 1 : 0))
    {
        return make(TrainingPass::BACKWARD_INPUT, turn);
    }
    return make(TrainingPass::BACKWARD_WEIGHT, turn - stage);
}

uint64_t
ZeroBubbleSchedule::GetPeakActivations(const PipelineShape& shape, uint32_t /* stage */) const
{
    return std::min(shape.stages, shape.microBatches);
}

} // namespace ns3::llm
