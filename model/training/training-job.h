// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_JOB_H
#define LLM_FABRIC_TRAINING_JOB_H

#include "collective-log.h"
#include "iteration-log.h"
#include "job-layout.h"
#include "training-runtime.h"

#include "ns3/collective-operation.h"
#include "ns3/training-graph.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::llm
{

class Communicator;
class Locality;
class MessageTransport;
class TrainingApplication;

/**
 * @ingroup llm-fabric-training
 * A training job: who is where (JobLayout), what each rank does (a TrainingGraph), how often.
 *
 * Set it up, Start() it, run the simulator, and look at IsFinished(). All state is the job's own and
 * its communicators take their ids from FirstOwner on, so several jobs can share a fabric and a
 * transport: give the next one FirstOwner plus GetOwnerCount() of the one before.
 */
class TrainingJob : public Object, private TrainingRuntime
{
  public:
    /** Makes the tasks of a rank. */
    using GraphFactory = std::function<std::unique_ptr<TrainingGraph>(uint32_t rank)>;

    /**
     * Signature of the trace source Task.
     * @param rank the rank that has done it
     * @param task the task
     * @param start when it started: when its stream had reached it and its dependencies were done
     * @param end when it was done
     */
    typedef void (*TaskTracedCallback)(uint32_t rank,
                                       const TrainingTask& task,
                                       Time start,
                                       Time end);

    /** @return the TypeId */
    static TypeId GetTypeId();
    TrainingJob();
    ~TrainingJob() override;

    /** @param layout who is where; before Start() */
    void SetLayout(const JobLayout& layout);
    /** @param factory makes the tasks of a rank */
    void SetGraphFactory(GraphFactory factory);
    /** @param transport carries the messages */
    void SetTransport(Ptr<MessageTransport> transport);
    /** @param locality knows the accelerators' nodes and the paths between them */
    void SetLocality(Ptr<const Locality> locality);
    /** @param finished called once, when the last rank is done */
    void SetFinishedCallback(Callback<void> finished);
    /** @param progress called after every task, with wall-clock checks in mind; may be null */
    void SetProgressCallback(Callback<void> progress);

    /** Make communicators and applications; the ranks start at the current time. Once. */
    void Start();

    /** @return whether every rank has finished every iteration */
    bool IsFinished() const;
    /** @return whether the run was stopped because nothing had moved for StallTime */
    bool IsStalled() const;
    /** @return which ranks wait for what, one text each; empty when finished */
    std::vector<std::string> DescribeUnfinished() const;

    /** @return the job's name */
    std::string GetName() const;
    /** @return who is where */
    const JobLayout& GetLayout() const;
    /** @return number of iterations */
    uint32_t GetIterationCount() const;
    /**
     * @param task a collective or a message
     * @return the request to its communicator; the sender of a message is place 0
     */
    static CollectiveRequest MakeRequest(const TrainingTask& task);
    /** @return how many communicator ids the job takes, from FirstOwner on */
    uint32_t GetOwnerCount() const;
    /** @return what carries the messages */
    Ptr<MessageTransport> GetTransport() const;
    /** @return what is known of the cluster */
    Ptr<const Locality> GetLocality() const;
    /** @return the tasks of a rank, made anew */
    const GraphFactory& GetGraphFactory() const;

    /** @return number of tasks done so far, over all ranks */
    uint64_t GetTasksDone() const;
    /** @return where time went so far */
    const IterationLog& GetIterations() const;
    /** @return what is known of collectives and messages so far; group numbers are the layout's */
    const CollectiveLog& GetCollectives() const;
    /**
     * @param group number of a group in the layout
     * @return its communicator; null before Start() and for a group of one rank
     */
    Ptr<Communicator> GetCommunicator(uint32_t group) const;

  protected:
    void DoDispose() override;

  private:
    void Launch(uint32_t rank, const TrainingTask& task, Callback<void> done) override;
    Time GetPeerStart(uint32_t rank, const TrainingTask& task) const override;
    void TaskDone(uint32_t rank, const TrainingTask& task, Time start) override;
    void IterationDone(uint32_t rank, uint32_t iteration, const RankAccount& account) override;
    void RankDone(uint32_t rank) override;

    /** Make the communicators of groups and pairs. */
    void MakeCommunicators();
    /** Stop the run if nothing has moved since the last look. */
    void CheckStall();

    std::string m_name;                //!< attribute Name
    uint32_t m_iterationCount = 1;     //!< attribute Iterations
    uint32_t m_firstOwner = 0;         //!< attribute FirstOwner
    Time m_stallTime;                  //!< attribute StallTime
    JobLayout m_layout;                //!< who is where
    GraphFactory m_factory;            //!< makes graphs
    Ptr<MessageTransport> m_transport; //!< carries messages
    Ptr<const Locality> m_locality;    //!< knows the cluster
    Callback<void> m_finished;         //!< to be told of the end
    Callback<void> m_progress;         //!< to be told of every task

    std::vector<Ptr<Communicator>> m_communicators;       //!< by group; null for a group of one
    std::vector<Ptr<TrainingApplication>> m_applications; //!< by rank
    CollectiveLog m_collectives;                          //!< operations
    IterationLog m_iterations;                            //!< time
    uint32_t m_ranksDone = 0;                             //!< ranks that have finished
    uint64_t m_tasksDone = 0;                             //!< tasks that have finished
    uint64_t m_tasksAtCheck = 0; //!< m_tasksDone when CheckStall() last looked
    bool m_stalled = false;      //!< CheckStall() stopped the run
    EventId m_stallEvent;        //!< the next look
    /** Fires for each task that a rank has done. */
    TracedCallback<uint32_t, const TrainingTask&, Time, Time> m_taskTrace;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_JOB_H
