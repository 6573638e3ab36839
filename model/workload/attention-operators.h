// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ATTENTION_OPERATORS_H
#define LLM_FABRIC_ATTENTION_OPERATORS_H

#include "attention-core.h"
#include "operator-list.h"

#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Attention of a block, from its normalized input to the output projection. Heads are divided among a
 * tensor group; the matrices to latents (DeepSeek-V2, arXiv 2405.04434) are not.
 */
class AttentionOperators
{
  public:
    /** @param share what the rank has; must outlive this */
    explicit AttentionOperators(const RankShare& share);

    /** Before the sum over the tensor group. @param list where to list the forward pass */
    void AddForward(OperatorList& list) const;
    /**
     * From the gradient of all tokens' output to that of the input, summed over the group.
     * @param list where to list the backward pass
     * @param beside products by columns of the same input, whose gradients go into the same sum
     */
    void AddBackward(OperatorList& list, const std::vector<MatrixProduct>& beside) const;

  private:
    /** @return whether queries, keys and values come from latents */
    bool IsLatent() const;
    /** @return queries, keys and values of this rank */
    MatrixProduct GetQkv() const;
    /** @return output projection of this rank's heads */
    MatrixProduct GetOutput() const;
    /** @return latent of queries, of the tokens between matrices */
    MatrixProduct GetQueryDown() const;
    /** @return latent of keys and values, with the rotated part of the keys, likewise */
    MatrixProduct GetKeyValueDown() const;
    /** @return queries from their latent, or from the input where they have none */
    MatrixProduct GetQueryUp() const;
    /** @return keys and values from their latent */
    MatrixProduct GetKeyValueUp() const;
    /** @return values of a token in the inputs of the products of latents */
    uint64_t GetLatentWidth() const;
    /** Latents to queries, keys and values. @param list where to */
    void AddLatentForward(OperatorList& list) const;
    /** Gradients of queries, keys and values to that of the input. @param list where to */
    void AddLatentBackward(OperatorList& list) const;
    /** Norms and rotation of queries and keys. @param list where to @param pass which way */
    void AddPositions(OperatorList& list, TrainingPass pass) const;

    const RankShare& m_share; //!< what the rank has
    AttentionCore m_core;     //!< between the projections
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ATTENTION_OPERATORS_H
