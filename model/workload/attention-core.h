// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ATTENTION_CORE_H
#define LLM_FABRIC_ATTENTION_CORE_H

#include "operator-list.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Attention between QKV and the output projection: of a rank's queries to all keys before them.
 *
 * With CP a rank has the queries of a part of each sequence, taken so that causal work is even. Keys
 * and values either go around the context group, block after block, while the attention to the block
 * at hand runs (Liu et al., ring attention, arXiv 2310.01889), or are gathered beforehand (Llama Team,
 * arXiv 2407.21783, section 3.3.2). Backward the blocks go round the other way, beginning with the one
 * that came last, and the sums of their gradients follow them home.
 */
class AttentionCore
{
  public:
    /** @param share what the rank has; must outlive this */
    explicit AttentionCore(const RankShare& share);

    /** @return width of a head's values */
    uint64_t GetValueSize() const;
    /** @return heads of queries of this rank */
    uint64_t GetHeads() const;
    /** @return heads of keys and values of this rank */
    uint64_t GetKeyValueHeads() const;

    /** @param list where to list the forward pass */
    void AddForward(OperatorList& list) const;
    /** @param list where to list the backward pass, with what is computed again before it */
    void AddBackward(OperatorList& list) const;

  private:
    /** @return bytes of the keys and values of this rank's tokens */
    uint64_t GetKeyValueBytes() const;
    /** @return whether blocks go round */
    bool IsRing() const;
    /** @return blocks of keys that are attended to one after the other */
    uint64_t GetRounds() const;
    /** @return products of queries and keys of one round */
    MatrixProduct GetScores() const;
    /** @return products of scores and values of one round */
    MatrixProduct GetValues() const;
    /** One block of keys, forward. @param list where to */
    void AddRoundForward(OperatorList& list) const;
    /** One block of keys, backward. @param list where to */
    void AddRoundBackward(OperatorList& list) const;
    /**
     * One block of keys in one kernel, whose scores never reach memory.
     * @param list where to
     * @param pass which way
     */
    void AddFusedRound(OperatorList& list, TrainingPass pass) const;
    /**
     * Send to a neighbor, receive from the one on the other side.
     * @param list where to
     * @param places to the neighbor: 1 or -1
     */
    void AddHop(OperatorList& list, int32_t places) const;
    /** Operator over the scores. @param list where to @param pass which way */
    void AddSoftmax(OperatorList& list, TrainingPass pass) const;

    const RankShare& m_share; //!< what the rank has
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ATTENTION_CORE_H
