// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COMMUNICATOR_H
#define LLM_FABRIC_COMMUNICATOR_H

#include "collective-algorithm.h"
#include "collective-operation.h"

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

class MessageTransport;

/**
 * @ingroup llm-fabric-collective
 * A process group: runs operations among its ranks.
 *
 * As with NCCL, every rank calls Start() for the same operations in the same order, each at its own
 * time; the n-th call of one rank belongs to the n-th call of the others (a mismatch aborts, naming
 * ranks and operations). A rank sends nothing before it has started; what reaches it earlier waits.
 */
class Communicator : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** Called in the rank's node context when the operation is complete at that rank. */
    using DoneCallback = Callback<void>;

    /**
     * Say who takes part; once, before Start().
     * @param id the communicator's id, which is the owner of its messages; unique per transport
     * @param name for reports and messages, e.g. "DP group 3"
     * @param accelerators accelerator of each rank of the group
     */
    void SetGroup(uint32_t id, const std::string& name, const std::vector<uint32_t>& accelerators);
    /** @param transport carries the messages */
    void SetTransport(Ptr<MessageTransport> transport);
    /** @param locality what algorithms may know of the cluster */
    void SetLocality(Ptr<const Locality> locality);

    /**
     * Start the next operation at a rank.
     * @param rank the rank's place in the group
     * @param request the operation, equal at all ranks
     * @param done called once when it is complete at this rank
     */
    void Start(uint32_t rank, const CollectiveRequest& request, DoneCallback done);

    /** @return number of ranks */
    uint32_t GetSize() const;
    /** @return for a run that cannot finish: what is open, and which rank waits for which peer */
    std::vector<std::string> DescribeUnfinished() const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COMMUNICATOR_H
