// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FEED_FORWARD_OPERATORS_H
#define LLM_FABRIC_FEED_FORWARD_OPERATORS_H

#include "operator-list.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * The feed-forward of a block, or its shared or routed experts, between two sums over the tensor group:
 * the first matrix is divided by columns, the second by rows.
 */
class FeedForwardOperators
{
  public:
    /**
     * @param share what the rank has; must outlive this
     * @param width of the feed-forward
     * @param batch how many of them: routed experts of the rank, or 1
     * @param tokens that each takes
     */
    FeedForwardOperators(const RankShare& share, uint64_t width, uint64_t batch, uint64_t tokens);

    /** @return first matrix (both, when gated) */
    MatrixProduct GetFirst() const;
    /** @return second matrix */
    MatrixProduct GetSecond() const;
    /** @param list where to list the forward pass */
    void AddForward(OperatorList& list) const;
    /** All but the gradients of the first matrix. @param list where to list the backward pass */
    void AddBackward(OperatorList& list) const;

  private:
    const RankShare& m_share; //!< what the rank has
    uint64_t m_width;         //!< of this rank
    uint64_t m_batch;         //!< how many
    uint64_t m_tokens;        //!< of each
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FEED_FORWARD_OPERATORS_H
