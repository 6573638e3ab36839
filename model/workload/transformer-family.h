// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_FAMILY_H
#define LLM_FABRIC_TRANSFORMER_FAMILY_H

#include "json-fields.h"
#include "transformer-shape.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What the config.json files of a family do not say, and the defaults of its configuration class in
 * the Transformers library.
 */
struct TransformerFamily
{
    const char* name;                      //!< `model_type`
    bool gated;                            //!< feed-forward of three matrices
    bool tied;                             //!< default of `tie_word_embeddings`
    bool rmsNorm;                          //!< norms without bias
    TransformerShape::Positions positions; //!< how positions enter
    bool qkvBias;                          //!< default: biases of queries, keys and values
    bool outputBias;                       //!< default: bias of the output projection
    bool feedForwardBias;                  //!< default: biases of the feed-forward
    uint64_t feedForwardFactor;            //!< default feed-forward size over hidden; 0: required
    uint64_t headSize;                     //!< default head size; 0: hidden over heads
    uint64_t extraPositions;               //!< rows of the position table beyond the positions
    bool embeddingNorm;                    //!< a norm after the word embedding
    TransformerShape::QueryKeyNorm queryKeyNorm; //!< norms on queries and keys
    bool latentAttention;                        //!< attention by latents
};

/**
 * @ingroup llm-fabric-workload
 * Find the family of a model file: by `model_type`, else by `architectures`, else by the keys of the
 * files that DeepSeek's own code reads, which name none.
 * @param config the language model's keys
 * @return its family; an unknown one is refused with the list of those known
 */
const TransformerFamily& FindTransformerFamily(const JsonFields& config);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_FAMILY_H
