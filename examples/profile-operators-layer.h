// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROFILE_OPERATORS_LAYER_H
#define LLM_FABRIC_PROFILE_OPERATORS_LAYER_H

#include "ns3/operator-cost-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/** What shapes the operators of a layer. */
struct LayerShape
{
    uint64_t hidden = 0;         //!< size, a multiple of 64 x TP
    uint64_t sequence = 0;       //!< tokens of a sequence
    uint64_t batch = 0;          //!< sequences
    uint64_t tensorParallel = 0; //!< ranks that share the layer; one of them is measured

    /** @return e.g. "512x256x1x2" */
    std::string ToText() const;
};

/** An operator of a layer. */
struct LayerOperator
{
    ModelOperator op;       //!< the operator
    uint64_t rowLength = 0; //!< VECTOR: values of a row
    uint32_t times = 1;     //!< how often a layer has it

    /** @return name and shape: two with the same are measured once */
    std::string GetKey() const;
};

/**
 * @param shape of a layer with heads of 64 and a feed-forward of 4 x hidden
 * @param precisionBytes of a value
 * @return its operators, forward: six matrix products, norm, softmax, activation and residual sum
 */
std::vector<LayerOperator> MakeLayerOperators(const LayerShape& shape, uint32_t precisionBytes);

/**
 * @param option its name, for messages
 * @param text shapes as "512x256x1x2,...": hidden x sequence x batch x TP
 * @return them; refused when they are no such shapes
 */
std::vector<LayerShape> ParseLayerShapes(const std::string& option, const std::string& text);

/**
 * @param option its name, for messages
 * @param text numbers from 1 to 2^20, with commas
 * @return them
 */
std::vector<uint64_t> ParseNumbers(const std::string& option, const std::string& text);

/** @param shape a shape; refused when its operators are not whole */
void RequireWhole(const LayerShape& shape);

} // namespace ns3::llm

#endif // LLM_FABRIC_PROFILE_OPERATORS_LAYER_H
