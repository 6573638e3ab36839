// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_OPERATION_H
#define LLM_FABRIC_COLLECTIVE_OPERATION_H

#include "traffic-matrix.h"

#include <cstdint>
#include <memory>
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
    ALL_TO_ALL,     //!< every rank has S bytes, 1/N of them for each rank
    ALL_TO_ALL_V,   //!< every rank has for each other what `matrix` says
    BROADCAST,      //!< rank `root` has S bytes, with which every rank ends
    REDUCE,         //!< every rank has S bytes; rank `root` ends with their reduction
    GATHER,         //!< every rank has 1/N of S bytes; rank `root` ends with all
    SCATTER,        //!< rank `root` has S bytes; every rank ends with 1/N of them
    BARRIER,        //!< no rank ends before every rank has started; S is 0
};

/** How many operations there are; their values count from 0. */
constexpr uint32_t COLLECTIVE_OPERATION_COUNT = 11;

/**
 * @param operation an operation
 * @return its name as the list above has it, in small letters: "all-reduce", "all-to-all-v"
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
    uint64_t bytes = 0; //!< S: the whole buffer (for all-gather and gather the gathered one, for
                        //!< scatter the root's); 0 for all-to-all-v and barrier
    uint32_t root = 0;  //!< the root's place in the group; for point-to-point the sender's
    std::shared_ptr<const TrafficMatrix> matrix = nullptr; //!< ALL_TO_ALL_V: the sizes
    /** POINT_TO_POINT: the sender waits for an empty message that says that the receiver has come. */
    bool rendezvous = false;
};

/**
 * @ingroup llm-fabric-collective
 * @param operation an operation
 * @return whether one of its ranks is the root
 */
bool HasRoot(CollectiveOperation operation);

/**
 * @ingroup llm-fabric-collective
 * @param a an operation
 * @param b another
 * @return whether they are the same; a root counts where there is one, a matrix by its sizes
 */
bool AreEqual(const CollectiveRequest& a, const CollectiveRequest& b);

/**
 * @ingroup llm-fabric-collective
 * Refuse what no algorithm can do: a root outside of the group, a barrier with bytes, an all-to-all-v
 * without a matrix or with one of another size, a point-to-point among other than two ranks.
 * @param request the operation
 * @param size number of ranks
 */
void CheckRequest(const CollectiveRequest& request, uint32_t size);

/**
 * @ingroup llm-fabric-collective
 * Where a block of an all-to-all lies in the buffer.
 * @param request an all-to-all, even or not
 * @param size number of ranks
 * @param from a rank
 * @param to another
 * @return what the one has for the other
 */
BufferRange GetBlock(const CollectiveRequest& request, uint32_t size, uint32_t from, uint32_t to);

/**
 * @ingroup llm-fabric-collective
 * @param operation an operation
 * @return whether it adds up what ranks contribute
 */
bool IsReduction(CollectiveOperation operation);

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_OPERATION_H
