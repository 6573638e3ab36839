// SPDX-License-Identifier: GPL-2.0-only

#include "hierarchical-algorithm.h"

#include "collective-meaning.h"
#include "group-grid.h"
#include "in-switch-algorithm.h"
#include "staged-program.h"

#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("HierarchicalAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(HierarchicalAlgorithm);

namespace
{

/** One stage: which smaller operation, inside or across. */
struct StageKind
{
    bool isInside = false;         //!< inside a domain, else along a rail
    CollectiveOperation operation; //!< the smaller operation
};

/** @param operation an operation @return its stages in order */
std::vector<StageKind>
GetStages(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return {{true, CollectiveOperation::REDUCE_SCATTER},
                {false, CollectiveOperation::ALL_REDUCE},
                {true, CollectiveOperation::ALL_GATHER}};
    case CollectiveOperation::ALL_GATHER:
        return {{false, operation}, {true, operation}};
    case CollectiveOperation::REDUCE_SCATTER:
        return {{true, operation}, {false, operation}};
    default:
        return {{true, CollectiveOperation::ALL_TO_ALL}, {false, CollectiveOperation::ALL_TO_ALL}};
    }
}

/** @param name of an algorithm @param user whose it is @return it, refused where none is named */
Ptr<const CollectiveAlgorithm>
CreateNamed(const std::string& name, const std::string& user)
{
    const auto algorithm = CollectiveAlgorithm::CreateByName(name, user);
    if (!algorithm)
    {
        RefuseInput(user + " is \"" + name +
                    "\"; name an algorithm, such as ns3::llm::RingAlgorithm");
    }
    return algorithm;
}

/** A rank's stages, slice by slice. */
class HierarchicalProgram : public ListedProgram
{
  public:
    /** Algorithms of the stages. */
    struct Algorithms
    {
        Ptr<const CollectiveAlgorithm> inside; //!< inside a domain
        Ptr<const CollectiveAlgorithm> across; //!< along a rail
    };

    /** Where the group is. */
    struct Place
    {
        std::vector<uint32_t> accelerators; //!< of each rank
        Ptr<const Locality> locality;       //!< knows what switches can do there
    };

    /**
     * @param request the operation
     * @param grid the group
     * @param place where it is
     * @param algorithms of the stages
     * @param slices of the buffer
     */
    HierarchicalProgram(const CollectiveRequest& request,
                        const GroupGrid& grid,
                        const Place& place,
                        const Algorithms& algorithms,
                        uint32_t slices)
        : ListedProgram(grid.GetDomainCount() * grid.GetRailCount()),
          m_request(request),
          m_grid(grid),
          m_slices(slices)
    {
        for (const StageKind& kind : GetStages(request.operation))
        {
            m_kinds.push_back(kind);
            m_programs.push_back(
                MakeSmaller(kind, kind.isInside ? *algorithms.inside : *algorithms.across, place));
        }
    }

    std::vector<uint32_t> GetGroup(uint32_t group) const override
    {
        if (group == 0)
        {
            return ListedProgram::GetGroup(group);
        }
        const uint32_t domains = m_grid.GetDomainCount();
        return group <= domains ? m_grid.GetDomainRanks(group - 1)
                                : m_grid.GetRailRanks(group - 1 - domains);
    }

  private:
    /** @param isInside whether a stage is @param domain of a rank @param rail of the rank
     * @return number of the group that does the stage: the domains come first, then the rails */
    uint32_t GetGroupNumber(bool isInside, uint32_t domain, uint32_t rail) const
    {
        return 1 + (isInside ? domain : m_grid.GetDomainCount() + rail);
    }

    /**
     * @param kind a stage
     * @param algorithm does it
     * @param place where the group is
     * @return the program of each of the groups that do the stage
     */
    std::shared_ptr<const StepProgram> MakeSmaller(const StageKind& kind,
                                                   const CollectiveAlgorithm& algorithm,
                                                   const Place& place) const
    {
        const uint32_t domains = m_grid.GetDomainCount();
        const uint32_t rails = m_grid.GetRailCount();
        const uint32_t size = kind.isInside ? rails : domains;
        CollectiveRequest request;
        request.operation = kind.operation;
        // one part for each rank; an all-reduce has one part alone, each block of an all-to-all is one
        const bool isOne = kind.operation == CollectiveOperation::ALL_REDUCE;
        request.bytes = (isOne ? 1 : size) * PartMap::UNITS;
        if (!dynamic_cast<const InSwitchAlgorithm*>(&algorithm))
        {
            return algorithm.MakeProgram(request, std::vector<uint32_t>(size), nullptr);
        }
        // each group must be one for which switches can do it; the programs are the same
        std::shared_ptr<const StepProgram> program;
        for (uint32_t group = 0; group < (kind.isInside ? domains : rails); ++group)
        {
            std::vector<uint32_t> members;
            for (const uint32_t rank : GetGroup(GetGroupNumber(kind.isInside, group, group)))
            {
                members.push_back(place.accelerators[rank]);
            }
            program = algorithm.MakeProgram(request, members, place.locality);
        }
        return program;
    }

    RankLanes MakeLanes(uint32_t rank) const override
    {
        RankLanes lanes;
        StageAppender appender(lanes);
        for (uint32_t slice = 0; slice < m_slices; ++slice)
        {
            std::vector<ProgramStage> stages;
            for (uint32_t i = 0; i < m_kinds.size(); ++i)
            {
                const bool isInside = m_kinds[i].isInside;
                const uint32_t domain = m_grid.GetDomain(rank);
                const uint32_t rail = m_grid.GetRail(rank);
                stages.push_back(
                    {m_programs[i],
                     isInside ? m_grid.GetDomainRanks(domain) : m_grid.GetRailRanks(rail),
                     isInside ? rail : domain,
                     PartMap(GetStageParts(m_kinds[i], domain, rail), slice, m_slices),
                     slice * static_cast<uint32_t>(m_kinds.size()) + i,
                     GetGroupNumber(isInside, domain, rail)});
            }
            appender.Append(stages);
        }
        return lanes;
    }

    /**
     * @param kind a stage
     * @param domain of the rank
     * @param rail of the rank
     * @return what the parts of the smaller operation are
     */
    std::vector<BufferRanges>
    GetStageParts(const StageKind& kind, uint32_t domain, uint32_t rail) const
    {
        const uint32_t domains = m_grid.GetDomainCount();
        const uint32_t rails = m_grid.GetRailCount();
        const BufferRange all{0, m_request.bytes};
        std::vector<BufferRanges> parts;
        if (m_request.operation == CollectiveOperation::ALL_REDUCE)
        {
            for (uint32_t other = 0; kind.isInside && other < rails; ++other)
            {
                parts.push_back({GetPart(all, rails, other)});
            }
            return kind.isInside ? parts : std::vector<BufferRanges>{{GetPart(all, rails, rail)}};
        }
        if (kind.operation == CollectiveOperation::ALL_TO_ALL)
        {
            return kind.isInside ? GetInsideBlocks(domain) : GetAcrossBlocks(rail);
        }
        for (uint32_t part = 0; part < (kind.isInside ? rails : domains); ++part)
        {
            BufferRanges ranges;
            for (uint32_t other = 0; kind.isInside && other < domains; ++other)
            {
                ranges.push_back(GetPart(all, GetSize(), m_grid.GetRank(other, part)));
            }
            if (!kind.isInside)
            {
                ranges.push_back(GetPart(all, GetSize(), m_grid.GetRank(part, rail)));
            }
            parts.push_back(ranges);
        }
        return parts;
    }

    /** @param domain a domain @return by sending and receiving rail: what is for the latter's rail */
    std::vector<BufferRanges> GetInsideBlocks(uint32_t domain) const
    {
        std::vector<BufferRanges> blocks;
        for (uint32_t from = 0; from < m_grid.GetRailCount(); ++from)
        {
            for (uint32_t to = 0; to < m_grid.GetRailCount(); ++to)
            {
                BufferRanges ranges;
                for (uint32_t other = 0; other < m_grid.GetDomainCount(); ++other)
                {
                    ranges.push_back(GetBlock(m_request,
                                              GetSize(),
                                              m_grid.GetRank(domain, from),
                                              m_grid.GetRank(other, to)));
                }
                blocks.push_back(ranges);
            }
        }
        return blocks;
    }

    /** @param rail a rail @return by sending and receiving domain: what the former has for there */
    std::vector<BufferRanges> GetAcrossBlocks(uint32_t rail) const
    {
        std::vector<BufferRanges> blocks;
        for (uint32_t from = 0; from < m_grid.GetDomainCount(); ++from)
        {
            for (uint32_t to = 0; to < m_grid.GetDomainCount(); ++to)
            {
                BufferRanges ranges;
                for (uint32_t other = 0; other < m_grid.GetRailCount(); ++other)
                {
                    ranges.push_back(GetBlock(m_request,
                                              GetSize(),
                                              m_grid.GetRank(from, other),
                                              m_grid.GetRank(to, rail)));
                }
                blocks.push_back(ranges);
            }
        }
        return blocks;
    }

    CollectiveRequest m_request;                                //!< the operation
    GroupGrid m_grid;                                           //!< the group
    uint32_t m_slices;                                          //!< of the buffer
    std::vector<StageKind> m_kinds;                             //!< the stages
    std::vector<std::shared_ptr<const StepProgram>> m_programs; //!< of each stage
};

} // namespace

TypeId
HierarchicalAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::HierarchicalAlgorithm")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("LlmFabric")
            .AddConstructor<HierarchicalAlgorithm>()
            .AddAttribute(
                "Inside",
                "Algorithm inside an HB domain, as Communicator's Algorithm names it; all "
                "to all is direct. With ns3::llm::InSwitchAlgorithm the domain's switch reduces "
                "and multicasts (NVLSTree)",
                StringValue("ns3::llm::DirectAlgorithm"),
                MakeStringAccessor(&HierarchicalAlgorithm::m_inside),
                MakeStringChecker())
            .AddAttribute("Across",
                          "Algorithm along a rail; all to all is direct",
                          StringValue("ns3::llm::RingAlgorithm"),
                          MakeStringAccessor(&HierarchicalAlgorithm::m_across),
                          MakeStringChecker())
            .AddAttribute("Slices",
                          "How many slices of the buffer go through the stages side by side",
                          UintegerValue(1),
                          MakeUintegerAccessor(&HierarchicalAlgorithm::m_slices),
                          MakeUintegerChecker<uint32_t>(1, 64));
    return tid;
}

bool
HierarchicalAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_REDUCE ||
           request.operation == CollectiveOperation::ALL_GATHER ||
           request.operation == CollectiveOperation::REDUCE_SCATTER ||
           request.operation == CollectiveOperation::ALL_TO_ALL ||
           request.operation == CollectiveOperation::ALL_TO_ALL_V;
}

std::shared_ptr<const StepProgram>
HierarchicalAlgorithm::MakeProgram(const CollectiveRequest& request,
                                   const std::vector<uint32_t>& accelerators,
                                   Ptr<const Locality> locality) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    CheckSupport(request, static_cast<uint32_t>(accelerators.size()));
    const std::string name = "ns3::llm::HierarchicalAlgorithm";
    const GroupGrid grid(accelerators, locality, name);
    HierarchicalProgram::Algorithms algorithms;
    const bool isExchange =
        GetStages(request.operation)[0].operation == CollectiveOperation::ALL_TO_ALL;
    const std::string direct = "ns3::llm::DirectAlgorithm";
    algorithms.inside = CreateNamed(isExchange ? direct : m_inside, name + "'s Inside");
    algorithms.across = CreateNamed(isExchange ? direct : m_across, name + "'s Across");
    const HierarchicalProgram::Place place{accelerators, locality};
    return std::make_shared<HierarchicalProgram>(request, grid, place, algorithms, m_slices);
}

} // namespace ns3::llm
