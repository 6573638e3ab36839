// SPDX-License-Identifier: GPL-2.0-only

#include "chunked-program.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <iterator>

namespace ns3::llm
{

namespace
{

/** @param a stretches @param b others @return whether they are the same, in the same order */
bool
AreEqual(const BufferRanges& a, const BufferRanges& b)
{
    return std::equal(a.begin(),
                      a.end(),
                      b.begin(),
                      b.end(),
                      [](const BufferRange& left, const BufferRange& right)
                      { return left.begin == right.begin && left.bytes == right.bytes; });
}

/** @param some places, in any order @param all places, ascending, each once; gets them too */
void
AddPlaces(std::vector<uint32_t> some, std::vector<uint32_t>& all)
{
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    std::vector<uint32_t> both;
    std::set_union(some.begin(), some.end(), all.begin(), all.end(), std::back_inserter(both));
    all = std::move(both);
}

} // namespace

ChunkedProgram::ChunkedProgram(std::shared_ptr<const StepProgram> program, uint64_t chunkBytes)
    : m_program(std::move(program)),
      m_chunkBytes(chunkBytes),
      m_firsts(m_program->GetSize())
{
    uint64_t most = 1;
    for (uint32_t rank = 0; rank < m_program->GetSize(); ++rank)
    {
        std::vector<uint32_t> places;
        for (uint32_t lane = 0; lane < m_program->GetLaneCount(rank); ++lane)
        {
            const uint32_t length = m_program->GetLaneLength(rank, lane);
            for (uint32_t i = 0; i < length; ++i)
            {
                const Step step = m_program->GetStep(rank, lane, i);
                most = std::max(most, CountChunks(step));
                places.push_back(step.place);
            }
        }
        AddPlaces(std::move(places), m_places);
    }
    constexpr uint64_t ALL = uint64_t{1} << 32; // places that messages can carry
    const uint64_t room = ALL / std::max<uint64_t>(1, m_places.size());
    if (most > room)
    {
        RefuseInput("ChunkBytes " + std::to_string(chunkBytes) + " cuts messages into " +
                    std::to_string(most) + " chunks, where the algorithm has room for " +
                    std::to_string(room) + "; give a larger one");
    }
    m_most = static_cast<uint32_t>(most);
}

uint32_t
ChunkedProgram::GetSize() const
{
    return m_program->GetSize();
}

uint32_t
ChunkedProgram::GetLaneCount(uint32_t rank) const
{
    return m_program->GetLaneCount(rank);
}

uint32_t
ChunkedProgram::GetLaneLength(uint32_t rank, uint32_t lane) const
{
    return GetFirsts(rank, lane).back();
}

uint64_t
ChunkedProgram::CountChunks(const Step& step) const
{
    const bool isMessage = step.kind == Step::SEND || step.kind == Step::RECEIVE;
    const bool isWhole = !isMessage || step.bytes == 0; // switches take what they do in frames
    return isWhole ? 1 : (step.bytes - 1) / m_chunkBytes + 1;
}

const std::vector<uint32_t>&
ChunkedProgram::GetFirsts(uint32_t rank, uint32_t lane) const
{
    auto& lanes = m_firsts[rank];
    lanes.resize(m_program->GetLaneCount(rank));
    std::vector<uint32_t>& firsts = lanes[lane];
    if (firsts.empty())
    {
        const uint32_t length = m_program->GetLaneLength(rank, lane);
        firsts.reserve(length + 1);
        firsts.push_back(0);
        for (uint32_t i = 0; i < length; ++i)
        {
            const uint64_t chunks = CountChunks(m_program->GetStep(rank, lane, i));
            firsts.push_back(firsts.back() + static_cast<uint32_t>(chunks));
        }
    }
    return firsts;
}

ChunkedProgram::Origin
ChunkedProgram::FindOrigin(uint32_t rank, uint32_t lane, uint32_t index) const
{
    const std::vector<uint32_t>& firsts = GetFirsts(rank, lane);
    const auto next = std::upper_bound(firsts.begin(), firsts.end(), index);
    Origin origin;
    origin.index = static_cast<uint32_t>(next - firsts.begin()) - 1;
    origin.chunk = index - firsts[origin.index];
    origin.chunks = *next - firsts[origin.index];
    return origin;
}

bool
ChunkedProgram::PassesOn(uint32_t rank, uint32_t lane, uint32_t index, const Step& step) const
{
    const Step source = m_program->GetStep(rank, step.dependencyLane, step.dependencyIndex);
    return step.kind == Step::SEND && source.kind == Step::RECEIVE && step.bytes == source.bytes &&
           AreEqual(m_program->GetRanges(rank, lane, index),
                    m_program->GetRanges(rank, step.dependencyLane, step.dependencyIndex));
}

Step
ChunkedProgram::GetStep(uint32_t rank, uint32_t lane, uint32_t index) const
{
    const Origin origin = FindOrigin(rank, lane, index);
    Step step = m_program->GetStep(rank, lane, origin.index);
    if (step.dependencyLane != Step::NONE)
    {
        const auto& firsts = GetFirsts(rank, step.dependencyLane);
        const bool isCut = PassesOn(rank, lane, origin.index, step);
        step.dependencyIndex = isCut ? firsts[step.dependencyIndex] + origin.chunk
                                     : firsts[step.dependencyIndex + 1] - 1;
    }
    if (step.kind != Step::WAIT)
    {
        const BufferRange part = GetPart({step.begin, step.bytes}, origin.chunks, origin.chunk);
        step.begin = part.begin;
        step.bytes = part.bytes;
        const auto place = std::lower_bound(m_places.begin(), m_places.end(), step.place);
        const auto number = static_cast<uint32_t>(place - m_places.begin());
        step.place = number * m_most + origin.chunk;
    }
    return step;
}

BufferRanges
ChunkedProgram::GetRanges(uint32_t rank, uint32_t lane, uint32_t index) const
{
    const Origin origin = FindOrigin(rank, lane, index);
    const BufferRanges whole = m_program->GetRanges(rank, lane, origin.index);
    if (origin.chunks == 1)
    {
        return whole;
    }
    // the chunk as a stretch of all stretches laid end to end
    const BufferRange part = GetPart({0, GetTotalBytes(whole)}, origin.chunks, origin.chunk);
    BufferRanges result;
    uint64_t before = 0;
    for (const BufferRange& range : whole)
    {
        const uint64_t from = std::max(part.begin, before);
        const uint64_t to = std::min(part.GetEnd(), before + range.bytes);
        if (from < to)
        {
            result.push_back({range.begin + (from - before), to - from});
        }
        before += range.bytes;
    }
    return result;
}

std::vector<uint32_t>
ChunkedProgram::GetGroup(uint32_t group) const
{
    return m_program->GetGroup(group);
}

bool
ChunkedProgram::FindReceive(uint32_t rank,
                            uint32_t peer,
                            uint32_t place,
                            uint32_t& lane,
                            uint32_t& index) const
{
    const uint32_t number = place / m_most;
    if (number >= m_places.size() ||
        !m_program->FindReceive(rank, peer, m_places[number], lane, index))
    {
        return false;
    }
    const std::vector<uint32_t>& firsts = GetFirsts(rank, lane);
    const uint32_t chunk = place % m_most;
    const bool isThere = chunk < firsts[index + 1] - firsts[index];
    index = firsts[index] + chunk;
    return isThere;
}

} // namespace ns3::llm
