// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COMMUNICATOR_H
#define LLM_FABRIC_COMMUNICATOR_H

#include "algorithm-chooser.h"
#include "collective-algorithm.h"
#include "collective-operation.h"
#include "collective-statistics.h"
#include "contribution-check.h"
#include "operation-progress.h"

#include "ns3/callback.h"
#include "ns3/message-transport.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A process group: runs operations among its ranks.
 *
 * As with NCCL, every rank calls Start() for the same operations in the same order, each at its own
 * time; the n-th call of one rank belongs to the n-th call of the others (a mismatch is refused,
 * naming ranks and operations). A rank sends nothing before it has started; what reaches it earlier
 * waits.
 *
 * A rank acts one tick after what made it act, on all that it knows by then, and only by its own
 * events and messages; so the order of simultaneous events does not matter. A rank may have 2048
 * operations in flight, and its peers may be as many ahead of it.
 */
class Communicator : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** Called in the rank's node context when the operation is complete at that rank. */
    using DoneCallback = Callback<void>;

    /**
     * Signature of the trace source OperationDone.
     * @param record what is complete
     */
    typedef void (*OperationTracedCallback)(const OperationRecord& record);

    /**
     * Say who takes part; once, before Start().
     * @param id the communicator's id, which is the owner of its messages; unique per transport
     * @param name for reports and messages, e.g. "DP group 3"
     * @param accelerators accelerator of each rank of the group
     */
    void SetGroup(uint32_t id, const std::string& name, const std::vector<uint32_t>& accelerators);
    /** @param transport carries the messages; may be absent in a group of one */
    void SetTransport(Ptr<MessageTransport> transport);
    /** @param locality what algorithms may know of the cluster; gives the ranks' node contexts */
    void SetLocality(Ptr<const Locality> locality);

    /**
     * Start the next operation at a rank.
     * @param rank the rank's place in the group
     * @param request the operation, equal at all ranks
     * @param done called once when it is complete at this rank, at least one tick later
     */
    void Start(uint32_t rank, const CollectiveRequest& request, DoneCallback done);

    /** @return number of ranks */
    uint32_t GetSize() const;
    /** @return id of the communicator */
    uint32_t GetId() const;
    /** @return its name */
    const std::string& GetName() const;
    /** @return accelerator of each rank */
    const std::vector<uint32_t>& GetAccelerators() const;
    /** @return what steps cost beside the network */
    StepCosts GetStepCosts() const;
    /**
     * @param request an operation
     * @return the steps that the ranks do for it; kept until another is asked for
     */
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request) const;
    /** @return for a run that cannot finish: what is open, and which rank waits for which peer */
    std::vector<std::string> DescribeUnfinished() const;

  protected:
    void DoDispose() override;

  private:
    /** What the ranks of an operation have in common, as long as some rank has not finished it. */
    struct SharedCheck
    {
        std::shared_ptr<ContributionCheck> check; //!< follows the contributions
        uint32_t finished = 0;                    //!< ranks that are at the end
    };

    /** An operation that a rank has started and not completed. */
    struct OpenOperation
    {
        CollectiveRequest request;                //!< the operation
        DoneCallback done;                        //!< whom to tell
        Time start;                               //!< when it was started
        uint64_t sentBytes = 0;                   //!< payload sent so far
        OperationProgress progress;               //!< how far it is
        std::shared_ptr<ContributionCheck> check; //!< follows the contributions; may be null
    };

    /** What one rank knows; touched by its own events only. */
    struct RankState
    {
        uint64_t calls = 0;                             //!< operations started
        std::map<uint64_t, OpenOperation> open;         //!< by instance
        std::map<uint64_t, std::vector<Message>> early; //!< for operations not yet started
        CollectiveRequest lastRequest;                  //!< the last one completed
        uint64_t lastInstance = UINT64_MAX;             //!< its instance
        int64_t wakeTick = OperationProgress::NEVER;    //!< when the rank acts next
        SendCredits credits;                            //!< of its messages
        bool isHeldUp = false;                          //!< a send waits for a credit
    };

    /** What the ranks that were first to call said of an operation, until all have called. */
    struct Call
    {
        CollectiveRequest request; //!< the operation
        uint32_t rank = 0;         //!< who called first
        uint32_t ranks = 0;        //!< how many have called
    };

    /**
     * Refuse a call that is not that of the other ranks, naming both.
     * @param rank who calls
     * @param instance which of its operations
     * @param request what it calls
     */
    void CheckCall(uint32_t rank, uint64_t instance, const CollectiveRequest& request);
    /** @param request an operation @return a new program of its steps */
    std::shared_ptr<const StepProgram> ChooseProgram(const CollectiveRequest& request) const;
    /** @param request an operation @return the algorithm that does it */
    Ptr<const CollectiveAlgorithm> ChooseAlgorithm(const CollectiveRequest& request) const;
    /**
     * @param instance an operation
     * @param request it
     * @return what follows its contributions, or null if nothing does
     */
    std::shared_ptr<ContributionCheck> GetCheck(uint64_t instance,
                                                const CollectiveRequest& request);
    /**
     * End the run if a fault was found.
     * @param instance the operation
     * @param request it
     * @param fault in words; "" for none
     */
    void RefuseFault(uint64_t instance,
                     const CollectiveRequest& request,
                     const std::string& fault) const;
    /**
     * Let a rank act at a tick.
     * @param rank the rank
     * @param tick not before now
     */
    void WakeAt(uint32_t rank, int64_t tick);
    /**
     * Do all that a rank can do.
     * @param rank the rank
     */
    void Advance(uint32_t rank);
    /**
     * Note that an operation is complete at a rank.
     * @param rank the rank
     * @param instance the operation
     */
    void Finish(uint32_t rank, uint64_t instance);
    /**
     * Hand a chunk to the transport.
     * @param rank the sending rank
     * @param instance the operation
     * @param step the step
     */
    void Send(uint32_t rank, uint64_t instance, const Step& step) const;
    /**
     * Do what a rank can do in one of its operations.
     * @param rank the rank
     * @param instance the operation
     * @param operation likewise
     */
    void AdvanceOperation(uint32_t rank, uint64_t instance, OpenOperation& operation);
    /**
     * Called by the transport when a message has been acknowledged.
     * @param message the message
     */
    void Acknowledge(const Message& message);
    /**
     * Call on the switches, as a member of a reduction group, which is made by its first call.
     * @param rank the rank that calls
     * @param instance the operation
     * @param step a REDUCE or MULTICAST
     * @param program the steps of the operation
     */
    void
    CallSwitches(uint32_t rank, uint64_t instance, const Step& step, const StepProgram& program);
    /**
     * Called by the transport when a message has come.
     * @param message the message
     */
    void Deliver(const Message& message);
    /**
     * Give a message to the operation that it is for.
     * @param rank the receiving rank
     * @param instance the operation, which is open
     * @param message the message
     */
    void Accept(uint32_t rank, uint64_t instance, const Message& message);
    /**
     * @param accelerator an accelerator
     * @return its rank, or GetSize() when it is not in the group
     */
    uint32_t FindRank(uint32_t accelerator) const;
    /**
     * @param rank a rank
     * @return its name for messages
     */
    std::string DescribeRank(uint32_t rank) const;
    /**
     * @param rank a rank
     * @param instance which of its operations
     * @return what it does there, as far as is known
     */
    std::string DescribeOperation(uint32_t rank, uint64_t instance) const;
    /**
     * Refuse a message that fits nothing.
     * @param rank the receiving rank
     * @param instance the operation
     * @param message the message
     */
    [[noreturn]] void
    RefuseMismatch(uint32_t rank, uint64_t instance, const Message& message) const;

    std::string m_algorithmName;                               //!< attribute Algorithm
    Time m_stepLatency;                                        //!< attribute StepLatency
    DataRate m_reductionRate;                                  //!< attribute ReductionRate
    uint32_t m_priority;                                       //!< attribute Priority
    Time m_launchLatency;                                      //!< attribute LaunchLatency
    uint64_t m_chunkBytes;                                     //!< attribute ChunkBytes
    uint32_t m_maxOutstanding;                                 //!< attribute MaxOutstanding
    bool m_checksContributions;                                //!< attribute CheckContributions
    bool m_checksCalls;                                        //!< attribute CheckCalls
    uint32_t m_id = 0;                                         //!< owner of the messages
    std::string m_name;                                        //!< for messages
    std::vector<uint32_t> m_accelerators;                      //!< by rank
    std::map<uint32_t, uint32_t> m_rankOf;                     //!< by accelerator
    Ptr<MessageTransport> m_transport;                         //!< carries the messages
    Ptr<const Locality> m_locality;                            //!< may be null
    Ptr<const CollectiveAlgorithm> m_chosen;                   //!< by the attribute; may be null
    mutable std::shared_ptr<const AlgorithmChooser> m_chooser; //!< for auto; made when needed
    std::vector<RankState> m_ranks;                            //!< by rank
    std::map<uint64_t, SharedCheck> m_checks;                  //!< by instance
    std::map<uint64_t, Call> m_calls;                          //!< by instance
    mutable CollectiveRequest m_lastRequest;                   //!< of m_lastProgram
    mutable std::shared_ptr<const StepProgram> m_lastProgram;  //!< the last one asked for
    std::map<uint32_t, uint32_t> m_reductionGroups; //!< by Step::group: handle, once it is made
    /** Fires for each operation that is complete at a rank. */
    TracedCallback<const OperationRecord&> m_operationDone;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COMMUNICATOR_H
