// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATOR_PROFILE_H
#define LLM_FABRIC_OPERATOR_PROFILE_H

#include "operator-cost-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What an operator has to do, as operator models count it.
 */
struct OperatorSize
{
    double flops = 0; //!< operations of the matrix units, a multiply-add is two; VECTOR: 0
    double bytes = 0; //!< read and written

    /**
     * @param batch independent products
     * @param m rows of the result
     * @param n columns of the result
     * @param k length of the sums
     * @param precisionBytes of a value of operands and result, each of which counts once
     * @return size of a matrix product
     */
    static OperatorSize
    OfProduct(uint64_t batch, uint64_t m, uint64_t n, uint64_t k, uint32_t precisionBytes);
};

/**
 * @ingroup llm-fabric-workload
 * The measured time of one operator at one shape.
 */
struct OperatorProfileEntry
{
    std::string name;                                 //!< e.g. "qkv", as ModelOperator has it
    ModelOperator::Kind kind = ModelOperator::VECTOR; //!< what ran it
    uint64_t batch = 1;                               //!< MATRIX: independent products
    uint64_t m = 0;                                   //!< MATRIX: rows of the result
    uint64_t n = 0;                                   //!< MATRIX: columns of the result
    uint64_t k = 0;                                   //!< MATRIX: length of the sums
    uint64_t elements = 0;                            //!< VECTOR: values that it computes
    uint64_t bytes = 0;    //!< VECTOR: bytes read from and written to memory
    std::string precision; //!< of the operands: "fp64", "fp32", "bf16", "fp16", "fp8"
    double seconds = 0;    //!< how long it took
    std::string source;    //!< where the figure comes from, if it has a source of its own

    /** @return bytes of an operand's value */
    uint32_t GetPrecisionBytes() const;
    /** @return what it has to do */
    OperatorSize GetSize() const;
};

/**
 * @ingroup llm-fabric-workload
 * Measured times of operators on one device, as a JSON file holds them:
 *
 * @code
 * {"device": "A100-SXM-80GB", "accelerator": "A100-SXM-80GB", "date": "2026-08", "source": "...",
 *  "entries": [
 *   {"operator": "qkv", "kind": "matrix", "batch": 1, "m": 1024, "n": 3072, "k": 1024,
 *    "precision": "fp16", "seconds": 3e-5},
 *   {"operator": "softmax", "kind": "vector", "elements": 16777216, "bytes": 67108864,
 *    "precision": "fp16", "seconds": 5e-5, "source": "..."}]}
 * @endcode
 */
struct OperatorProfile
{
    std::string device;      //!< what was measured, in words
    std::string accelerator; //!< its name in data/accelerators.csv; "": it has none there
    std::string date;        //!< when it was measured or published, e.g. "2026-08"
    std::string source;      //!< who measured, and how
    std::vector<OperatorProfileEntry> entries; //!< the figures

    /**
     * @param text a JSON text; refused: a key that is unknown, missing or of the wrong type, an
     *        accelerator that data/accelerators.csv does not have, no entries
     * @param place where it comes from, for messages
     * @return the profile
     */
    static OperatorProfile FromJson(const std::string& text, const std::string& place);
    /**
     * @param nameOrPath the name of a profile of data/profiles, or the path of a JSON file
     * @return the profile
     */
    static OperatorProfile Load(const std::string& nameOrPath);
    /** @return names of the profiles that data/profiles holds, sorted */
    static std::vector<std::string> GetBuiltInNames();
    /** @return it as JSON, each entry on a line; FromJson() gives the same profile again */
    std::string ToJson() const;
    /** @return its operators, each once and sorted, e.g. "qkv (matrix), softmax (vector)" */
    std::string DescribeOperators() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATOR_PROFILE_H
