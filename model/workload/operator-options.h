// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATOR_OPTIONS_H
#define LLM_FABRIC_OPERATOR_OPTIONS_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What the software of a run does with its operators: which it fuses, overlaps, or does without.
 */
struct OperatorOptions
{
    /** How the ranks of a context group see each other's keys and values. */
    enum ContextExchange : uint8_t
    {
        RING,   //!< blocks go round while the attention to the block at hand runs
        GATHER, //!< an all-gather before the attention
    };

    uint32_t activationBytes = 2; //!< bytes of an element of activations and weights (bfloat16)
    /**
     * The product that makes a weight's gradient adds it to a sum in 32 bit; else it writes 16 bit,
     * which a kernel of its own adds to the sum of earlier micro-batches.
     */
    bool fusedAccumulation = true;
    bool dropout = false;        //!< after softmax, attention, feed-forward and embedding
    bool fusedAttention = false; //!< scores, softmax and values in one kernel (FlashAttention)
    bool causal = false;         //!< softmax and fused attention leave out what comes later
    bool earlyNorms = false;     //!< norm kernels of before October 2021 (NVIDIA/apex 1037)
    bool unfusedBiases = false;  //!< kernels for biases of QKV, gradients of biases, and transposes
    /**
     * Backward collectives of column-divided matrices run beside the products: an all-gather of the
     * input (SP) beside the gradient of the input, the sum of that gradient beside the gradient of
     * the weight. Else nothing runs beside them.
     */
    bool overlapBackward = true;
    ContextExchange contextExchange = RING; //!< used when CP > 1
    /** Tokens that experts take over those that an even choice gives them, at least 1. */
    double capacityFactor = 1;

    /** @return those of Megatron-LM in 2022 (Korthikanti et al., arXiv 2205.05198) */
    static OperatorOptions Megatron2022();
    /** @return those of Megatron-LM in early 2021 (Narayanan et al., arXiv 2104.04473) */
    static OperatorOptions Megatron2021();
    /** Refuse options that are out of range. */
    void Validate() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATOR_OPTIONS_H
