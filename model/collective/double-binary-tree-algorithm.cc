// SPDX-License-Identifier: GPL-2.0-only

#include "double-binary-tree-algorithm.h"

#include "listed-program.h"

#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("DoubleBinaryTreeAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(DoubleBinaryTreeAlgorithm);

namespace
{

/** Up and down two trees. */
class DoubleTreeProgram : public ListedProgram
{
  public:
    /**
     * @param bytes S
     * @param size number of ranks
     * @param messageBytes largest message
     */
    DoubleTreeProgram(uint64_t bytes, uint32_t size, uint64_t messageBytes)
        : ListedProgram(size),
          m_bytes(bytes)
    {
        const uint64_t messages =
            std::max<uint64_t>(1, ((bytes + 1) / 2 + messageBytes - 1) / messageBytes);
        if (messages > UINT32_MAX / 4)
        {
            RefuseInput("TreeMessage " + std::to_string(messageBytes) + " cuts an all-reduce of " +
                        std::to_string(bytes) + " bytes into " + std::to_string(messages) +
                        " messages a tree; give it a larger one");
        }
        m_messages = static_cast<uint32_t>(messages);
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no rank

    /** A rank's neighbors in a tree. */
    struct Neighbors
    {
        uint32_t parent = NONE;                       //!< NONE at the root
        std::array<uint32_t, 2> children{NONE, NONE}; //!< NONE where there is none
    };

    RankLanes MakeLanes(uint32_t rank) const override
    {
        RankLanes lanes;
        for (uint32_t tree = 0; tree < 2 && GetSize() > 1; ++tree)
        {
            AddTree(lanes, tree, GetNeighbors(rank, tree));
        }
        return lanes;
    }

    /**
     * Add the lanes of a tree: one up, one down.
     * @param lanes to these
     * @param tree 0 or 1
     * @param neighbors of the rank
     */
    void AddTree(RankLanes& lanes, uint32_t tree, const Neighbors& neighbors) const
    {
        const BufferRange half = GetPart({0, m_bytes}, 2, tree);
        const auto up = static_cast<uint32_t>(lanes.size());
        const bool isRoot = neighbors.parent == NONE;
        lanes.resize(up + 2);
        for (uint32_t i = 0; i < m_messages; ++i)
        {
            const BufferRange range = GetPart(half, m_messages, i);
            const uint32_t upPlace = (2 * tree) * m_messages + i;
            const uint32_t downPlace = (2 * tree + 1) * m_messages + i;
            for (const uint32_t child : neighbors.children)
            {
                if (child != NONE)
                {
                    lanes[up].push_back(
                        MakeListedStep(Step::RECEIVE, child, upPlace, {range}, true));
                }
            }
            if (!isRoot)
            {
                lanes[up].push_back(MakeListedStep(Step::SEND, neighbors.parent, upPlace, {range}));
                lanes[up + 1].push_back(
                    MakeListedStep(Step::RECEIVE, neighbors.parent, downPlace, {range}));
            }
            for (const uint32_t child : neighbors.children)
            {
                if (child == NONE)
                {
                    continue;
                }
                ListedStep step = MakeListedStep(Step::SEND, child, downPlace, {range});
                if (isRoot)
                {
                    step.step.dependencyLane = up;
                    step.step.dependencyIndex = static_cast<uint32_t>(lanes[up].size()) - 1;
                }
                lanes[up + 1].push_back(step);
            }
        }
        for (std::vector<ListedStep>* lane : {&lanes[up], &lanes[up + 1]})
        {
            for (ListedStep& step : *lane)
            {
                step.step.flow = tree;
            }
        }
    }

    /**
     * @param rank a rank
     * @param tree 0 or 1
     * @return its neighbors there
     */
    Neighbors GetNeighbors(uint32_t rank, uint32_t tree) const
    {
        const uint32_t size = GetSize();
        const auto seatOf = [&](uint32_t r)
        {
            return tree == 0 ? r : (size % 2 == 0 ? size - 1 - r : (r + 1) % size);
        };
        const auto rankOf = [&](uint32_t seat)
        {
            return tree == 0 ? seat : (size % 2 == 0 ? size - 1 - seat : (seat + size - 1) % size);
        };
        const uint32_t seat = seatOf(rank);
        Neighbors result;
        uint32_t begin = 0;
        uint32_t end = size;
        for (uint32_t root = GetRoot(begin, end); root != seat; root = GetRoot(begin, end))
        {
            result.parent = rankOf(root);
            (seat < root ? end : begin) = seat < root ? root : root + 1;
        }
        if (begin < seat)
        {
            result.children[0] = rankOf(GetRoot(begin, seat));
        }
        if (seat + 1 < end)
        {
            result.children[1] = rankOf(GetRoot(seat + 1, end));
        }
        return result;
    }

    /**
     * @param begin first seat of a subtree
     * @param end the one after its last
     * @return its root: of the seats counted from 1, the one that two divides most often
     */
    static uint32_t GetRoot(uint32_t begin, uint32_t end)
    {
        uint32_t power = 1;
        while (end / (2 * power) * (2 * power) > begin)
        {
            power *= 2;
        }
        return end / power * power - 1;
    }

    uint64_t m_bytes;        //!< S
    uint32_t m_messages = 1; //!< of each tree, one after the other
};

} // namespace

TypeId
DoubleBinaryTreeAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::DoubleBinaryTreeAlgorithm")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("LlmFabric")
            .AddConstructor<DoubleBinaryTreeAlgorithm>()
            .AddAttribute("TreeMessage",
                          "Largest message, in bytes; those of a tree follow each "
                          "other",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&DoubleBinaryTreeAlgorithm::m_treeMessage),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

bool
DoubleBinaryTreeAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_REDUCE;
}

std::shared_ptr<const StepProgram>
DoubleBinaryTreeAlgorithm::MakeProgram(const CollectiveRequest& request,
                                       const std::vector<uint32_t>& accelerators,
                                       Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    return std::make_shared<DoubleTreeProgram>(request.bytes, size, m_treeMessage);
}

} // namespace ns3::llm
