// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_GRAPH_H
#define LLM_FABRIC_TRAINING_GRAPH_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Along which dimension of the strategy a group of ranks communicates.
 */
enum class ParallelDimension : uint8_t
{
    TENSOR,      //!< TP: ranks that share each layer
    PIPELINE,    //!< PP: the stages
    DATA,        //!< DP: ranks with the same parameters outside of experts, context included
    CONTEXT,     //!< CP: ranks that share each sequence
    EXPERT,      //!< EP: ranks that share the experts of a layer
    EXPERT_DATA, //!< ranks with the same experts
    EMBEDDING,   //!< first and last stage, which both keep a tied word embedding
    WORLD,       //!< all ranks
};

/** How many parallel dimensions there are. */
inline constexpr std::size_t PARALLEL_DIMENSIONS = 8;

/**
 * @ingroup llm-fabric-workload
 * One thing that a rank does.
 */
struct TrainingTask
{
    /** What kind of thing. */
    enum Kind : uint8_t
    {
        COMPUTE,        //!< keeps the compute stream busy for a time
        ALL_REDUCE,     //!< collective of the rank's group along `dimension`
        ALL_GATHER,     //!< likewise
        REDUCE_SCATTER, //!< likewise
        ALL_TO_ALL,     //!< likewise
        SEND,           //!< to `peer`, dimension PIPELINE or CONTEXT
        RECEIVE,        //!< from `peer`, dimension PIPELINE or CONTEXT
    };

    uint64_t id = 0;     //!< counted from 0 for each rank and iteration
    Kind kind = COMPUTE; //!< what it does
    ParallelDimension dimension = ParallelDimension::TENSOR; //!< for communication
    Time duration;      //!< COMPUTE: how long on an accelerator at full speed
    uint64_t bytes = 0; //!< communication: S of the collective, or size of the message
    uint32_t peer = 0;  //!< SEND, RECEIVE: the other rank
    /** SEND, RECEIVE: the message leaves only when the receiver has come to its RECEIVE. */
    bool rendezvous = false;
    std::vector<uint64_t> dependencies; //!< ids of earlier tasks that must be done before it starts
    int32_t layer = -1;                 //!< transformer block, or -1
    int32_t microBatch = -1;            //!< micro-batch, or -1
    const char* label = ""; //!< what it is, for reports: "forward", "backward", "optimizer", ...
};

/**
 * @ingroup llm-fabric-workload
 * The tasks of one rank in one iteration, one after the other.
 *
 * Tasks of the compute stream run in the order given, one at a time; so do the tasks of each
 * dimension's communication stream (SEND and RECEIVE of a dimension run on streams of their own). A task starts
 * when its stream has reached it and its dependencies are done. Generation is lazy: only the ids of
 * tasks that later ones may depend on are kept, so memory does not grow with layers x micro-batches.
 */
class TrainingGraph
{
  public:
    virtual ~TrainingGraph() = default;
    /**
     * @param task set to the next task
     * @return false when the iteration has no more tasks (task unchanged)
     */
    virtual bool Next(TrainingTask& task) = 0;
    /** Start again with the first task of an iteration. */
    virtual void Restart() = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_GRAPH_H
