// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATOR_TEST_SUPPORT_H
#define LLM_FABRIC_OPERATOR_TEST_SUPPORT_H

#include "workload-test-support.h"

#include "ns3/transformer-operators.h"

#include <functional>
#include <memory>
#include <string>

/**
 * @file
 * @ingroup llm-fabric-test
 * Sums over the steps of a pass, and models made by hand.
 */

namespace ns3::llm
{

/** Which steps to look at; all if none is given. */
using StepFilter = std::function<bool(const TransformerStep&)>;

/**
 * @param layers blocks
 * @param hidden hidden size
 * @param heads heads
 * @return a GPT as Megatron-LM has it: learned positions, biases everywhere, vocabulary 51200
 */
inline TransformerShape
MakeGpt(uint64_t layers, uint64_t hidden, uint64_t heads)
{
    TransformerShape shape;
    shape.name = "gpt";
    shape.family = "gpt2";
    shape.hidden = hidden;
    shape.layers = layers;
    shape.heads = shape.keyValueHeads = heads;
    shape.headSize = hidden / heads;
    shape.feedForward = 4 * hidden;
    shape.vocabulary = 51200;
    shape.maxPositions = shape.positionRows = 2048;
    shape.tied = true;
    shape.qkvBias = shape.outputBias = shape.feedForwardBias = true;
    return shape;
}

/** @param step a step @return whether it computes */
inline bool
IsOperator(const TransformerStep& step)
{
    return step.kind == TransformerStep::OPERATOR;
}

/** @param step a step @return whether it is a matrix product */
inline bool
IsMatrix(const TransformerStep& step)
{
    return IsOperator(step) && step.op.kind == ModelOperator::MATRIX;
}

/** @param share a share @return a filter for its steps */
inline StepFilter
OfShare(TransformerStep::Share share)
{
    return [share](const TransformerStep& step)
    {
        return step.share == share;
    };
}

/** @param name of operators @return a filter for them */
inline StepFilter
Named(const std::string& name)
{
    return [name](const TransformerStep& step)
    {
        return IsOperator(step) && step.op.name == name;
    };
}

/**
 * @param steps a pass
 * @param filter which steps
 * @return operations of its matrix products
 */
inline uint64_t
SumFlops(const TransformerOperators::Steps& steps, const StepFilter& filter = nullptr)
{
    uint64_t sum = 0;
    for (const auto& step : steps)
    {
        sum += IsMatrix(step) && (!filter || filter(step)) ? step.op.flops : 0;
    }
    return sum;
}

/**
 * @param steps a pass
 * @param filter which steps
 * @return bytes that its vector operators read and write
 */
inline uint64_t
SumVectorBytes(const TransformerOperators::Steps& steps, const StepFilter& filter = nullptr)
{
    uint64_t sum = 0;
    for (const auto& step : steps)
    {
        const bool counts = IsOperator(step) && !IsMatrix(step) && (!filter || filter(step));
        sum += counts ? step.op.bytes : 0;
    }
    return sum;
}

/**
 * @param steps a pass
 * @param task what communicates
 * @param dimension along which
 * @return sum of its sizes
 */
inline uint64_t
SumTraffic(const TransformerOperators::Steps& steps,
           TrainingTask::Kind task,
           ParallelDimension dimension)
{
    uint64_t sum = 0;
    for (const auto& step : steps)
    {
        const bool counts = step.kind == TransformerStep::COMMUNICATION && step.task == task &&
                            step.dimension == dimension;
        sum += counts ? step.bytes : 0;
    }
    return sum;
}

/**
 * @param steps a pass
 * @param filter which steps
 * @return how many
 */
inline uint64_t
CountSteps(const TransformerOperators::Steps& steps, const StepFilter& filter)
{
    uint64_t count = 0;
    for (const auto& step : steps)
    {
        count += filter(step) ? 1 : 0;
    }
    return count;
}

/** @param kind a kind @return a filter for its steps */
inline StepFilter
OfKind(TransformerStep::Kind kind)
{
    return [kind](const TransformerStep& step)
    {
        return step.kind == kind;
    };
}

/**
 * @param steps a pass
 * @return the names of its operators and what it says, one after the other
 */
inline std::string
DescribeSteps(const TransformerOperators::Steps& steps)
{
    constexpr const char* TASKS[] = {"compute", "AR", "AG", "RS", "A2A", "send", "receive"};
    std::string text;
    for (const auto& step : steps)
    {
        text += text.empty() ? "" : ", ";
        switch (step.kind)
        {
        case TransformerStep::OPERATOR:
            text += step.op.name;
            break;
        case TransformerStep::COMMUNICATION:
            text += TASKS[step.task];
            break;
        case TransformerStep::WAIT:
            text += "wait";
            break;
        case TransformerStep::GRADIENT:
            text += step.expert ? "expert gradient" : "gradient";
            break;
        }
    }
    return text;
}

constexpr uint64_t GPT_HIDDEN = 1024; //!< hidden size of the models of MakeGptOperators()
constexpr uint64_t GPT_HEADS = 16;    //!< likewise their heads
constexpr uint64_t GPT_TOKENS = 2048; //!< likewise tokens of each of two sequences

/**
 * @param tensor TP
 * @param context CP
 * @param options what the software does
 * @param change made to the strategy
 * @param keyValueHeads of the model
 * @return lists for two sequences
 */
inline std::unique_ptr<TransformerOperators>
MakeGptOperators(uint32_t tensor,
                 uint32_t context,
                 const OperatorOptions& options = {},
                 const std::function<void(ParallelStrategy&)>& change = nullptr,
                 uint64_t keyValueHeads = GPT_HEADS)
{
    TransformerShape shape = MakeGpt(2, GPT_HIDDEN, GPT_HEADS);
    shape.keyValueHeads = keyValueHeads;
    ParallelStrategy strategy = MakeStrategy(tensor, 1, 1, 1, GPT_TOKENS);
    strategy.microBatchSize = strategy.globalBatchSize = 2;
    strategy.contextParallel = context;
    if (change)
    {
        change(strategy);
    }
    return std::make_unique<TransformerOperators>(TransformerModel(shape), strategy, options);
}

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATOR_TEST_SUPPORT_H
