// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_COLLECTIVE_REQUESTS_H
#define LLM_FABRIC_TEST_COLLECTIVE_REQUESTS_H

#include "two-tier-locality.h"

#include "ns3/collective-algorithm.h"
#include "ns3/collective-operation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Operations of every kind, and algorithms by name.
 */

namespace ns3::llm
{

/** @param size a number of ranks @param seed of the sizes @return an uneven matrix with empty blocks */
inline std::shared_ptr<const TrafficMatrix>
MakeUneven(uint32_t size, uint32_t seed)
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < size * size; ++i)
    {
        const uint32_t draw = (i * 2654435761u + seed * 40503u) >> 16;
        bytes.push_back(draw % 3 == 0 ? 0 : draw % 5000);
    }
    return std::make_shared<TrafficMatrix>(size, bytes);
}

/** @param operation an operation @param size number of ranks @param bytes S @return a request */
inline CollectiveRequest
MakeRequest(CollectiveOperation operation, uint32_t size, uint64_t bytes)
{
    CollectiveRequest request;
    request.operation = operation;
    request.bytes = bytes;
    request.root = operation == CollectiveOperation::BROADCAST ||
                           operation == CollectiveOperation::REDUCE ||
                           operation == CollectiveOperation::GATHER ||
                           operation == CollectiveOperation::SCATTER
                       ? static_cast<uint32_t>(bytes % size)
                       : 0;
    if (operation == CollectiveOperation::ALL_TO_ALL_V)
    {
        request.bytes = 0;
        request.matrix = MakeUneven(size, static_cast<uint32_t>(bytes));
    }
    if (operation == CollectiveOperation::BARRIER)
    {
        request.bytes = 0;
    }
    return request;
}

/** @param name of an algorithm @return it */
inline Ptr<const CollectiveAlgorithm>
Make(const std::string& name)
{
    return CollectiveAlgorithm::CreateByName(name, "the test");
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_COLLECTIVE_REQUESTS_H
