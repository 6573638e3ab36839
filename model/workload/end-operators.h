// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_END_OPERATORS_H
#define LLM_FABRIC_END_OPERATORS_H

#include "operator-list.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What comes before the first block and after the last: word embedding and positions; final norm,
 * logits and cross entropy. The vocabulary is divided among a tensor group.
 */
class EndOperators
{
  public:
    /** @param share what the rank has; must outlive this */
    explicit EndOperators(const RankShare& share);

    /** @param list where to list the embedding, forward */
    void AddEmbeddingForward(OperatorList& list) const;
    /** @param list where to list the embedding, backward */
    void AddEmbeddingBackward(OperatorList& list) const;
    /** @param list where to list logits and loss, forward */
    void AddLogitsForward(OperatorList& list) const;
    /** @param list where to list logits and loss, backward */
    void AddLogitsBackward(OperatorList& list) const;

  private:
    /** @return values of the tokens between matrices */
    uint64_t GetResidualElements() const;
    /** @return logits of this rank's part of the vocabulary */
    MatrixProduct GetLogits() const;
    /**
     * A pass over the logits.
     * @param list where to
     * @param bytes for each logit
     * @param kernels that do it
     */
    void AddEntropy(OperatorList& list, uint64_t bytes, uint32_t kernels) const;
    /** Combine a statistic of each token over the group. @param list where to */
    void AddStatistic(OperatorList& list) const;

    const RankShare& m_share; //!< what the rank has
};

} // namespace ns3::llm

#endif // LLM_FABRIC_END_OPERATORS_H
