// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_MODEL_H
#define LLM_FABRIC_TRANSFORMER_MODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * The numbers that describe a dense decoder-only transformer.
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

    std::string name;              //!< built-in name or path of the file, for reports
    std::string family;            //!< `model_type` of the file
    uint64_t hidden = 0;           //!< hidden size
    uint64_t layers = 0;           //!< number of blocks
    uint64_t heads = 0;            //!< attention heads (of queries)
    uint64_t keyValueHeads = 0;    //!< heads of keys and values (= heads: multi-head attention)
    uint64_t headSize = 0;         //!< width of a head; heads x headSize may differ from hidden
    uint64_t feedForward = 0;      //!< feed-forward width
    uint64_t vocabulary = 0;       //!< rows of the word embedding
    uint64_t maxPositions = 0;     //!< longest sequence; 0: not said
    uint64_t positionRows = 0;     //!< rows of the learned position table; 0: none
    Positions positions = LEARNED; //!< how positions enter
    bool gated = false;            //!< feed-forward of three matrices instead of two
    bool tied = false;             //!< the output matrix is the word embedding
    bool rmsNorm = false;          //!< norms without bias
    bool embeddingNorm = false;    //!< a norm after the word embedding
    bool queryKeyNorm = false;     //!< norms of width headSize on queries and keys
    bool qkvBias = false;          //!< biases of queries, keys and values
    bool outputBias = false;       //!< bias of the attention's output projection
    bool feedForwardBias = false;  //!< biases of the feed-forward
    bool parallelBlock = false;    //!< attention and feed-forward side by side on one input
    uint32_t blockNorms = 2;       //!< norms of a block (1 or 2)
};

/**
 * @ingroup llm-fabric-workload
 * Parameters of a part of a model under tensor parallelism.
 */
struct ParameterCount
{
    uint64_t sharded = 0;    //!< divided among the ranks of a tensor group
    uint64_t replicated = 0; //!< kept by every rank (norms, biases after a sum, positions)

    /** @return all parameters */
    uint64_t GetTotal() const;
    /**
     * @param tensorParallel ranks of a tensor group
     * @return parameters that a rank holds
     */
    uint64_t GetPerRank(uint64_t tensorParallel) const;
    /**
     * @param other parameters of another part
     * @return those of both
     */
    ParameterCount operator+(const ParameterCount& other) const;
    /**
     * @param times how many equal parts
     * @return parameters of all
     */
    ParameterCount operator*(uint64_t times) const;
};

/**
 * @ingroup llm-fabric-workload
 * A dense decoder-only transformer, read from a Hugging Face `config.json`.
 *
 * Wrong input is refused (InputError) with key, value and file: unknown families, experts, latent
 * attention, missing keys, two names of one quantity that contradict each other, wrong types, heads
 * that do not divide the hidden size.
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
     * @param shape a shape; sizes of 0 and head counts that do not fit are refused
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
    /** @return parameters of the attention of a block, with its norm */
    ParameterCount GetAttentionParameters() const;
    /** @return parameters of the feed-forward of a block, with its norm (if it has its own) */
    ParameterCount GetFeedForwardParameters() const;
    /** @return parameters of one block */
    ParameterCount GetBlockParameters() const;
    /** @return parameters of the word embedding, which an untied output matrix has once more */
    ParameterCount GetWordEmbeddingParameters() const;
    /** @return parameters of learned positions and of the norm after the embedding */
    ParameterCount GetPositionParameters() const;
    /** @return parameters of the norm before the output matrix */
    ParameterCount GetFinalNormParameters() const;

  private:
    /** @return parameters of one norm over the hidden size */
    uint64_t GetNormParameters() const;

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
