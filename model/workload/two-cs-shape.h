// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TWO_CS_SHAPE_H
#define LLM_FABRIC_TWO_CS_SHAPE_H

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * A transformer layer on one rank of a tensor group, and its algebra as in S. Pati et al., "Tale of Two
 * Cs" (IISWC 2023, arXiv 2302.02825): a feed-forward of four times the hidden size, two linear layers in
 * it, matrix products alone. A multiply-accumulate is two FLOPs.
 */
struct TwoCsShape
{
    /** Multiply-accumulates of a rank, forward. */
    struct Products
    {
        uint64_t qkv = 0;    //!< queries, keys and values: 3 H (H/TP) SL B
        uint64_t scores = 0; //!< (H/TP) SL^2 B
        uint64_t values = 0; //!< weighted by scores: (H/TP) SL^2 B
        uint64_t output = 0; //!< output projection: H (H/TP) SL B
        uint64_t fc1 = 0;    //!< first of the feed-forward: 4 H (H/TP) SL B
        uint64_t fc2 = 0;    //!< second of it: 4 H (H/TP) SL B
    };

    uint64_t hidden = 0;         //!< H
    uint64_t sequenceLength = 0; //!< SL, tokens
    uint64_t batch = 1;          //!< B, sequences
    uint64_t tensorParallel = 1; //!< TP, ranks
    uint64_t elementBytes = 2;   //!< bytes of an activation, a weight or a gradient

    /**
     * All 196 layers of the paper's grid at a batch: H of 1K to 64K, SL of 1K to 8K and TP of 4 to 256,
     * each by powers of two, H slowest and TP fastest.
     * @param batch B; the paper has 1 and 4
     * @return they
     */
    static std::vector<TwoCsShape> MakeGrid(uint64_t batch);

    /** Refuse sizes of 0 and a TP that does not divide H. */
    void Check() const;
    /** @return multiply-accumulates of each product, forward */
    Products GetProducts() const;
    /** @return (24 H^2 SL B + 4 SL^2 H B) / TP, FLOPs of a forward pass */
    uint64_t GetForwardFlops() const;
    /** @return twice the forward, FLOPs of a backward pass */
    uint64_t GetBackwardFlops() const;
    /** @return H SL B elements, bytes of a tensor-parallel all-reduce */
    uint64_t GetTensorMessageBytes() const;
    /**
     * @return bytes of the four all-reduces of a layer, which nothing overlaps: after output projection
     *         and FC2 forward, after FC1 and QKV backward
     */
    uint64_t GetTensorBytes() const;
    /** @return 12 H^2 / TP elements, bytes of the layer's gradients */
    uint64_t GetGradientBytes() const;
    /**
     * @return Amdahl's-law edge, FLOPs of both passes for each byte that is reduced in their way:
     *         (18 H + 3 SL) / (TP x bytes of an element)
     */
    double GetEdge() const;
    /**
     * @return slack, FLOPs of the backward pass for each byte of gradients: 4 SL B (1 + SL / (6 H)) over
     *         bytes of an element
     */
    double GetSlack() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TWO_CS_SHAPE_H
