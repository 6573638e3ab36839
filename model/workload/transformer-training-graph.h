// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_TRAINING_GRAPH_H
#define LLM_FABRIC_TRANSFORMER_TRAINING_GRAPH_H

#include "gradient-buckets.h"
#include "training-graph.h"
#include "transformer-workload.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * One iteration of one rank: the schedule's passes in order, each through the parts of the stage,
 * then the gradients, then the optimizer. ZeRO (Rajbhandari et al., arXiv 1910.02054): from stage 1 on
 * gradients are scattered when reduced and each rank updates its share of the parameters, which are
 * gathered afterwards (stages 1 and 2) or whenever a part of the model needs them (stage 3).
 *
 * Per pass and block it gives one COMPUTE between two communications. It keeps the place it has
 * reached and the ids of the last compute, collective and receive, whatever the size of the model.
 */
class TransformerTrainingGraph : public TrainingGraph
{
  public:
    /**
     * @param workload what the rank works on
     * @param rank the rank, below the strategy's GetRankCount()
     */
    TransformerTrainingGraph(Ptr<const TransformerWorkload> workload, uint32_t rank);

    bool Next(TrainingTask& task) override;
    void Restart() override;

    /** @return tasks that were made but not yet given out; bounded by a small constant */
    std::size_t GetReadyCount() const;

  private:
    static constexpr uint64_t NONE = UINT64_MAX; //!< no task

    /** Go one step further, which makes no task or a few. */
    void Advance();
    /** Take the next step of the schedule, or end the iteration. */
    void BeginPass();
    /** Enter the part of the pass that m_part names. */
    void BeginPart();
    /** Start or end of a pass where the model does: embedding or logits, or a neighbor stage. */
    void BeginEnd();
    /** The pass is over: what it has made ready is reduced. */
    void EndPass();
    /** Make the tasks that follow the last pass. */
    void EndIteration();
    /** Do one step of a part. @param step the step */
    void Process(const TimedStep& step);
    /** Gather compute time. @param step a sequence of operators */
    void Compute(const TimedStep& step);
    /** Make the task of a communication. @param step the step */
    void Communicate(const TimedStep& step);
    /** Make a task of the compute time gathered so far, if any. */
    void FlushCompute();
    /** Make the tasks that get a tensor from a neighbor stage. @param peer the neighbor's rank */
    void Receive(uint32_t peer);
    /** Make the tasks that hand tensors to neighbor stages; by rendezvous also those that get some. */
    void Exchange();
    /** By rendezvous: make the tasks that get what is needed until the next exchange. */
    void ReceiveAhead();
    /**
     * @param step a step of the schedule
     * @param next place of the step after it
     * @return whether there is no exchange between them, by rendezvous: Megatron-LM's interleaved
     *         schedule sends what a forward and the next backward pass made together
     */
    bool SharesCall(const PipelineStep& step, uint64_t next) const;
    /** Make the task that reduces a bucket. @param bucket the bucket; of no bytes: nothing is done */
    void Reduce(const GradientBuckets::Bucket& bucket);
    /** ZeRO stage 3: gather the parameters of the parts that come next, and wait for this one's. */
    void GatherParameters();
    /**
     * @param part a part of the pass, as m_part
     * @return its parameters; none where the pass ends at another stage
     */
    ParameterCount GetPartParameters(uint32_t part) const;
    /**
     * Make the tasks that gather parameters from the ranks that have a share of them.
     * @param count the parameters
     * @return their ids
     */
    std::vector<uint64_t> AddGathers(const ParameterCount& count);
    /**
     * Make a task.
     * @param kind its kind
     * @return the task, to be completed; valid until the next is made
     */
    TrainingTask& Add(TrainingTask::Kind kind);
    /**
     * Make a task that communicates what was computed last.
     * @param kind its kind
     * @param dimension along which
     * @param bytes size
     * @return the task
     */
    TrainingTask&
    AddCommunication(TrainingTask::Kind kind, ParallelDimension dimension, uint64_t bytes);
    /**
     * @param forward towards the last stage, else towards the first
     * @return the rank of the neighbor stage, around the ends with model chunks
     */
    uint32_t GetNeighbor(bool forward) const;

    Ptr<const TransformerWorkload> m_workload; //!< what the rank works on
    uint32_t m_rank;                           //!< the rank
    RankCoordinates m_place;                   //!< its place
    PipelineShape m_shape;                     //!< the pipeline

    uint64_t m_nextId = 0;        //!< id of the next task
    uint64_t m_scheduleIndex = 0; //!< next step of the schedule
    PipelineStep m_pass;          //!< the pass that runs
    uint32_t m_blocks = 0;        //!< blocks of its model chunk
    uint32_t m_part = 0;          //!< its part: 0 begin, 1 to m_blocks blocks, then end
    const std::vector<TimedStep>* m_steps = nullptr; //!< steps of the part; null: has none
    std::size_t m_position = 0;                      //!< next step of the part
    bool m_ended = false;                            //!< the optimizer's step was made
    Time m_pending;                                  //!< compute time without a task yet
    bool m_hasPending = false;                       //!< there is such time
    bool m_again = false;                            //!< it is of recomputation
    std::vector<uint64_t> m_waits;                   //!< what the next compute must wait for
    uint64_t m_lastCompute = NONE;                   //!< last compute task
    /** Tensors to be sent: to which rank, of which micro-batch. */
    std::vector<std::pair<uint32_t, int32_t>> m_sends;
    std::vector<uint64_t> m_open;                    //!< communication since the last wait
    GradientBuckets m_buckets;                       //!< gradients that wait to be reduced
    std::map<ParallelDimension, uint64_t> m_reduced; //!< last reduction along each dimension
    std::deque<std::vector<uint64_t>> m_gathers;     //!< of parameters, for this part and the next
    uint32_t m_gathered = 0;                         //!< parts of the pass that were gathered
    std::deque<TrainingTask> m_ready;                //!< tasks made but not given out
    int32_t m_layer = -1;                            //!< block that runs, or -1
    int32_t m_microBatch = -1;                       //!< micro-batch that runs, or -1
    const char* m_label = "";                        //!< what runs
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_TRAINING_GRAPH_H
