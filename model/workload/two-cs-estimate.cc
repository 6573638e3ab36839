// SPDX-License-Identifier: GPL-2.0-only

#include "two-cs-estimate.h"

#include "transformer-operators.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/**
 * @param shape a layer
 * @return a model of that one layer
 */
TransformerModel
MakeTwoCsModel(const TwoCsShape& shape)
{
    constexpr uint64_t HEAD_SIZE = 128;
    TransformerShape model;
    model.name = "layer of hidden size " + std::to_string(shape.hidden);
    model.hidden = shape.hidden;
    model.layers = 1;
    model.heads = std::max({shape.hidden / HEAD_SIZE, shape.tensorParallel, uint64_t{1}});
    model.keyValueHeads = model.heads;
    model.headSize = shape.hidden / model.heads;
    model.feedForward = 4 * shape.hidden;
    model.maxPositions = shape.sequenceLength;
    model.vocabulary = shape.tensorParallel; // the block does not see it
    return TransformerModel(model);
}

/** What the steps of a pass add up to. */
struct StepSums
{
    double seconds = 0;          //!< compute
    double tensorBytes = 0;      //!< of all-reduces
    double gradientElements = 0; //!< gradients that become complete

    /**
     * @param steps of a pass
     * @param model what an operator costs
     * @param accelerator what runs it
     */
    StepSums(const TransformerOperators::Steps& steps,
             const OperatorCostModel& model,
             const Accelerator& accelerator)
    {
        Time compute(0);
        for (const TransformerStep& step : steps)
        {
            if (step.kind == TransformerStep::OPERATOR)
            {
                compute += model.GetTime(step.op, accelerator);
            }
            tensorBytes += static_cast<double>(step.bytes);
            gradientElements += static_cast<double>(step.parameters);
        }
        // GetSeconds() is good to 5e-20 s, which is not enough for microseconds
        seconds = static_cast<double>(compute.GetPicoSeconds()) / 1e12;
    }
};

} // namespace

double
TwoCsTimes::GetComputeSeconds() const
{
    return forwardSeconds + backwardSeconds;
}

double
TwoCsTimes::GetOverlappedSeconds() const
{
    return std::min(gradientSeconds, backwardSeconds);
}

double
TwoCsTimes::GetExposedSeconds() const
{
    return gradientSeconds - GetOverlappedSeconds();
}

double
TwoCsTimes::GetTotalSeconds() const
{
    return GetComputeSeconds() + serializedSeconds + GetExposedSeconds();
}

double
TwoCsTimes::GetSerializedPercent() const
{
    return 100 * serializedSeconds / (serializedSeconds + GetComputeSeconds());
}

double
TwoCsTimes::GetOverlappedPercent() const
{
    return 100 * gradientSeconds / backwardSeconds;
}

TwoCsMachine
TwoCsMachine::Make(const Accelerator& accelerator, double efficiency)
{
    TwoCsMachine machine;
    machine.flopsPerSecond = efficiency * accelerator.matrixFlopsPerSecond;
    machine.ringBytesPerSecond = static_cast<double>(accelerator.scaleUpRate.GetBitRate()) / 8;
    return machine;
}

double
GetRingSeconds(double bytes, uint32_t ranks, double bytesPerSecond)
{
    const double share = ranks == 0 ? 1 : 1 - 1.0 / ranks;
    return 2 * share * bytes / bytesPerSecond;
}

TwoCsTimes
EstimateTwoCs(const TwoCsShape& shape, const TwoCsMachine& machine)
{
    shape.Check();
    const double rate = machine.ringBytesPerSecond;
    TwoCsTimes times;
    times.forwardSeconds = static_cast<double>(shape.GetForwardFlops()) / machine.flopsPerSecond;
    times.backwardSeconds = static_cast<double>(shape.GetBackwardFlops()) / machine.flopsPerSecond;
    times.serializedSeconds = GetRingSeconds(static_cast<double>(shape.GetTensorBytes()),
                                             static_cast<uint32_t>(shape.tensorParallel),
                                             rate);
    times.gradientSeconds =
        GetRingSeconds(static_cast<double>(shape.GetGradientBytes()), machine.dataParallel, rate);
    return times;
}

TwoCsTimes
EstimateTwoCs(const TwoCsShape& shape,
              const OperatorCostModel& model,
              const Accelerator& accelerator,
              uint32_t dataParallel)
{
    shape.Check();
    ParallelStrategy strategy;
    strategy.tensorParallel = static_cast<uint32_t>(shape.tensorParallel);
    strategy.microBatchSize = static_cast<uint32_t>(shape.batch);
    strategy.globalBatchSize = strategy.microBatchSize;
    strategy.sequenceLength = static_cast<uint32_t>(shape.sequenceLength);
    const TransformerModel layer = MakeTwoCsModel(shape);
    strategy.Validate(strategy.tensorParallel, layer);
    OperatorOptions options;
    options.activationBytes = static_cast<uint32_t>(shape.elementBytes);
    options.overlapBackward = false;
    const TransformerOperators operators(layer, strategy, options);
    const StepSums forward(operators.GetBlock(TrainingPass::FORWARD), model, accelerator);
    const StepSums backward(operators.GetBlock(TrainingPass::BACKWARD), model, accelerator);
    const double rate = TwoCsMachine::Make(accelerator, 1).ringBytesPerSecond;
    TwoCsTimes times;
    times.forwardSeconds = forward.seconds;
    times.backwardSeconds = backward.seconds;
    times.serializedSeconds =
        GetRingSeconds(forward.tensorBytes + backward.tensorBytes, strategy.tensorParallel, rate);
    times.gradientSeconds =
        GetRingSeconds(backward.gradientElements * static_cast<double>(shape.elementBytes),
                       dataParallel,
                       rate);
    return times;
}

double
GetFirstOrderOverlap(double tokens, double elementBytes, const TwoCsMachine& machine)
{
    // a weight takes two multiply-accumulates a token backward, and its gradient is sent twice
    const double backwardSeconds = 4 * tokens / machine.flopsPerSecond;
    return 100 * GetRingSeconds(elementBytes, 0, machine.ringBytesPerSecond) / backwardSeconds;
}

} // namespace ns3::llm
