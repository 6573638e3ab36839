// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRANSFORMER_TRAINING_GRAPH_H
#define LLM_FABRIC_TRANSFORMER_TRAINING_GRAPH_H

#include "training-graph.h"
#include "transformer-workload.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * One iteration of one rank: the schedule's passes in order, each through the parts of the stage,
 * then the gradients, then the optimizer.
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
    /** Do one step of a part. @param step the step */
    void Process(const TimedStep& step);
    /** Make a task of the compute time gathered so far, if any. */
    void FlushCompute();
    /** Make the tasks that get a tensor from a neighbor stage. @param peer the neighbor's rank */
    void Receive(uint32_t peer);
    /** Gradients are complete in the last micro-batch: send a bucket if it is full. @param bytes size */
    void AddGradients(uint64_t bytes);
    /** Make the task that reduces the bucket, if it holds anything. */
    void FlushBucket();
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
    uint32_t m_blocks;                         //!< blocks of a model chunk

    uint64_t m_nextId = 0;        //!< id of the next task
    uint64_t m_scheduleIndex = 0; //!< next step of the schedule
    PipelineStep m_pass;          //!< the pass that runs
    uint32_t m_part = 0;          //!< its part: 0 begin, 1 to m_blocks blocks, then end
    const std::vector<TimedStep>* m_steps = nullptr; //!< steps of the part; null: has none
    std::size_t m_position = 0;                      //!< next step of the part
    bool m_ended = false;                            //!< the optimizer's step was made
    Time m_pending;                                  //!< compute time without a task yet
    bool m_hasPending = false;                       //!< there is such time
    std::vector<uint64_t> m_waits;                   //!< what the next compute must wait for
    uint64_t m_lastCompute = NONE;                   //!< last compute task
    uint64_t m_lastCollective = NONE;                //!< last tensor-parallel collective
    uint64_t m_lastBucket = NONE;                    //!< last data-parallel collective
    uint64_t m_bucketBytes = 0;                      //!< gradients that wait to be sent
    std::deque<TrainingTask> m_ready;                //!< tasks made but not given out
    int32_t m_layer = -1;                            //!< block that runs, or -1
    int32_t m_microBatch = -1;                       //!< micro-batch that runs, or -1
    const char* m_label = "";                        //!< what runs
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRANSFORMER_TRAINING_GRAPH_H
