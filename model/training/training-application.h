// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_APPLICATION_H
#define LLM_FABRIC_TRAINING_APPLICATION_H

#include "compute-progress.h"
#include "rank-account.h"
#include "task-window.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::llm
{

class TrainingRuntime;

/**
 * @ingroup llm-fabric-training
 * Runs the tasks of one rank on its accelerator.
 *
 * Compute tasks start at the instant at which they can. Communication tasks that can start are
 * handed over one tick (1 ps) later, together and in the graph's order, so that the order of
 * simultaneous completions cannot matter. The rank goes on to its next iteration as soon as its own
 * tasks are done; only its communication ties it to the other ranks.
 */
class TrainingApplication : public Application
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    TrainingApplication();
    ~TrainingApplication() override;

    /**
     * Say what to run; once, before the application starts.
     * @param rank the rank
     * @param graph its tasks
     * @param iterations how often to run them, at least 1
     * @param slowDown factor on the duration of its compute tasks, above 0
     * @param runtime carries out communication and listens; must outlive the run
     */
    void Configure(uint32_t rank,
                   std::unique_ptr<TrainingGraph> graph,
                   uint32_t iterations,
                   double slowDown,
                   TrainingRuntime* runtime);

    /** @return whether all iterations are done */
    bool IsDone() const;
    /** @return whether a compute task runs */
    bool IsComputing() const;
    /** @return the iteration under way, counted from 0 */
    uint32_t GetIteration() const;
    /** @return for a run that cannot finish: what heads the rank's streams, and what it waits for */
    std::vector<std::string> DescribeUnfinished() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /** Start what can start; go on to the next iteration when this one is done. */
    void Advance();
    /** Start the tasks that can start now. */
    void StartTasks();
    /** Hand over the communication tasks that started before this tick. */
    void Issue();
    /** Make sure that Issue() runs in the next tick. */
    void ScheduleIssue();
    /**
     * A collective has begun, or one has ended.
     * @param collectives how many run from now on
     */
    void SetCollectives(uint32_t collectives);
    /** Have the running compute task end when its progress says so. */
    void ScheduleComputeEnd();
    /** The running compute task ends. */
    void ComputeDone();
    /**
     * A communication task ends.
     * @param id the task
     */
    void CommunicationDone(uint64_t id);
    /**
     * Take a task out of the window and tell so.
     * @param id the task
     */
    void FinishTask(uint64_t id);
    /** Book the time since the last call; to be called before any change. */
    void Account();
    /**
     * Book an idle stretch on what the compute stream waits for.
     * @param from its begin
     * @param to its end
     */
    void AccountIdle(Time from, Time to);

    /** A communication task that has started and waits to be handed over. */
    struct DueTask
    {
        uint64_t id; //!< the task
        Time start;  //!< the tick in which it started
    };

    uint32_t m_rank = 0;                    //!< the rank
    std::unique_ptr<TrainingGraph> m_graph; //!< its tasks
    uint32_t m_iterations = 1;              //!< how many iterations to run
    double m_slowDown = 1;                  //!< factor on compute durations
    TrainingRuntime* m_runtime = nullptr;   //!< carries out communication and listens
    uint32_t m_window = 0;                  //!< attribute Window

    std::unique_ptr<TaskWindow> m_tasks; //!< unfinished tasks
    uint32_t m_iteration = 0;            //!< iteration under way
    double m_collectiveShare = 0;        //!< attribute CommunicationSlowDown
    uint32_t m_collectives = 0;          //!< how many collectives run
    bool m_computing = false;            //!< a compute task runs
    uint64_t m_computeId = 0;            //!< which
    ComputeProgress m_progress;          //!< how far it is
    EventId m_computeEvent;              //!< its end
    std::vector<DueTask> m_due;          //!< communication to be handed over
    EventId m_issueEvent;                //!< hands it over
    Time m_accounted;                    //!< up to when time has been booked
    RankAccount m_account;               //!< of the iteration under way
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_APPLICATION_H
