// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LISTED_PROGRAM_H
#define LLM_FABRIC_LISTED_PROGRAM_H

#include "step-program.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A step with the stretches of the buffer that its message holds.
 */
struct ListedStep
{
    Step step;           //!< its begin and bytes are those of the ranges
    BufferRanges ranges; //!< what it sends or receives
};

/** @ingroup llm-fabric-collective Steps of a rank, by lane. */
using RankLanes = std::vector<std::vector<ListedStep>>;

/**
 * @ingroup llm-fabric-collective
 * A step program whose steps are lists, made for a rank when it is first asked for.
 */
class ListedProgram : public StepProgram
{
  public:
    /** @param size number of ranks */
    explicit ListedProgram(uint32_t size);

    uint32_t GetSize() const override;
    uint32_t GetLaneCount(uint32_t rank) const override;
    uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const override;
    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override;
    BufferRanges GetRanges(uint32_t rank, uint32_t lane, uint32_t index) const override;
    bool FindReceive(uint32_t rank,
                     uint32_t peer,
                     uint32_t place,
                     uint32_t& lane,
                     uint32_t& index) const override;

  protected:
    /** @param rank a rank @return its steps */
    virtual RankLanes MakeLanes(uint32_t rank) const = 0;

  private:
    /** What is kept of a rank that was asked for. */
    struct Made
    {
        RankLanes lanes; //!< its steps
        /** Lane and place there of each receive step, by sender and the message's place. */
        std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> receives;
    };

    /** @param rank a rank @return its steps */
    const Made& Get(uint32_t rank) const;

    uint32_t m_size;                         //!< number of ranks
    mutable std::map<uint32_t, Made> m_made; //!< by rank
};

/**
 * @ingroup llm-fabric-collective
 * @param kind SEND or RECEIVE
 * @param peer the other rank
 * @param place the message's place
 * @param ranges what it holds
 * @param reduce RECEIVE: reduce it into what is there
 * @return the step
 */
ListedStep MakeListedStep(Step::Kind kind,
                          uint32_t peer,
                          uint32_t place,
                          BufferRanges ranges,
                          bool reduce = false);

} // namespace ns3::llm

#endif // LLM_FABRIC_LISTED_PROGRAM_H
