// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_STAGED_PROGRAM_H
#define LLM_FABRIC_STAGED_PROGRAM_H

#include "listed-program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * What the parts of a smaller program's buffer are in the whole buffer.
 *
 * The smaller program has a buffer of UNITS for each part. A stretch of a part of which it sends one
 * half is that half of all that the part stands for, laid end to end.
 */
class PartMap
{
  public:
    /** Length of a part in the smaller program: cut into 2 to 16, 24, 32, 48 or 64 without rest. */
    static constexpr uint64_t UNITS = 2882880;

    /**
     * @param parts by part: its stretches of the whole buffer
     * @param slice which slice of each stretch is meant
     * @param slices of how many
     */
    PartMap(std::vector<BufferRanges> parts, uint32_t slice, uint32_t slices);

    /**
     * @param range a stretch of the smaller program's buffer
     * @return its stretches of the whole buffer
     */
    BufferRanges Translate(const BufferRange& range) const;

  private:
    std::vector<BufferRanges> m_parts; //!< by part: the slices of its stretches
};

/**
 * @ingroup llm-fabric-collective
 * Part of a larger program: what some ranks do by a smaller one.
 */
struct ProgramStage
{
    std::shared_ptr<const StepProgram> program; //!< the smaller one
    std::vector<uint32_t> members;              //!< its ranks, as ranks of the larger one
    uint32_t self = 0;                          //!< the rank in question, as one of the smaller one
    PartMap map;                                //!< its buffer
    uint32_t number = 0; //!< among all stages of all slices; keeps the places apart
    uint32_t group = 0;  //!< its ranks' number as a group that calls on switches
};

/**
 * @ingroup llm-fabric-collective
 * Appends the stages that a rank goes through, slice by slice.
 */
class StageAppender
{
  public:
    /** @param lanes gets the steps */
    explicit StageAppender(RankLanes& lanes);

    /**
     * Append the stages of a slice. Each begins when the rank has done the one before; its calls on
     * switches come after those of the same stage of the slices before, so that all ranks make them
     * in the same order.
     * @param stages the stages; one of a group of one takes no step
     */
    void Append(const std::vector<ProgramStage>& stages);

  private:
    /** A step that others wait for. */
    struct Gate
    {
        uint32_t lane = Step::NONE; //!< its lane; NONE: there is nothing to wait for
        uint32_t index = 0;         //!< its place there
    };

    /**
     * Append a stage.
     * @param stage the stage
     * @param before ends the stage before
     * @param calls the last call of this stage so far; set to the last one
     * @return what ends this one, or the one before if it has no step
     */
    Gate AppendStage(const ProgramStage& stage, Gate before, Gate& calls);

    RankLanes& m_lanes;        //!< gets the steps
    std::vector<Gate> m_calls; //!< by stage of a slice: its last call on switches
};

} // namespace ns3::llm

#endif // LLM_FABRIC_STAGED_PROGRAM_H
