// SPDX-License-Identifier: GPL-2.0-only

#include "direct-algorithm.h"

#include "ns3/log.h"

#include <map>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("DirectAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(DirectAlgorithm);

namespace
{

/** The messages of a direct exchange, by formula. */
class DirectProgram : public StepProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     * @param joint of each rank: ranks in its HB domain; none if not known
     */
    DirectProgram(const CollectiveRequest& request,
                  uint32_t size,
                  const std::vector<uint32_t>& joint)
        : m_request(request),
          m_size(size),
          m_joint(joint)
    {
    }

    uint32_t GetSize() const override
    {
        return m_size;
    }

    uint32_t GetLaneCount(uint32_t) const override
    {
        return m_size > 1 ? 2 : 0;
    }

    uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const override
    {
        const uint32_t others = m_size - 1;
        const bool isRoot = rank == m_request.root;
        const bool sends = lane == 0;
        switch (m_request.operation)
        {
        case CollectiveOperation::ALL_REDUCE:
            return 2 * others;
        case CollectiveOperation::BROADCAST:
        case CollectiveOperation::SCATTER:
            return sends ? (isRoot ? others : 0) : (isRoot ? 0 : 1);
        case CollectiveOperation::REDUCE:
        case CollectiveOperation::GATHER:
            return sends ? (isRoot ? 0 : 1) : (isRoot ? others : 0);
        default:
            return others;
        }
    }

    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override
    {
        const uint32_t others = m_size - 1;
        const bool sends = lane == 0;
        const bool isSecond = index >= others; // the all-gather of an all-reduce
        Step step;
        step.kind = sends ? Step::SEND : Step::RECEIVE;
        step.peer = GetPeer(rank, sends, index % others);
        step.reduce = !sends && !isSecond && IsReduction(m_request.operation);
        step.place = isSecond ? 1 : 0;
        const uint32_t sender = sends ? rank : step.peer;
        const uint32_t receiver = sends ? step.peer : rank;
        const BufferRange range = GetRange(sender, receiver, isSecond);
        step.begin = range.begin;
        step.bytes = range.bytes;
        step.chunk = isSecond ? sender : receiver;
        step.joint = sends && !m_joint.empty() ? m_joint[rank] : 0;
        if (sends && index == others)
        {
            step.dependencyLane = 1; // the own part is complete when all have sent theirs
            step.dependencyIndex = others - 1;
        }
        return step;
    }

    bool FindReceive(uint32_t rank,
                     uint32_t peer,
                     uint32_t place,
                     uint32_t& lane,
                     uint32_t& index) const override
    {
        lane = 1;
        const uint32_t length = m_size > 1 ? GetLaneLength(rank, lane) : 0;
        const uint32_t behind = (rank + m_size - 1 - peer) % m_size;
        index = (length > 1 ? behind : 0) + place * (m_size - 1);
        return place < 2 && index < length && GetStep(rank, lane, index).peer == peer;
    }

  private:
    /**
     * @param rank a rank
     * @param sends whether it sends
     * @param index how many it has sent to or received from
     * @return the other rank
     */
    uint32_t GetPeer(uint32_t rank, bool sends, uint32_t index) const
    {
        const bool isRoot = rank == m_request.root;
        switch (m_request.operation)
        {
        case CollectiveOperation::BROADCAST:
        case CollectiveOperation::SCATTER:
        case CollectiveOperation::REDUCE:
        case CollectiveOperation::GATHER:
            if (!isRoot)
            {
                return m_request.root;
            }
            break;
        default:
            break;
        }
        return (sends ? rank + 1 + index : rank + m_size - 1 - index) % m_size;
    }

    /**
     * @param sender a rank
     * @param receiver another
     * @param isSecond all-reduce: whether in its second step
     * @return what the message holds
     */
    BufferRange GetRange(uint32_t sender, uint32_t receiver, bool isSecond) const
    {
        const BufferRange all{0, m_request.bytes};
        switch (m_request.operation)
        {
        case CollectiveOperation::ALL_REDUCE:
            return GetPart(all, m_size, isSecond ? sender : receiver);
        case CollectiveOperation::REDUCE_SCATTER:
        case CollectiveOperation::SCATTER:
            return GetPart(all, m_size, receiver);
        case CollectiveOperation::ALL_GATHER:
        case CollectiveOperation::GATHER:
            return GetPart(all, m_size, sender);
        case CollectiveOperation::ALL_TO_ALL:
        case CollectiveOperation::ALL_TO_ALL_V:
            return GetBlock(m_request, m_size, sender, receiver);
        default:
            return all;
        }
    }

    CollectiveRequest m_request;   //!< the operation
    uint32_t m_size;               //!< number of ranks
    std::vector<uint32_t> m_joint; //!< by rank: ranks in its HB domain
};

/**
 * @param accelerators of each rank
 * @param locality tells the HB domains
 * @return for each rank, how many ranks are in its HB domain
 */
std::vector<uint32_t>
CountNeighbors(const std::vector<uint32_t>& accelerators, const Locality& locality)
{
    std::map<uint32_t, uint32_t> members;
    for (const uint32_t accelerator : accelerators)
    {
        ++members[locality.GetDomain(accelerator)];
    }
    std::vector<uint32_t> result;
    for (const uint32_t accelerator : accelerators)
    {
        result.push_back(members[locality.GetDomain(accelerator)]);
    }
    return result;
}

} // namespace

TypeId
DirectAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::DirectAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<DirectAlgorithm>();
    return tid;
}

bool
DirectAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation != CollectiveOperation::POINT_TO_POINT &&
           request.operation != CollectiveOperation::BARRIER;
}

std::shared_ptr<const StepProgram>
DirectAlgorithm::MakeProgram(const CollectiveRequest& request,
                             const std::vector<uint32_t>& accelerators,
                             Ptr<const Locality> locality) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    // in an all-to-all each rank of a domain has one message for each other rank
    const bool isExchange = request.operation == CollectiveOperation::ALL_TO_ALL ||
                            request.operation == CollectiveOperation::ALL_TO_ALL_V;
    return std::make_shared<DirectProgram>(
        request,
        size,
        isExchange && locality ? CountNeighbors(accelerators, *locality) : std::vector<uint32_t>());
}

} // namespace ns3::llm
