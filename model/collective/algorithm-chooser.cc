// SPDX-License-Identifier: GPL-2.0-only

#include "algorithm-chooser.h"

#include "bruck-algorithm.h"
#include "direct-algorithm.h"
#include "double-binary-tree-algorithm.h"
#include "group-grid.h"
#include "hierarchical-algorithm.h"
#include "in-switch-algorithm.h"
#include "lone-message-time.h"
#include "pat-algorithm.h"
#include "point-to-point-algorithm.h"
#include "ring-algorithm.h"

#include "ns3/message-transport.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3::llm
{

AlgorithmChooser::AlgorithmChooser(const std::vector<uint32_t>& accelerators,
                                   Ptr<const Locality> locality)
    : m_accelerators(accelerators),
      m_locality(locality),
      m_size(static_cast<double>(accelerators.size()))
{
    if (!locality || accelerators.size() < 2)
    {
        return;
    }
    std::set<uint32_t> domains;
    uint32_t neighbor = 0; // in the first rank's domain
    uint32_t stranger = 0; // in another one, on the same rail if there is one
    for (uint32_t rank = 0; rank < accelerators.size(); ++rank)
    {
        domains.insert(locality->GetDomain(accelerators[rank]));
        const bool isSame =
            locality->GetDomain(accelerators[rank]) == locality->GetDomain(accelerators[0]);
        const bool isOnRail =
            locality->GetRail(accelerators[rank]) == locality->GetRail(accelerators[0]);
        neighbor = isSame && neighbor == 0 ? rank : neighbor;
        const bool hasRail = stranger != 0 && locality->GetRail(accelerators[stranger]) ==
                                                  locality->GetRail(accelerators[0]);
        stranger = !isSame && (stranger == 0 || (isOnRail && !hasRail)) ? rank : stranger;
    }
    m_domains = static_cast<double>(domains.size());
    m_isGrid = GroupGrid::IsGrid(accelerators, locality);
    m_across = stranger != 0 ? Measure(stranger) : Way{};
    m_inside = neighbor != 0 ? Measure(neighbor) : Way{};
    MeasureSwitches();
}

void
AlgorithmChooser::MeasureSwitches()
{
    m_style = m_locality->GetInSwitchReduction(m_accelerators).style;
    if (m_style == InSwitchReduction::NONE)
    {
        return;
    }
    const bool isTree = m_style == InSwitchReduction::TREE;
    const GroupPath group = m_locality->GetGroupPath(m_accelerators,
                                                     EVERY_MEMBER,
                                                     isTree ? EVERY_MEMBER : m_accelerators[0]);
    m_outstanding = group.outstanding;
    Path path;
    path.legs.push_back(group.leg);
    m_switched = Measure(path);
}

double
AlgorithmChooser::TimeInSwitches(const CollectiveRequest& request, const StepCosts& costs) const
{
    const auto bytes = static_cast<double>(request.bytes);
    const bool isTree = m_style == InSwitchReduction::TREE;
    if (request.operation == CollectiveOperation::ALL_REDUCE)
    {
        // members read what is reduced and write it back, one after the other
        return isTree ? TimeOf(m_switched, bytes, costs)
                      : m_switched.latency + TimeOf(m_switched, bytes * (1 + 1 / m_size), costs);
    }
    const double rounds = isTree ? std::ceil(m_size / m_outstanding) : 1;
    return (rounds - 1) * m_switched.latency + TimeOf(m_switched, bytes, costs);
}

AlgorithmChooser::Way
AlgorithmChooser::Measure(uint32_t to) const
{
    return Measure(m_locality->GetPath(m_accelerators[0], m_accelerators[to]));
}

AlgorithmChooser::Way
AlgorithmChooser::Measure(const Path& path)
{
    constexpr uint64_t LARGE = 1 << 24;
    const double latency = GetLoneMessageTime(path, 0).delivered.GetSeconds();
    const double large = GetLoneMessageTime(path, LARGE).delivered.GetSeconds();
    return {latency, (large - latency) / LARGE};
}

double
AlgorithmChooser::TimeOf(const Way& way, double bytes, const StepCosts& costs)
{
    return costs.latency.GetSeconds() + way.latency + bytes * way.secondsPerByte;
}

std::map<std::string, double>
AlgorithmChooser::GetEstimates(const CollectiveRequest& request, const StepCosts& costs) const
{
    const auto bytes = static_cast<double>(request.bytes);
    const bool isAll = request.operation == CollectiveOperation::ALL_REDUCE;
    const bool isHalf = request.operation == CollectiveOperation::ALL_GATHER ||
                        request.operation == CollectiveOperation::REDUCE_SCATTER;
    std::map<std::string, double> result;
    if (!m_locality || m_size < 2 || (!isAll && !isHalf))
    {
        return result;
    }
    // a ring goes from domain to domain once for each of them, and is as fast as its slowest link
    const double crossings = m_domains > 1 ? m_domains : 0;
    Way mean;
    mean.latency =
        ((m_size - crossings) * m_inside.latency + crossings * m_across.latency) / m_size;
    mean.secondsPerByte = std::max(m_inside.secondsPerByte, m_across.secondsPerByte);
    const double times = isAll ? 2 : 1;
    const double rounds = std::ceil(std::log2(m_size));
    result[RingAlgorithm::GetTypeId().GetName()] =
        times * (m_size - 1) * TimeOf(mean, bytes / m_size, costs);
    const Way& far = m_domains > 1 ? m_across : m_inside;
    if (isAll)
    {
        // each message on its way down is sent twice, after the software latency each time
        constexpr double MESSAGE = 131072;
        const double messages = std::max(1.0, std::ceil(bytes / 2 / MESSAGE));
        result[DoubleBinaryTreeAlgorithm::GetTypeId().GetName()] =
            2 * rounds * TimeOf(far, std::min(MESSAGE, bytes / 2), costs) +
            2 * std::max(messages * costs.latency.GetSeconds(), bytes * far.secondsPerByte);
    }
    else if (m_domains == m_size)
    {
        result[PatAlgorithm::GetTypeId().GetName()] =
            rounds * TimeOf(far, 0, costs) + (m_size - 1) / m_size * bytes * far.secondsPerByte;
    }
    if (m_style != InSwitchReduction::NONE)
    {
        result[InSwitchAlgorithm::GetTypeId().GetName()] = TimeInSwitches(request, costs);
    }
    if (m_isGrid)
    {
        const double rails = m_size / m_domains;
        const double inside = (rails - 1) / rails * bytes;
        result[HierarchicalAlgorithm::GetTypeId().GetName()] =
            times * (TimeOf(m_inside, inside, costs) +
                     (m_domains - 1) * TimeOf(m_across, bytes / m_size, costs));
    }
    return result;
}

Ptr<const CollectiveAlgorithm>
AlgorithmChooser::Choose(const CollectiveRequest& request, const StepCosts& costs) const
{
    const bool isInSwitches = m_style != InSwitchReduction::NONE;
    switch (request.operation)
    {
    case CollectiveOperation::POINT_TO_POINT:
        return CreateObject<PointToPointAlgorithm>();
    case CollectiveOperation::ALL_TO_ALL:
    case CollectiveOperation::ALL_TO_ALL_V:
    case CollectiveOperation::GATHER:
    case CollectiveOperation::SCATTER:
        return CreateObject<DirectAlgorithm>();
    case CollectiveOperation::BARRIER:
        if (isInSwitches)
        {
            return CreateObject<InSwitchAlgorithm>();
        }
        return CreateObject<BruckAlgorithm>();
    case CollectiveOperation::BROADCAST:
    case CollectiveOperation::REDUCE:
        if (isInSwitches)
        {
            return CreateObject<InSwitchAlgorithm>();
        }
        break;
    default:
        break;
    }
    std::string best = RingAlgorithm::GetTypeId().GetName();
    const std::map<std::string, double> estimates = GetEstimates(request, costs);
    for (const auto& [name, seconds] : estimates)
    {
        best = seconds < estimates.at(best) ? name : best;
    }
    return ObjectFactory(best).Create<CollectiveAlgorithm>();
}

} // namespace ns3::llm
