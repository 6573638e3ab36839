// SPDX-License-Identifier: GPL-2.0-only

#include "bruck-algorithm.h"

#include "listed-program.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("BruckAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(BruckAlgorithm);

namespace
{

/** One message a round each way, a round after the other. */
class BruckProgram : public ListedProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     */
    BruckProgram(const CollectiveRequest& request, uint32_t size)
        : ListedProgram(size),
          m_request(request)
    {
    }

  private:
    RankLanes MakeLanes(uint32_t rank) const override
    {
        const uint32_t size = GetSize();
        const bool isGather = m_request.operation == CollectiveOperation::ALL_GATHER;
        RankLanes lanes(1);
        uint32_t round = 0;
        for (uint32_t distance = 1; distance < size; distance *= 2, ++round)
        {
            const uint32_t up = (rank + distance) % size;
            const uint32_t down = (rank + size - distance) % size;
            const uint32_t sender = isGather ? up : down;
            Add(lanes[0], Step::SEND, isGather ? down : up, round, GetBlocks(rank, distance));
            Add(lanes[0], Step::RECEIVE, sender, round, GetBlocks(sender, distance));
        }
        return lanes;
    }

    /**
     * Add a step.
     * @param lane to this lane
     * @param kind SEND or RECEIVE
     * @param peer the other rank
     * @param round the round
     * @param ranges what the message holds
     */
    void Add(std::vector<ListedStep>& lane,
             Step::Kind kind,
             uint32_t peer,
             uint32_t round,
             BufferRanges ranges) const
    {
        const bool isBarrier = m_request.operation == CollectiveOperation::BARRIER;
        lane.push_back(MakeListedStep(kind,
                                      peer,
                                      round,
                                      std::move(ranges),
                                      isBarrier && kind == Step::RECEIVE));
        if (isBarrier)
        {
            lane.back().step.bytes = 0; // that it comes is all
        }
    }

    /**
     * @param sender a rank
     * @param distance of the round
     * @return what it sends
     */
    BufferRanges GetBlocks(uint32_t sender, uint32_t distance) const
    {
        const uint32_t size = GetSize();
        if (m_request.operation == CollectiveOperation::BARRIER)
        {
            return {{0, 1}};
        }
        BufferRanges result;
        if (m_request.operation == CollectiveOperation::ALL_GATHER)
        {
            for (uint32_t i = 0; i < std::min(distance, size - distance); ++i)
            {
                result.push_back(GetPart({0, m_request.bytes}, size, (sender + i) % size));
            }
            return result;
        }
        for (uint32_t way = distance; way < size; ++way)
        {
            if ((way & distance) != 0)
            {
                const uint32_t from = (sender + size - (way & (distance - 1))) % size;
                result.push_back(GetBlock(m_request, size, from, (from + way) % size));
            }
        }
        return result;
    }

    CollectiveRequest m_request; //!< the operation
};

} // namespace

TypeId
BruckAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::BruckAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<BruckAlgorithm>();
    return tid;
}

bool
BruckAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_TO_ALL ||
           request.operation == CollectiveOperation::ALL_TO_ALL_V ||
           request.operation == CollectiveOperation::ALL_GATHER ||
           request.operation == CollectiveOperation::BARRIER;
}

std::shared_ptr<const StepProgram>
BruckAlgorithm::MakeProgram(const CollectiveRequest& request,
                            const std::vector<uint32_t>& accelerators,
                            Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    return std::make_shared<BruckProgram>(request, size);
}

} // namespace ns3::llm
