// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MODEL_PARTITION_H
#define LLM_FABRIC_MODEL_PARTITION_H

#include "parallel-strategy.h"
#include "transformer-model.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Which stage has which part of a model: the embedding is on the first stage, the logits are on the
 * last, and blocks lie in the order of the model along chunk 0 of all stages, then chunk 1, and so on.
 */
class ModelPartition
{
  public:
    /**
     * @param model a model
     * @param strategy a strategy that was validated with it
     */
    ModelPartition(const TransformerModel& model, const ParallelStrategy& strategy);

    /**
     * @param stage a stage
     * @param chunk a model chunk of it
     * @return number of its blocks
     */
    uint32_t GetBlockCount(uint32_t stage, uint32_t chunk) const;
    /**
     * @param stage a stage
     * @param chunk a model chunk of it
     * @return its first block, counted over the model
     */
    uint32_t GetFirstBlock(uint32_t stage, uint32_t chunk) const;
    /**
     * @param stage a stage
     * @return its blocks in the order of a forward pass through all its chunks
     */
    std::vector<uint32_t> GetBlocks(uint32_t stage) const;
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
    ParameterCount GetParameters(uint32_t stage) const;

  private:
    TransformerModel m_model;            //!< the model
    uint32_t m_stages;                   //!< stages
    uint32_t m_chunks;                   //!< model chunks of a stage
    std::vector<uint32_t> m_firstBlocks; //!< by chunk in the model's order, and the end
};

} // namespace ns3::llm

#endif // LLM_FABRIC_MODEL_PARTITION_H
