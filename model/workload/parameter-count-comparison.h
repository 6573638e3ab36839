// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PARAMETER_COUNT_COMPARISON_H
#define LLM_FABRIC_PARAMETER_COUNT_COMPARISON_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * The number of parameters of a public model, beside the listed one.
 */
struct ParameterCountComparison
{
    std::string model;    //!< as the list names it
    std::string builtIn;  //!< its folder in data/models
    uint64_t counted = 0; //!< from its config.json
    double listed = 0;    //!< rounded to a thousandth of 1e9

    /** @return counted over listed less 1 */
    double GetError() const;
};

/**
 * @ingroup llm-fabric-workload
 * Count the parameters of all models of data/validation/huggingface-models.csv.
 * @return one for each line of the file
 */
std::vector<ParameterCountComparison> CompareParameterCounts();

} // namespace ns3::llm

#endif // LLM_FABRIC_PARAMETER_COUNT_COMPARISON_H
