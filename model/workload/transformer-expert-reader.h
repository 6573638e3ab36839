// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_EXPERT_READER_H
#define LLM_FABRIC_TRANSFORMER_EXPERT_READER_H

#include "json-fields.h"
#include "transformer-shape.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Read the experts of a model: how many, how wide, and in which layers.
 *
 * @param config the language model's keys; those about experts of a family without are refused
 * @param shape gets the experts; has family, layers and feed-forward size
 */
void ReadExperts(const JsonFields& config, TransformerShape& shape);

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_EXPERT_READER_H
