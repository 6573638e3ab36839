// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_CONFIG_READER_H
#define LLM_FABRIC_TRANSFORMER_CONFIG_READER_H

#include "transformer-shape.h"

#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Read the shape of a model from a Hugging Face `config.json`: finds the language part of a nested
 * file, takes the family from `model_type` (or `architectures`), accepts the names that the
 * families use for a quantity, and fills what is absent with the family's default.
 *
 * @param text content of the file
 * @param source its path or name, for messages
 * @return the shape; wrong input is refused as TransformerModel says
 */
TransformerShape ReadTransformerConfig(const std::string& text, const std::string& source);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_CONFIG_READER_H
