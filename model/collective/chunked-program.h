// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CHUNKED_PROGRAM_H
#define LLM_FABRIC_CHUNKED_PROGRAM_H

#include "step-program.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A step program with its large messages cut into chunks that follow each other.
 *
 * A message of more than the largest size becomes the fewest equal chunks that are not larger. What a
 * rank only passes on goes out chunk by chunk as it comes in; a send of something else than what was
 * received waits for all of it. So reduction, software latency and the ways of a ring overlap. The
 * bytes are those of the program as it was.
 */
class ChunkedProgram : public StepProgram
{
  public:
    /**
     * Looks at all steps; a program that would need more places than messages can carry is refused.
     * The places that messages had are numbered anew, as some programs leave many out.
     * @param program what is to be cut
     * @param chunkBytes largest chunk, 1 or more
     */
    ChunkedProgram(std::shared_ptr<const StepProgram> program, uint64_t chunkBytes);

    uint32_t GetSize() const override;
    uint32_t GetLaneCount(uint32_t rank) const override;
    uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const override;
    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override;
    BufferRanges GetRanges(uint32_t rank, uint32_t lane, uint32_t index) const override;
    std::vector<uint32_t> GetGroup(uint32_t group) const override;
    bool FindReceive(uint32_t rank,
                     uint32_t peer,
                     uint32_t place,
                     uint32_t& lane,
                     uint32_t& index) const override;

  private:
    /** Where a chunk is in the program as it was. */
    struct Origin
    {
        uint32_t index = 0;  //!< its step
        uint32_t chunk = 0;  //!< which chunk of it
        uint32_t chunks = 1; //!< of how many
    };

    /** @param step a step of the program as it was @return into how many it is cut */
    uint64_t CountChunks(const Step& step) const;
    /** @param rank a rank @param lane its lane @return first chunk of each step, and the end */
    const std::vector<uint32_t>& GetFirsts(uint32_t rank, uint32_t lane) const;
    /** @param rank a rank @param lane its lane @param index a step of this one @return its origin */
    Origin FindOrigin(uint32_t rank, uint32_t lane, uint32_t index) const;
    /** @param rank a rank @param lane of a send @param index of the send, as it was @param step it
     * @return whether it passes on just what the step that it waits for has received */
    bool PassesOn(uint32_t rank, uint32_t lane, uint32_t index, const Step& step) const;

    std::shared_ptr<const StepProgram> m_program; //!< as it was
    uint64_t m_chunkBytes;                        //!< largest chunk
    uint32_t m_most = 1;                          //!< chunks of the largest message
    std::vector<uint32_t> m_places;               //!< that messages had, in ascending order
    /** By rank and lane, made when asked for: see GetFirsts(). */
    mutable std::vector<std::vector<std::vector<uint32_t>>> m_firsts;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CHUNKED_PROGRAM_H
