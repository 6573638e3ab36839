// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_WORKLOAD_H
#define LLM_FABRIC_TRANSFORMER_WORKLOAD_H

#include "accelerator.h"
#include "memory-estimate.h"
#include "model-partition.h"
#include "operator-cost-model.h"
#include "parallel-strategy.h"
#include "pipeline-schedule.h"
#include "timed-step.h"
#include "training-graph.h"
#include "transformer-model.h"
#include "transformer-operators.h"
#include "transformer-workload-options.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * A transformer on accelerators by a strategy: makes the training graph of each rank.
 *
 * Model parts are the embedding (first stage), the blocks, and the logits with the loss (last stage).
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
     * @param config what it is made of; null pointers mean RooflineCostModel::Create() and
     *        MakeUsualSchedule()
     * @param ranks accelerators of the job; a strategy that does not fit is refused
     */
    TransformerWorkload(const Config& config, uint32_t ranks);

    /**
     * @param rank a rank
     * @return its training graph, which keeps this object alive
     */
    std::unique_ptr<TrainingGraph> MakeGraph(uint32_t rank) const;

    /** @return what it is made of, with the padded model; no null pointers */
    const Config& GetConfig() const;
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

    /** @return which stage has what */
    const ModelPartition& GetPartition() const;

    /**
     * @param stage a stage
     * @return memory that an accelerator of it needs
     */
    MemoryEstimate GetMemory(uint32_t stage) const;

    /** @param pass which way @return steps of the embedding */
    const std::vector<TimedStep>& GetEmbeddingSteps(TrainingPass pass) const;
    /**
     * @param pass which way
     * @param block a block of the model
     * @return steps of the block
     */
    const std::vector<TimedStep>& GetBlockSteps(TrainingPass pass, uint32_t block) const;
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
     * @return bytes of a rank's gradients that are reduced along DATA and EXPERT_DATA; from ZeRO stage 2
     *         on so many for each micro-batch
     */
    uint64_t GetGradientBytes(uint32_t stage) const;
    /**
     * @param count parameters of a part of the model
     * @return those of a rank that ranks along DATA have as well
     */
    uint64_t GetDenseParameters(const ParameterCount& count) const;
    /** @return along which dimension ranks have the same experts: DATA unless EP divides them */
    ParallelDimension GetExpertDimension() const;
    /**
     * @param count parameters of a part of the model
     * @return those of a rank that only ranks along GetExpertDimension() have as well
     */
    uint64_t GetExpertParameters(const ParameterCount& count) const;
    /**
     * @param stage a stage
     * @return bytes of the word embedding's gradient that first and last stage sum, of a rank; 0 on
     *         other stages and if the output matrix is not tied to an embedding on another stage
     */
    uint64_t GetSharedEmbeddingBytes(uint32_t stage) const;

  private:
    /** The steps of a part, by TrainingPass. */
    using Part = std::array<std::vector<TimedStep>, 4>;

    /** Refuse what the constructor was given wrong. @param ranks accelerators of the job */
    void Validate(uint32_t ranks) const;
    /** Refuse what the accelerator's memory cannot hold. */
    void CheckMemory() const;
    /** Find out how long each part and pass takes. */
    void TimeParts();
    /**
     * @param parameters of a rank
     * @param sharers ranks that have the same; with ZeRO each updates its share
     * @return those that it updates
     */
    uint64_t GetUpdated(uint64_t parameters, uint32_t sharers) const;

    Config m_config;                           //!< what it is made of, with the padded model
    uint64_t m_unpaddedVocabulary;             //!< vocabulary before padding
    std::optional<ModelPartition> m_partition; //!< which stage has what
    uint64_t m_activationBytes;                //!< of one micro-batch, between two blocks
    Part m_embedding;                          //!< first stage
    Part m_denseBlock;                         //!< blocks without experts
    Part m_expertBlock;                        //!< blocks with experts
    Part m_logits;                             //!< last stage
    std::vector<Time> m_optimizer;             //!< by stage
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_WORKLOAD_H
