// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_GRADIENT_BUCKETS_H
#define LLM_FABRIC_GRADIENT_BUCKETS_H

#include "training-graph.h"
#include "transformer-workload.h"

#include "ns3/ptr.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Gradients of a rank that are complete and wait to be reduced: those that all ranks along DATA have,
 * and those of experts, that ranks along EXPERT_DATA have.
 */
class GradientBuckets
{
  public:
    /** A reduction that is due. */
    struct Bucket
    {
        ParallelDimension dimension = ParallelDimension::DATA; //!< along which
        uint64_t bytes = 0;                                    //!< size; 0: none is due
    };

    /** @param workload says what a bucket holds */
    explicit GradientBuckets(Ptr<const TransformerWorkload> workload);

    /**
     * @param microBatch a micro-batch
     * @return whether its gradients are reduced: those of the last, in which all have been summed, or
     *         of each where a rank keeps but its share of them (ZeRO stage 2 and 3)
     */
    bool IsReduced(uint32_t microBatch) const;
    /**
     * Add gradients of a micro-batch that IsReduced().
     * @param expert whether they are of experts
     * @param bytes their size
     * @return the bucket, if this has filled it
     */
    Bucket Add(bool expert, uint64_t bytes);
    /**
     * @param expert which
     * @return what is left of them, if anything
     */
    Bucket Take(bool expert);

  private:
    /** @param expert whether of experts @return along which dimension they are reduced */
    ParallelDimension GetDimension(bool expert) const;

    Ptr<const TransformerWorkload> m_workload; //!< says what a bucket holds
    uint64_t m_bytes[2] = {0, 0};              //!< that wait; [1]: of experts
};

} // namespace ns3::llm

#endif // LLM_FABRIC_GRADIENT_BUCKETS_H
