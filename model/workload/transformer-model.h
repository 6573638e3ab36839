// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_MODEL_H
#define LLM_FABRIC_TRANSFORMER_MODEL_H

#include "parameter-count.h"
#include "transformer-shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * A decoder-only transformer, dense or with experts, read from a Hugging Face `config.json`.
 *
 * Wrong input is refused (InputError) with key, value and file: unknown families, missing keys, two
 * names of one quantity that contradict each other, wrong types, heads that do not divide the hidden
 * size, more experts for each token than there are.
 */
class TransformerModel
{
  public:
    /**
     * @param nameOrPath a built-in name (case does not matter), a config.json, or a directory that
     *        holds one
     * @return the model
     */
    static TransformerModel Load(const std::string& nameOrPath);
    /**
     * @param text content of a config.json
     * @param source where it comes from, for messages and as the model's name
     * @return the model
     */
    static TransformerModel FromJson(const std::string& text, const std::string& source);
    /** @return names of the models that data/models holds, sorted */
    static std::vector<std::string> GetBuiltInNames();

    /**
     * @param shape a shape; sizes of 0, head counts and experts that do not fit are refused
     */
    explicit TransformerModel(const TransformerShape& shape);

    /** @return the numbers that describe it */
    const TransformerShape& GetShape() const;
    /**
     * @param vocabulary rows of the word embedding, at least 1
     * @return the same model with another vocabulary
     */
    TransformerModel WithVocabulary(uint64_t vocabulary) const;

    /** @return all parameters, biases and norms included */
    uint64_t GetParameterCount() const;
    /**
     * @return parameters that a token passes: all without the routed experts that it does not choose.
     *         The word embedding counts, as in most published figures
     */
    uint64_t GetActiveParameterCount() const;
    /** @return parameters of the attention of a block, with its norms */
    ParameterCount GetAttentionParameters() const;
    /**
     * @param layer number of the block, from 0
     * @return parameters of its feed-forward, with its norm (if it has its own); in an expert layer
     *         these are router, shared and routed experts
     */
    ParameterCount GetFeedForwardParameters(uint64_t layer) const;
    /**
     * @param layer number of the block, from 0
     * @return its parameters
     */
    ParameterCount GetBlockParameters(uint64_t layer) const;
    /** @return parameters of the word embedding, which an untied output matrix has once more */
    ParameterCount GetWordEmbeddingParameters() const;
    /** @return parameters of learned positions and of the norm after the embedding */
    ParameterCount GetPositionParameters() const;
    /** @return parameters of the norm before the output matrix */
    ParameterCount GetFinalNormParameters() const;

  private:
    /** @return parameters of one norm over the hidden size */
    uint64_t GetNormParameters() const;
    /** @return parameters of the matrices of ordinary attention, with biases and norms within */
    ParameterCount GetHeadParameters() const;
    /** @return parameters of the matrices of latent attention, with biases and norms within */
    ParameterCount GetLatentParameters() const;
    /**
     * @param width its width
     * @return parameters of a feed-forward without norm, divided as dense ones are
     */
    ParameterCount GetFeedForward(uint64_t width) const;
    /** @return parameters of router, shared and routed experts of an expert layer */
    ParameterCount GetExpertLayer() const;
    /** @return parameters of the norm that a feed-forward has for itself, which may be none */
    ParameterCount GetFeedForwardNorm() const;

    TransformerShape m_shape; //!< the numbers
};

/**
 * @ingroup llm-fabric-workload
 * Pad a vocabulary as Megatron-LM does, so that every rank has a multiple of 128 rows.
 * @param vocabulary rows
 * @param tensorParallel ranks of a tensor group
 * @return the next multiple of 128 x tensorParallel
 */
uint64_t PadVocabulary(uint64_t vocabulary, uint64_t tensorParallel);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_MODEL_H
