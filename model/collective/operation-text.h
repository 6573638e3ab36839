// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATION_TEXT_H
#define LLM_FABRIC_OPERATION_TEXT_H

#include "collective-operation.h"

#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup llm-fabric-collective
 * How operations are named in messages.
 */

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * @param bytes a size
 * @return it with a decimal unit, exact to three digits: "4.19 MB"
 */
std::string DescribeBytes(uint64_t bytes);

/**
 * @ingroup llm-fabric-collective
 * @param index a place, counted from 0
 * @return it as an ordinal, counted from 1: "1st"
 */
std::string DescribeOrdinal(uint64_t index);

/**
 * @ingroup llm-fabric-collective
 * @param request an operation
 * @return its name and size: "all-reduce of 4.19 MB"
 */
std::string DescribeRequest(const CollectiveRequest& request);

/**
 * @ingroup llm-fabric-collective
 * @param request an operation
 * @return all that tells it from others: "broadcast of 4000001 B with root 2"
 */
std::string DescribeCall(const CollectiveRequest& request);

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATION_TEXT_H
