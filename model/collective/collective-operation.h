// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_OPERATION_H
#define LLM_FABRIC_COLLECTIVE_OPERATION_H

#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * The operations of a group, with NCCL's meaning.
 */
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,     //!< every rank ends with the reduction of all buffers of S bytes
    ALL_GATHER,     //!< every rank has 1/N of S bytes and ends with all S
    REDUCE_SCATTER, //!< every rank has S bytes and ends with 1/N of their reduction
    POINT_TO_POINT, //!< S bytes from rank `root` to the only other rank of a group of two
};

/** How many operations there are; their values count from 0. */
constexpr uint32_t COLLECTIVE_OPERATION_COUNT = 4;

/**
 * @param operation an operation
 * @return its name: "all-reduce", "all-gather", "reduce-scatter", "point-to-point"
 */
std::string GetName(CollectiveOperation operation);

/**
 * @param name a name as GetName() gives it; anything else is refused with the allowed names
 * @return the operation
 */
CollectiveOperation ParseCollectiveOperation(const std::string& name);

/**
 * @ingroup llm-fabric-collective
 * One operation of a group.
 */
struct CollectiveRequest
{
    CollectiveOperation operation = CollectiveOperation::ALL_REDUCE; //!< what to do
    uint64_t bytes = 0; //!< S: the whole buffer (for all-gather the gathered one)
    uint32_t root = 0;  //!< POINT_TO_POINT: the sender's place in the group
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_OPERATION_H
