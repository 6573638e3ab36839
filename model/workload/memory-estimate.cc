// SPDX-License-Identifier: GPL-2.0-only

#include "memory-estimate.h"

#include "model-partition.h"

#include <algorithm>
#include <cstdio>

namespace ns3::llm
{

namespace
{

/** Bytes that a block keeps of a token, and of its attention scores. */
struct BlockActivations
{
    uint64_t replicated = 0; //!< of each token, on every rank; divided by TP with SP
    uint64_t sharded = 0;    //!< of each token, before the division by TP
    uint64_t scores = 0;     //!< of each token, of its row of scores, before the division by TP

    /**
     * @param other activations of another part
     * @return this, with those of the other part
     */
    BlockActivations& operator+=(const BlockActivations& other)
    {
        replicated += other.replicated;
        sharded += other.sharded;
        scores += other.scores;
        return *this;
    }
};

/**
 * @param input what it depends on
 * @return activations of the attention, with its norm
 */
BlockActivations
GetAttention(const MemoryInput& input)
{
    const TransformerShape& shape = input.model.GetShape();
    const uint64_t element = input.options.operators.activationBytes;
    const uint64_t mask = input.options.operators.dropout ? 1 : 0;
    BlockActivations result;
    // inputs of the norm and of QKV, and a mask
    result.replicated = (2 * element + mask) * shape.hidden;
    uint64_t heads = (shape.heads + 2 * shape.keyValueHeads) * shape.headSize; // Q, K, V
    uint64_t values = shape.heads * shape.headSize;
    if (shape.latent.keyValueRank > 0)
    {
        const auto& latent = shape.latent;
        const uint64_t key = latent.noRopeHeadSize + latent.ropeHeadSize;
        heads = shape.heads * (2 * key + latent.valueHeadSize);
        values = shape.heads * latent.valueHeadSize;
        result.replicated +=
            element * (latent.queryRank + latent.keyValueRank + latent.ropeHeadSize);
    }
    result.sharded = element * (heads + values);
    if (input.options.operators.fusedAttention)
    {
        constexpr uint64_t ROW_BYTES = 4; // logarithm of the sum of exponentials, 32 bit
        result.sharded += ROW_BYTES * shape.heads;
    }
    else
    {
        // the softmax's result; with dropout its mask and the result of that
        const uint64_t each = element + mask * (1 + element);
        result.scores = each * shape.heads * input.strategy.sequenceLength;
    }
    return result;
}

/**
 * @param input what it depends on
 * @param width of a feed-forward
 * @return activations between its matrices, of a token
 */
uint64_t
GetInner(const MemoryInput& input, uint64_t width)
{
    // input and result of the activation function; gated: two inputs
    const uint64_t tensors = input.model.GetShape().gated ? 3 : 2;
    return tensors * width * input.options.operators.activationBytes;
}

/**
 * @param input what it depends on
 * @param block the block
 * @return activations of the feed-forward, with its norm
 */
BlockActivations
GetFeedForward(const MemoryInput& input, uint32_t block)
{
    const TransformerShape& shape = input.model.GetShape();
    const uint64_t element = input.options.operators.activationBytes;
    BlockActivations result;
    if (!shape.parallelBlock)
    {
        result.replicated = element * shape.hidden; // input of the first matrix
    }
    if (shape.blockNorms > 1)
    {
        result.replicated += element * shape.hidden; // input of the norm
    }
    result.replicated += (input.options.operators.dropout ? 1 : 0) * shape.hidden;
    if (!shape.IsExpertLayer(block))
    {
        result.sharded = GetInner(input, shape.feedForward);
        return result;
    }
    const auto& experts = shape.experts;
    constexpr uint64_t SCORE_BYTES = 4; // the router's scores are of 32 bit
    result.replicated += SCORE_BYTES * experts.count;
    // what experts are given and what they return, once for each expert that a token passes
    result.replicated += 2 * element * shape.hidden * experts.perToken;
    result.sharded = GetInner(input, experts.feedForward * experts.perToken) +
                     GetInner(input, experts.sharedFeedForward);
    return result;
}

/**
 * @param input what it depends on
 * @param activations of each token
 * @return bytes of a micro-batch on a rank
 */
uint64_t
GetBytes(const MemoryInput& input, const BlockActivations& activations)
{
    const auto& strategy = input.strategy;
    const uint64_t tokens = strategy.GetMicroBatchTokens() / strategy.contextParallel;
    const uint64_t tensor = strategy.tensorParallel;
    const uint64_t replicated = tokens * activations.replicated;
    return (strategy.sequenceParallel ? replicated / tensor : replicated) +
           tokens * (activations.sharded + activations.scores) / tensor;
}

/**
 * @param input what it depends on
 * @param block the block
 * @return bytes that the block's backward pass needs, however they come about
 */
uint64_t
GetWholeBytes(const MemoryInput& input, uint32_t block)
{
    BlockActivations all = GetAttention(input);
    all += GetFeedForward(input, block);
    return GetBytes(input, all);
}

/** The blocks of a stage. */
struct StageBlocks
{
    ParameterCount largest;   //!< of its largest block
    uint64_t activations = 0; //!< of a micro-batch in all blocks
    uint64_t recomputed = 0;  //!< bytes that one block computes again
};

/**
 * @param input what it depends on
 * @param stage a stage
 * @return its blocks
 */
StageBlocks
GetBlocks(const MemoryInput& input, uint32_t stage)
{
    StageBlocks result;
    for (const uint32_t block : ModelPartition(input.model, input.strategy).GetBlocks(stage))
    {
        const ParameterCount parameters = input.model.GetBlockParameters(block);
        if (parameters.GetTotal() > result.largest.GetTotal())
        {
            result.largest = parameters;
        }
        const uint64_t kept = GetBlockActivationBytes(input, block);
        result.activations += kept;
        result.recomputed = std::max(result.recomputed, GetWholeBytes(input, block) - kept);
    }
    return result;
}

} // namespace

uint64_t
MemoryEstimate::GetTotal() const
{
    return parameters + gradients + optimizer + activations + buffers;
}

std::string
MemoryEstimate::Describe() const
{
    constexpr double GIB = 1 << 30;
    const auto toGib = [](uint64_t bytes)
    {
        return static_cast<double>(bytes) / GIB;
    };
    char text[200];
    std::snprintf(text,
                  sizeof(text),
                  "parameters %.2f + gradients %.2f + optimizer %.2f + activations %.2f + buffers "
                  "%.2f = %.2f GiB",
                  toGib(parameters),
                  toGib(gradients),
                  toGib(optimizer),
                  toGib(activations),
                  toGib(buffers),
                  toGib(GetTotal()));
    return text;
}

uint64_t
GetBlockActivationBytes(const MemoryInput& input, uint32_t block)
{
    if (input.strategy.recomputation == Recomputation::FULL)
    {
        BlockActivations entry;
        entry.replicated = input.options.operators.activationBytes * input.model.GetShape().hidden;
        return GetBytes(input, entry);
    }
    BlockActivations all = GetAttention(input);
    all += GetFeedForward(input, block);
    if (input.strategy.recomputation == Recomputation::SELECTIVE)
    {
        all.scores = 0;
    }
    return GetBytes(input, all);
}

MemoryEstimate
EstimateMemory(const MemoryInput& input, uint32_t stage)
{
    const auto& strategy = input.strategy;
    const uint64_t element = input.options.operators.activationBytes;
    const StageBlocks blocks = GetBlocks(input, stage);
    const ParameterCount count = ModelPartition(input.model, strategy).GetParameters(stage);
    const uint64_t dense = count.GetDensePerRank(strategy.tensorParallel);
    const uint64_t expert =
        count.GetExpertsPerRank(strategy.tensorParallel, strategy.expertParallel);
    // what a ZeRO stage divides is divided by the ranks that have the same parameters
    const auto held = [&](uint32_t zeroStage)
    {
        if (strategy.zeroStage < zeroStage)
        {
            return dense + expert;
        }
        const uint64_t ranks = strategy.GetSize(ParallelDimension::DATA);
        const uint64_t expertRanks = strategy.GetSize(ParallelDimension::EXPERT_DATA);
        return (dense + ranks - 1) / ranks + (expert + expertRanks - 1) / expertRanks;
    };
    MemoryEstimate result;
    result.parameters = element * held(3);
    result.gradients = input.options.memory.gradientBytes * held(2);
    result.optimizer = input.options.memory.optimizerBytes * held(1);
    const PipelineShape shape{strategy.pipelineParallel,
                              strategy.modelChunks,
                              strategy.GetMicroBatchCount()};
    const uint64_t passes = input.schedule.GetPeakActivations(shape, stage);
    result.activations = passes * blocks.activations / strategy.modelChunks;
    result.buffers = blocks.recomputed;
    if (strategy.zeroStage == 3)
    {
        const uint64_t gathered =
            blocks.largest.GetPerRank(strategy.tensorParallel, strategy.expertParallel);
        result.buffers += element * gathered * (1 + input.options.prefetchBlocks);
    }
    if (stage + 1 == strategy.pipelineParallel)
    {
        constexpr uint64_t LOGIT_BYTES = 4; // the cross entropy works in 32 bit
        const uint64_t tokens = strategy.GetMicroBatchTokens() / strategy.contextParallel;
        result.buffers += tokens * input.model.GetShape().vocabulary / strategy.tensorParallel *
                          (element + LOGIT_BYTES);
    }
    return result;
}

} // namespace ns3::llm
