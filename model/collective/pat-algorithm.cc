// SPDX-License-Identifier: GPL-2.0-only

#include "pat-algorithm.h"

#include "listed-program.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("PatAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(PatAlgorithm);

namespace
{

/** Dimension after dimension. */
class PatProgram : public ListedProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     * @param maxParts parts in a message
     */
    PatProgram(const CollectiveRequest& request, uint32_t size, uint32_t maxParts)
        : ListedProgram(size),
          m_bytes(request.bytes),
          m_maxParts(maxParts),
          m_gathers(request.operation == CollectiveOperation::ALL_GATHER)
    {
    }

  private:
    RankLanes MakeLanes(uint32_t rank) const override
    {
        const uint32_t size = GetSize();
        std::vector<uint32_t> distances;
        for (uint32_t distance = 1; distance < size; distance *= 2)
        {
            distances.push_back(distance);
        }
        if (m_gathers)
        {
            std::reverse(distances.begin(), distances.end());
        }
        RankLanes lanes(1);
        for (uint32_t i = 0; i < distances.size(); ++i)
        {
            const uint32_t up = (rank + distances[i]) % size;
            const uint32_t down = (rank + size - distances[i]) % size;
            // the lower end of a tree's edge sends in all-gather, the upper in reduce-scatter
            const BufferRanges below = GetParts(rank, distances[i]);
            const BufferRanges above = GetParts(down, distances[i]);
            const uint32_t place = i * size;
            Add(lanes[0], Step::SEND, m_gathers ? up : down, place, m_gathers ? below : above);
            Add(lanes[0], Step::RECEIVE, m_gathers ? down : up, place, m_gathers ? above : below);
        }
        return lanes;
    }

    /**
     * Add the messages of a dimension one way.
     * @param lane to this lane
     * @param kind SEND or RECEIVE
     * @param peer the other rank
     * @param place of the first
     * @param ranges the parts
     */
    void Add(std::vector<ListedStep>& lane,
             Step::Kind kind,
             uint32_t peer,
             uint32_t place,
             const BufferRanges& ranges) const
    {
        const bool reduces = !m_gathers && kind == Step::RECEIVE;
        for (std::size_t first = 0; first < ranges.size(); first += m_maxParts)
        {
            const std::size_t end = std::min<std::size_t>(first + m_maxParts, ranges.size());
            const BufferRanges some(ranges.begin() + static_cast<std::ptrdiff_t>(first),
                                    ranges.begin() + static_cast<std::ptrdiff_t>(end));
            lane.push_back(MakeListedStep(kind, peer, place++, some, reduces));
        }
    }

    /**
     * @param rank lower end of an edge, to rank + distance
     * @param distance of the dimension
     * @return the parts whose trees have this edge
     */
    BufferRanges GetParts(uint32_t rank, uint32_t distance) const
    {
        const uint32_t size = GetSize();
        BufferRanges result;
        for (uint32_t offset = 0; offset + distance < size; offset += 2 * distance)
        {
            result.push_back(GetPart({0, m_bytes}, size, (rank + size - offset) % size));
        }
        return result;
    }

    uint64_t m_bytes;    //!< S
    uint32_t m_maxParts; //!< parts in a message
    bool m_gathers;      //!< all-gather, else reduce-scatter
};

} // namespace

TypeId
PatAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::PatAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<PatAlgorithm>()
                            .AddAttribute("MaxParts",
                                          "How many ranks' parts a message holds at most",
                                          UintegerValue(16),
                                          MakeUintegerAccessor(&PatAlgorithm::m_maxParts),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

bool
PatAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_GATHER ||
           request.operation == CollectiveOperation::REDUCE_SCATTER;
}

std::shared_ptr<const StepProgram>
PatAlgorithm::MakeProgram(const CollectiveRequest& request,
                          const std::vector<uint32_t>& accelerators,
                          Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    return std::make_shared<PatProgram>(request, size, m_maxParts);
}

} // namespace ns3::llm
