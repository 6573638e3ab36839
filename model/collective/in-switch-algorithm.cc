// SPDX-License-Identifier: GPL-2.0-only

#include "in-switch-algorithm.h"

#include "listed-program.h"

#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("InSwitchAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(InSwitchAlgorithm);

namespace
{

/** The calls on switches; lane 0 makes those that wait for nothing. */
class InSwitchProgram : public ListedProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     * @param slices of an all-reduce whose members read and write; 0: the result comes to all
     */
    InSwitchProgram(const CollectiveRequest& request, uint32_t size, uint32_t slices)
        : ListedProgram(size),
          m_request(request),
          m_slices(slices)
    {
    }

  protected:
    RankLanes MakeLanes(uint32_t rank) const override
    {
        if (GetSize() == 1)
        {
            return {};
        }
        const bool isAllReduce = m_request.operation == CollectiveOperation::ALL_REDUCE;
        return isAllReduce && m_slices != 0 ? MakeSlicedLanes(rank) : MakeStreamLanes(rank);
    }

  private:
    /** @return the whole buffer */
    BufferRange GetAll() const
    {
        return {0, m_request.bytes};
    }

    /**
     * @param kind REDUCE or MULTICAST
     * @param peer see Step
     * @param place of the call; all go to the switches with the first, of place 0
     * @param range of the buffer
     * @return the step
     */
    static ListedStep
    MakeCall(Step::Kind kind, uint32_t peer, uint32_t place, const BufferRange& range)
    {
        ListedStep result = MakeListedStep(kind, peer, place, {range});
        result.step.isTogether = place != 0;
        return result;
    }

    /**
     * @param lanes of the rank: what it calls for, what it receives
     * @param kind REDUCE or MULTICAST
     * @param rank the rank
     * @param peer see Step
     * @param place of the call
     * @param range of the buffer
     */
    void Add(RankLanes& lanes,
             Step::Kind kind,
             uint32_t rank,
             uint32_t peer,
             uint32_t place,
             const BufferRange& range) const
    {
        lanes[0].push_back(MakeCall(kind, peer, place, range));
        const bool isReduction = kind == Step::REDUCE;
        const bool isGetter = isReduction ? peer == rank || peer == Step::EVERY : peer != rank;
        if (isGetter)
        {
            lanes[1].push_back(
                MakeListedStep(Step::RECEIVE, isReduction ? Step::EVERY : peer, place, {range}));
        }
    }

    /** @param rank a rank @return its lanes: all calls at once, then what comes */
    RankLanes MakeStreamLanes(uint32_t rank) const
    {
        RankLanes lanes(2);
        const uint32_t size = GetSize();
        switch (m_request.operation)
        {
        case CollectiveOperation::ALL_REDUCE:
            Add(lanes, Step::REDUCE, rank, Step::EVERY, 0, GetAll());
            break;
        case CollectiveOperation::BARRIER:
            Add(lanes, Step::REDUCE, rank, Step::EVERY, 0, {0, 1});
            lanes[0].back().step.bytes = 0; // that all come is all
            lanes[1].back().step.bytes = 0;
            break;
        case CollectiveOperation::REDUCE:
            Add(lanes, Step::REDUCE, rank, m_request.root, 0, GetAll());
            break;
        case CollectiveOperation::BROADCAST:
            Add(lanes, Step::MULTICAST, rank, m_request.root, 0, GetAll());
            break;
        case CollectiveOperation::REDUCE_SCATTER:
        case CollectiveOperation::ALL_GATHER:
            for (uint32_t part = 0; part < size; ++part)
            {
                const bool isGather = m_request.operation == CollectiveOperation::ALL_GATHER;
                Add(lanes,
                    isGather ? Step::MULTICAST : Step::REDUCE,
                    rank,
                    part,
                    part,
                    GetPart(GetAll(), size, part));
            }
            break;
        default:
            break; // not supported
        }
        return lanes;
    }

    /** @param rank a rank @return its lanes in an all-reduce by reading and writing slices */
    RankLanes MakeSlicedLanes(uint32_t rank) const
    {
        const uint32_t size = GetSize();
        RankLanes lanes(1 + std::size_t{size});
        for (uint32_t slice = 0; slice < m_slices; ++slice)
        {
            const BufferRange range = GetPart(GetAll(), m_slices, slice);
            for (uint32_t part = 0; part < size; ++part)
            {
                const BufferRange own = GetPart(range, size, part);
                const uint32_t read = 2 * size * slice + part;
                const uint32_t written = read + size;
                lanes[0].push_back(MakeCall(Step::REDUCE, part, read, own));
                if (part == rank)
                {
                    lanes[1 + part].push_back(
                        MakeListedStep(Step::RECEIVE, Step::EVERY, read, {own}));
                    lanes[1 + part].push_back(MakeCall(Step::MULTICAST, rank, written, own));
                }
                else
                {
                    lanes[1 + part].push_back(MakeListedStep(Step::RECEIVE, part, written, {own}));
                }
            }
        }
        return lanes;
    }

    CollectiveRequest m_request; //!< the operation
    uint32_t m_slices;           //!< see the constructor
};

} // namespace

TypeId
InSwitchAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::InSwitchAlgorithm")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("LlmFabric")
            .AddConstructor<InSwitchAlgorithm>()
            .AddAttribute(
                "SliceBytes",
                "Bytes of the buffer that go through an all-reduce together where members "
                "read and write (NVLS): of all ranks' parts of a slice.",
                UintegerValue(1 << 20),
                MakeUintegerAccessor(&InSwitchAlgorithm::m_sliceBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("MaxSlices",
                          "Most slices of an all-reduce; a larger buffer has larger slices.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&InSwitchAlgorithm::m_maxSlices),
                          MakeUintegerChecker<uint32_t>(1, 65536));
    return tid;
}

bool
InSwitchAlgorithm::Supports(const CollectiveRequest& request) const
{
    switch (request.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
    case CollectiveOperation::ALL_GATHER:
    case CollectiveOperation::REDUCE_SCATTER:
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::REDUCE:
    case CollectiveOperation::BARRIER:
        return true;
    default:
        return false;
    }
}

std::shared_ptr<const StepProgram>
InSwitchAlgorithm::MakeProgram(const CollectiveRequest& request,
                               const std::vector<uint32_t>& accelerators,
                               Ptr<const Locality> locality) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    InSwitchReduction can;
    can.reason = "nothing is known of the fabric (no Locality)";
    if (locality && size > 1)
    {
        can = locality->GetInSwitchReduction(accelerators);
    }
    if (size > 1 && can.style == InSwitchReduction::NONE)
    {
        RefuseInput(GetInstanceTypeId().GetName() + ": switches cannot do " +
                    GetName(request.operation) + " for this group of " + std::to_string(size) +
                    " ranks (accelerator " + std::to_string(accelerators[0]) + " to accelerator " +
                    std::to_string(accelerators.back()) + "), because " + can.reason +
                    "; choose auto or another algorithm");
    }
    uint32_t slices = 0;
    if (can.style == InSwitchReduction::MEMBERS)
    {
        const uint64_t whole = request.bytes / m_sliceBytes;
        slices = static_cast<uint32_t>(std::clamp<uint64_t>(whole, 1, m_maxSlices));
        // messages have places of 32 bits
        slices = std::min(slices, UINT32_MAX / (2 * size));
    }
    return std::make_shared<InSwitchProgram>(request, size, slices);
}

} // namespace ns3::llm
