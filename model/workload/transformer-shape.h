// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_SHAPE_H
#define LLM_FABRIC_TRANSFORMER_SHAPE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * The experts of a model's expert layers. Each has the form of the model's feed-forward (gated or
 * not, with biases or not), but a width of its own.
 */
struct ExpertShape
{
    uint64_t count = 0;                //!< routed experts of an expert layer; 0: a dense model
    uint64_t perToken = 0;             //!< routed experts that a token passes, 1 to count
    uint64_t feedForward = 0;          //!< width of a routed expert
    uint64_t shared = 0;               //!< experts that every token passes as well
    uint64_t sharedFeedForward = 0;    //!< width of all shared experts together
    bool sharedGate = false;           //!< the shared experts' output is scaled by a learned gate
    bool routerBias = false;           //!< bias of the router's scores
    bool balanceBias = false;          //!< bias that only chooses experts, to balance their load
    std::vector<uint64_t> denseLayers; //!< layers without experts, ascending, the first being 0
};

/**
 * @ingroup llm-fabric-workload
 * Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): queries, and keys with values, are
 * projected to narrow latents, normalized, and from there to heads. A head of queries and keys has a
 * part without and a part with rotation; the rotated part of the keys is common to all heads.
 */
struct LatentAttentionShape
{
    uint64_t keyValueRank = 0;   //!< width of the latent of keys and values; 0: ordinary attention
    uint64_t queryRank = 0;      //!< width of the latent of queries; 0: one full matrix instead
    uint64_t noRopeHeadSize = 0; //!< width of the part of a query's and key's head not rotated
    uint64_t ropeHeadSize = 0;   //!< width of the rotated part
    uint64_t valueHeadSize = 0;  //!< width of a head of values
};

/**
 * @ingroup llm-fabric-workload
 * The numbers that describe a decoder-only transformer.
 */
struct TransformerShape
{
    /** How the place of a token enters. */
    enum Positions : uint8_t
    {
        LEARNED, //!< a table of one vector for each position
        ROTARY,  //!< queries and keys are rotated; no parameters
        ALIBI,   //!< a bias on the scores; no parameters
    };

    /** What norms queries and keys have. */
    enum QueryKeyNorm : uint8_t
    {
        NO_NORM,   //!< none
        EACH_HEAD, //!< one of width headSize for all heads
        ALL_HEADS, //!< one over the width of all heads together
    };

    std::string name;              //!< built-in name or path of the file, for reports
    std::string family;            //!< `model_type` of the file
    uint64_t hidden = 0;           //!< hidden size
    uint64_t layers = 0;           //!< number of blocks
    uint64_t heads = 0;            //!< attention heads (of queries)
    uint64_t keyValueHeads = 0;    //!< heads of keys and values (= heads: multi-head attention)
    uint64_t headSize = 0;         //!< width of a head; heads x headSize may differ from hidden
    uint64_t feedForward = 0;      //!< feed-forward width of dense layers
    uint64_t vocabulary = 0;       //!< rows of the word embedding
    uint64_t maxPositions = 0;     //!< longest sequence; 0: not said
    uint64_t positionRows = 0;     //!< rows of the learned position table; 0: none
    Positions positions = LEARNED; //!< how positions enter
    bool gated = false;            //!< feed-forward of three matrices instead of two
    bool tied = false;             //!< the output matrix is the word embedding
    bool rmsNorm = false;          //!< norms without bias
    bool embeddingNorm = false;    //!< a norm after the word embedding
    QueryKeyNorm queryKeyNorm = NO_NORM; //!< norms on queries and keys
    bool qkvBias = false;                //!< biases of queries, keys and values
    bool outputBias = false;             //!< bias of the attention's output projection
    bool feedForwardBias = false;        //!< biases of the feed-forward and of experts
    bool attentionSinks = false; //!< a learned score of each head that takes part in the softmax
    bool parallelBlock = false;  //!< attention and feed-forward side by side on one input
    uint32_t blockNorms = 2;     //!< norms of a block (1 or 2)
    ExpertShape experts;         //!< its experts, if it has any
    LatentAttentionShape latent; //!< its latent attention, if it has that

    /**
     * @param layer number of a block, from 0
     * @return whether it has experts instead of a dense feed-forward
     */
    bool IsExpertLayer(uint64_t layer) const;
    /** @return how many blocks have experts */
    uint64_t GetExpertLayerCount() const;
    /** Refuse sizes of 0, head counts and experts that do not fit, and models of above 1e16. */
    void Validate() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_SHAPE_H
