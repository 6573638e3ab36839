// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_EXPERT_OPERATORS_H
#define LLM_FABRIC_EXPERT_OPERATORS_H

#include "feed-forward-operators.h"
#include "operator-list.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * The feed-forward of a block with experts, as Megatron-Core runs it: each token goes to the ranks of
 * its experts by an all-to-all and comes back by another. Experts are divided among an expert group,
 * and each of them among a tensor group as a dense feed-forward is.
 *
 * All experts get equally many tokens, times the capacity factor.
 */
class ExpertOperators
{
  public:
    /** @param share what the rank has; must outlive this */
    explicit ExpertOperators(const RankShare& share);

    /** From the normalized input to the output, summed over the group. @param list where to */
    void AddForward(OperatorList& list) const;
    /** From the output's gradient to the input's, likewise. @param list where to */
    void AddBackward(OperatorList& list) const;

  private:
    /** @return tokens that this rank sends, once for each expert that they go to */
    uint64_t GetSentTokens() const;
    /** @return tokens that this rank computes, of all its experts */
    uint64_t GetTakenTokens() const;
    /** @return scores of all experts for the tokens between matrices */
    MatrixProduct GetRouter() const;
    /** @return routed experts of this rank */
    FeedForwardOperators GetRouted() const;
    /** @return shared experts */
    FeedForwardOperators GetShared() const;
    /** Tokens to their experts, or gradients of outputs likewise. @param list where to */
    void AddDispatch(OperatorList& list) const;
    /** Tokens back from their experts, or gradients of inputs likewise. @param list where to */
    void AddReturn(OperatorList& list) const;
    /** Tokens of the same expert are put together. @param list where to */
    void AddSort(OperatorList& list) const;
    /** The choice of experts, one way or the other. @param list where to */
    void AddChoice(OperatorList& list) const;
    /**
     * Copy tokens or add up their copies.
     * @param list where to
     * @param name "permutation" or "combination"
     * @param tensors of the tokens between matrices that are read and written
     */
    void AddCopies(OperatorList& list, const char* name, uint64_t tensors) const;

    const RankShare& m_share; //!< what the rank has
};

} // namespace ns3::llm

#endif // LLM_FABRIC_EXPERT_OPERATORS_H
