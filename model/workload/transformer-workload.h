// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_WORKLOAD_H
#define LLM_FABRIC_TRANSFORMER_WORKLOAD_H

#include "accelerator.h"
#include "operator-cost-model.h"
#include "parallel-strategy.h"
#include "pipeline-schedule.h"
#include "training-graph.h"
#include "transformer-model.h"
#include "transformer-operators.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Choices beyond model, accelerator and strategy.
 */
struct TransformerWorkloadOptions
{
    uint32_t activationBytes = 2; //!< bytes of an element of activations and weights (bfloat16)
    uint32_t gradientBytes = 2; //!< bytes of a gradient in the data-parallel all-reduce (bfloat16)
    /**
     * A data-parallel bucket is sent once it holds at least this many bytes. The default is that of
     * PyTorch's DistributedDataParallel, 25 MiB; gradients of the attention or the feed-forward of a
     * block, of the embedding and of the logits are never split.
     */
    uint64_t bucketBytes = uint64_t(25) << 20;
    /** Send buckets during the last micro-batch's backward pass; else all at once after it. */
    bool overlapGradients = true;
    /** Backward tensor-parallel all-reduces run while weight gradients are computed. */
    bool overlapTensorBackward = true;
    /**
     * Each rank of a tensor group sends its share of the activations to the next stage, where the
     * group gathers them (arXiv 2104.04473, section 4.1); else each rank sends the whole tensor.
     */
    bool scatterGather = false;
    /** Pad the vocabulary (PadVocabulary()); else TP must divide it. */
    bool padVocabulary = true;
    /**
     * Memory traffic of the optimizer's step, bytes for each parameter: Adam with 32-bit master
     * weights and moments reads a gradient (2), reads and writes weight and both moments (24), and
     * writes a 16-bit weight (2).
     */
    uint32_t optimizerBytesPerParameter = 28;
};

/**
 * @ingroup llm-fabric-workload
 * A step of a pass through a part of a model, in time: successive operators are one.
 */
struct TimedStep
{
    /** What the step is, as TransformerStep::Kind; OPERATOR is a sequence of operators. */
    TransformerStep::Kind kind = TransformerStep::OPERATOR;
    Time duration;      //!< OPERATOR: how long
    uint64_t bytes = 0; //!< COLLECTIVE: size of the tensor; GRADIENT: bytes to reduce
};

/**
 * @ingroup llm-fabric-workload
 * A transformer on accelerators by a strategy: makes the training graph of each rank.
 *
 * Model parts are the embedding (first stage), the blocks (equally many for each stage and model
 * chunk), and the logits with the loss (last stage).
 */
class TransformerWorkload : public SimpleRefCount<TransformerWorkload>
{
  public:
    /** What a workload is made of. */
    struct Config
    {
        TransformerModel model;               //!< the model, with its own vocabulary
        Accelerator accelerator;              //!< each rank has one
        ParallelStrategy strategy;            //!< how it is divided
        Ptr<const OperatorCostModel> cost;    //!< time of operators
        Ptr<const PipelineSchedule> schedule; //!< order of micro-batches
        TransformerWorkloadOptions options;   //!< the rest
    };

    /**
     * Check everything and compute the times of all parts.
     * @param config what it is made of; null pointers mean RooflineCostModel and
     *        OneForwardOneBackwardSchedule with their defaults
     * @param ranks accelerators of the job; a strategy that does not fit is refused
     */
    TransformerWorkload(const Config& config, uint32_t ranks);

    /**
     * @param rank a rank
     * @return its training graph, which keeps this object alive
     */
    std::unique_ptr<TrainingGraph> MakeGraph(uint32_t rank) const;

    /** @return the model, with its vocabulary padded if the options say so */
    const TransformerModel& GetModel() const;
    /** @return the vocabulary before padding */
    uint64_t GetUnpaddedVocabulary() const;
    /** @return the accelerator */
    const Accelerator& GetAccelerator() const;
    /** @return the strategy */
    const ParallelStrategy& GetStrategy() const;
    /** @return the options */
    const TransformerWorkloadOptions& GetOptions() const;
    /** @return the schedule */
    Ptr<const PipelineSchedule> GetSchedule() const;
    /** @return the pipeline */
    PipelineShape GetPipelineShape() const;

    /** @return blocks of a model chunk of a stage */
    uint32_t GetChunkBlocks() const;
    /**
     * @param stage a stage
     * @param chunk a model chunk of it
     * @return whether the embedding comes before it
     */
    bool IsFirst(uint32_t stage, uint32_t chunk) const;
    /**
     * @param stage a stage
     * @param chunk a model chunk of it
     * @return whether the logits come after it
     */
    bool IsLast(uint32_t stage, uint32_t chunk) const;
    /**
     * @param stage a stage
     * @return its parameters; a tied output matrix on another stage than the embedding counts there
     *         once more
     */
    ParameterCount GetStageParameters(uint32_t stage) const;

    /** @param pass which way @return steps of the embedding */
    const std::vector<TimedStep>& GetEmbeddingSteps(TrainingPass pass) const;
    /** @param pass which way @return steps of a block */
    const std::vector<TimedStep>& GetBlockSteps(TrainingPass pass) const;
    /** @param pass which way @return steps of the logits */
    const std::vector<TimedStep>& GetLogitsSteps(TrainingPass pass) const;
    /**
     * @param stage a stage
     * @return time of the optimizer's step
     */
    Time GetOptimizerTime(uint32_t stage) const;
    /** @return bytes of the message that a rank sends to a neighbor stage for a micro-batch */
    uint64_t GetPipelineMessageBytes() const;
    /** @return bytes of the activations between two blocks, of one micro-batch */
    uint64_t GetActivationBytes() const;
    /**
     * @param stage a stage
     * @return data-parallel gradient bytes of a rank in an iteration
     */
    uint64_t GetGradientBytes(uint32_t stage) const;

  private:
    /** The steps of a part, by pass. */
    struct Part
    {
        std::vector<TimedStep> forward;  //!< forward pass
        std::vector<TimedStep> backward; //!< backward pass
        /** @param pass which way @return its steps */
        const std::vector<TimedStep>& Get(TrainingPass pass) const;
    };

    /** Refuse what the constructor was given wrong. @param ranks accelerators of the job */
    void Validate(uint32_t ranks) const;
    /**
     * @param steps operators and marks
     * @return the same in time
     */
    std::vector<TimedStep> GetTimed(const TransformerOperators::Steps& steps) const;

    Config m_config;               //!< what it is made of, with the padded model
    uint64_t m_unpaddedVocabulary; //!< vocabulary before padding
    uint64_t m_activationBytes;    //!< of one micro-batch, between two blocks
    Part m_embedding;              //!< first stage
    Part m_block;                  //!< every block
    Part m_logits;                 //!< last stage
    std::vector<Time> m_optimizer; //!< by stage
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_WORKLOAD_H
