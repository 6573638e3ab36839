// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ITERATION_REPLAY_H
#define LLM_FABRIC_ITERATION_REPLAY_H

#include "communication-cost.h"
#include "compute-progress.h"
#include "rank-account.h"
#include "task-window.h"

#include "ns3/nstime.h"
#include "ns3/parallel-strategy.h"
#include "ns3/training-graph.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * What a replay came to.
 */
struct ReplayResult
{
    Time time;                         //!< of the iteration, from the start to the last stage's end
    std::vector<RankAccount> accounts; //!< by stage: where its time went; each adds up to `time`
    std::vector<Time> ends;            //!< by stage: when its own tasks were done
    uint64_t tasks = 0;                //!< tasks done, over all stages
    /** Which stages wait for what, one text each; empty when all tasks were done. */
    std::vector<std::string> unfinished;
};

/**
 * @ingroup llm-fabric-training
 * Replays one iteration of a job in closed form: without a network, without the Simulator, from the
 * same training graphs and by the same rules for streams, dependencies and accounts as TrainingJob.
 *
 * Ranks of a stage that differ in their place in groups alone do the same at the same time, so one
 * stands for all of them, and a collective among them takes its closed form from when that one
 * starts it. Stages may have a group together (embedding, world): its collectives begin when the
 * last stage has come.
 *
 * Messages are eager, as in a Communicator: a SEND is done when the NIC has the message, and a
 * RECEIVE when it has both started and come. The messages of a dimension that leave a rank go one
 * after the other, and so do those that reach it. The n-th message from a stage to a stage is for
 * the latter's n-th RECEIVE from it. By rendezvous a message waits for word from that RECEIVE, which
 * takes as long as an empty message. Otherwise communication does not disturb other communication.
 */
class IterationReplay
{
  public:
    /** Makes the tasks of a rank. */
    using GraphFactory = std::function<std::unique_ptr<TrainingGraph>(uint32_t rank)>;
    /** Told of every task when it is done: stage, task, start and end. */
    using Listener = std::function<void(uint32_t, const TrainingTask&, Time, Time)>;

    /** A dimension's groups. */
    struct Group
    {
        uint32_t size = 1; //!< ranks; collectives of one rank take no time
        /** Stages whose ranks are in one group together; empty: each stage has its own groups. */
        std::vector<uint32_t> stages;
    };

    /** What to replay. */
    struct Config
    {
        GraphFactory factory;        //!< makes the tasks
        std::vector<uint32_t> ranks; //!< by stage: the rank that stands for it
        /** The stage of any rank that a message names. */
        std::function<uint32_t(uint32_t rank)> stageOf;
        std::array<Group, PARALLEL_DIMENSIONS> groups; //!< by dimension
        /** Share of the accelerator that a running collective holds, from 0 to below 1. */
        double communicationSlowDown = 0;
        std::size_t window = 1024; //!< most unfinished tasks of a rank, as TrainingApplication has
        Listener listener;         //!< told of every task; may be empty
    };

    /**
     * @param strategy how a job is divided
     * @return stages, ranks and groups of it; the rest is left for the caller
     */
    static Config MakeConfig(const ParallelStrategy& strategy);

    /**
     * @param config what to replay; what does not fit is refused
     * @param cost what communication costs; must outlive the replay
     */
    IterationReplay(Config config, const CommunicationCost& cost);

    /** @return the result; once */
    ReplayResult Run();

  private:
    /** The end of a task. */
    struct Event
    {
        Time time;      //!< when
        uint32_t stage; //!< of which stage
        uint64_t task;  //!< its id
        bool computes;  //!< it is a compute task, which collectives may move to another time

        /**
         * @param other another end
         * @return whether this one comes later
         */
        bool operator>(const Event& other) const
        {
            return std::tie(time, stage, task) > std::tie(other.time, other.stage, other.task);
        }
    };

    /** One rank that stands for its stage. */
    struct Stage
    {
        std::unique_ptr<TrainingGraph> graph; //!< its tasks
        std::unique_ptr<TaskWindow> tasks;    //!< the unfinished ones
        RankAccount account;                  //!< where its time went
        Time accounted;                       //!< up to when it has been booked
        Time end;                             //!< when its tasks were done
        uint32_t collectives = 0;             //!< how many run
        bool computing = false;               //!< a compute task runs
        uint64_t computeId = 0;               //!< which
        ComputeProgress progress;             //!< how far it is
        Time peerStart;                       //!< when what a pipeline RECEIVE waits for was sent
    };

    /** Messages from a stage to a stage along a dimension. */
    struct Channel
    {
        /** A message that no RECEIVE has taken. */
        struct Message
        {
            Time start;     //!< when its SEND started
            Time arrival;   //!< when it is there
            uint64_t bytes; //!< its size
        };

        std::deque<Message> sent; //!< in order
        bool awaited = false;     //!< a RECEIVE waits for the next one
        uint64_t receive = 0;     //!< which
        Time ready;               //!< when that RECEIVE can see what has come
        uint64_t bytes = 0;       //!< what it expects
        Time asked;               //!< when the sender knows of that RECEIVE
        /** SENDs by rendezvous that no RECEIVE has asked for: id and start. */
        std::deque<std::pair<uint64_t, Time>> offered;
    };

    /** The collective that stages which share a group have begun and not all have come to. */
    struct Meeting
    {
        TrainingTask::Kind kind = TrainingTask::ALL_REDUCE; //!< what
        uint64_t bytes = 0;                                 //!< its size
        std::vector<std::pair<uint32_t, uint64_t>> tasks;   //!< who has come: stage and task
    };

    /** Until when the NICs of a stage are busy, for one dimension. */
    struct Nic
    {
        Time out; //!< with what leaves
        Time in;  //!< with what comes
    };

    /**
     * Start what a stage can start, if it has tasks left.
     * @param index the stage
     */
    void Advance(uint32_t index);
    /**
     * @param event the end of a task
     * @return whether it was moved to another time since
     */
    bool IsStale(const Event& event) const;
    /** @param event the end of a task */
    void Finish(const Event& event);
    /**
     * Begin a compute task.
     * @param index the stage
     * @param task the task
     */
    void StartCompute(uint32_t index, const TrainingTask& task);
    /**
     * Begin a collective.
     * @param index the stage
     * @param task the task
     */
    void StartCollective(uint32_t index, const TrainingTask& task);
    /**
     * Come to a collective of several stages.
     * @param index the stage
     * @param task the task
     * @param group the stages
     */
    void Meet(uint32_t index, const TrainingTask& task, const Group& group);
    /**
     * Begin to send.
     * @param index the stage
     * @param task the SEND
     */
    void StartSend(uint32_t index, const TrainingTask& task);
    /**
     * Put a message on its way.
     * @param index the stage
     * @param id the SEND
     * @param started when the SEND started
     * @param from when the sender may hand it to its NIC
     */
    void Transmit(uint32_t index, uint64_t id, Time started, Time from);
    /**
     * Begin to receive.
     * @param index the stage
     * @param task the RECEIVE
     */
    void StartReceive(uint32_t index, const TrainingTask& task);
    /**
     * Let the first message of a channel end the RECEIVE that waits for it.
     * @param channel the channel
     * @param source the stage that sends
     * @param destination the stage that receives
     */
    void Deliver(Channel& channel, uint32_t source, uint32_t destination);
    /**
     * A collective of a stage has begun, or one has ended.
     * @param index the stage
     * @param collectives how many run from now on
     */
    void SetCollectives(uint32_t index, uint32_t collectives);
    /**
     * Book the time of a stage since the last call; to be called before any change.
     * @param stage the stage
     */
    void Account(Stage& stage);
    /**
     * @param index the stage of a message
     * @param task the message
     * @return the stage of its peer; one that there is not is refused
     */
    uint32_t FindPeer(uint32_t index, const TrainingTask& task) const;
    /**
     * @param index a stage
     * @return its name for messages
     */
    std::string Describe(uint32_t index) const;
    /** @return the result when nothing happens any more */
    ReplayResult Conclude();

    Config m_config;                 //!< what to replay
    const CommunicationCost& m_cost; //!< what communication costs
    std::vector<Stage> m_stages;     //!< by number
    Time m_now;                      //!< the time
    uint64_t m_tasksDone = 0;        //!< tasks that have ended
    /** What ends next comes first. */
    std::priority_queue<Event, std::vector<Event>, std::greater<Event>> m_events;
    std::map<std::tuple<ParallelDimension, uint32_t, uint32_t>, Channel>
        m_channels;                                      //!< by dimension, sender and receiver
    std::array<Meeting, PARALLEL_DIMENSIONS> m_meetings; //!< by dimension
    std::map<std::pair<ParallelDimension, uint32_t>, Nic> m_nics; //!< by dimension and stage
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ITERATION_REPLAY_H
