// SPDX-License-Identifier: GPL-2.0-only

#include "projected-cost-model.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/input-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(ProjectedCostModel);

namespace
{

/**
 * @param op an operator
 * @return what it has to do; that of a product by its shape, as for entries
 */
OperatorSize
GetSize(const ModelOperator& op)
{
    return op.kind == ModelOperator::MATRIX
               ? OperatorSize::OfProduct(op.batch, op.m, op.n, op.k, op.precision)
               : OperatorSize{0, static_cast<double>(op.bytes)};
}

/**
 * @param a a size
 * @param b another
 * @return how far they are apart, by the logarithms of operations and bytes; 0 when equal
 */
double
GetDistance(const OperatorSize& a, const OperatorSize& b)
{
    const auto compare = [](double x, double y)
    {
        return std::log(std::max(x, 1.0) / std::max(y, 1.0));
    };
    return std::hypot(compare(a.flops, b.flops), compare(a.bytes, b.bytes));
}

/**
 * @param now a peak of the accelerator asked for, 0: unknown
 * @param measured the same of the profile's
 * @return their ratio, 1 if one is unknown
 */
double
GetRatio(double now, double measured)
{
    return now > 0 && measured > 0 ? now / measured : 1;
}

} // namespace

TypeId
ProjectedCostModel::GetTypeId()
{
    constexpr double LEAST = 1e-3;
    constexpr double MOST = 1e3;
    static TypeId tid =
        TypeId("ns3::llm::ProjectedCostModel")
            .SetParent<OperatorCostModel>()
            .SetGroupName("LlmFabric")
            .AddConstructor<ProjectedCostModel>()
            .AddAttribute("Profile",
                          "Measured times to project from: a name of data/profiles or the path of "
                          "a JSON file. It must be given.",
                          StringValue(""),
                          MakeStringAccessor(&ProjectedCostModel::LoadProfile,
                                             &ProjectedCostModel::GetProfileName),
                          MakeStringChecker())
            .AddAttribute("OperatorModel",
                          "How times grow with the shape. Proportional: with the operations of a "
                          "matrix product and the bytes of a vector operator, as Pati et al. "
                          "(arXiv 2302.02825) do. Fitted: by launch + operations / rate + bytes / "
                          "memory rate, fitted to the operator's entries and corrected by how far "
                          "those near it are off.",
                          EnumValue(FITTED),
                          compat::MakeEnumAttributeAccessor<OperatorModel>(
                              &ProjectedCostModel::m_operatorModel),
                          MakeEnumChecker(PROPORTIONAL, "Proportional", FITTED, "Fitted"))
            .AddAttribute("UnknownOperators",
                          "What happens to an operator that the profile does not have. SameKind "
                          "projects it from all matrix products or all vector operators.",
                          EnumValue(REFUSE),
                          compat::MakeEnumAttributeAccessor<UnknownOperators>(
                              &ProjectedCostModel::m_unknownOperators),
                          MakeEnumChecker(REFUSE, "Refuse", SAME_KIND, "SameKind"))
            .AddAttribute("ComputeFactor",
                          "How much faster the matrix units are than those that were measured, "
                          "0.001 to 1000.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&ProjectedCostModel::m_computeFactor),
                          MakeDoubleChecker<double>(LEAST, MOST))
            .AddAttribute("MemoryFactor",
                          "How much faster the memory is than that which was measured, 0.001 to "
                          "1000.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&ProjectedCostModel::m_memoryFactor),
                          MakeDoubleChecker<double>(LEAST, MOST))
            .AddAttribute("LaunchOverhead",
                          "Part of a measured time that does not depend on the shape, where the "
                          "profile has an operator at one size only and so does not tell.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&ProjectedCostModel::m_launchOverhead),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
ProjectedCostModel::LoadProfile(const std::string& nameOrPath)
{
    SetProfile(nameOrPath.empty() ? OperatorProfile() : OperatorProfile::Load(nameOrPath));
    m_name = nameOrPath;
}

std::string
ProjectedCostModel::GetProfileName() const
{
    return m_name;
}

void
ProjectedCostModel::SetProfile(const OperatorProfile& profile)
{
    m_name = profile.device;
    m_profile = profile;
    m_measured =
        profile.accelerator.empty() ? Accelerator() : Accelerator::FromName(profile.accelerator);
    m_groups.clear();
    for (const auto& entry : profile.entries)
    {
        AddToGroup(entry.name, entry);
    }
    for (const auto& entry : profile.entries)
    {
        AddToGroup("", entry);
    }
    FitGroups();
}

const std::vector<ProjectedCostModel::Group>&
ProjectedCostModel::GetGroups() const
{
    return m_groups;
}

void
ProjectedCostModel::AddToGroup(const std::string& name, const OperatorProfileEntry& entry)
{
    const bool matrix = entry.kind == ModelOperator::MATRIX;
    const uint32_t precisionBytes = matrix ? entry.GetPrecisionBytes() : 0;
    for (auto& group : m_groups)
    {
        if (group.name == name && group.kind == entry.kind &&
            group.precisionBytes == precisionBytes)
        {
            group.entries.push_back(entry);
            return;
        }
    }
    Group group;
    group.name = name;
    group.kind = entry.kind;
    group.precisionBytes = precisionBytes;
    group.entries = {entry};
    m_groups.push_back(group);
}

void
ProjectedCostModel::FitGroups()
{
    for (auto& group : m_groups)
    {
        group.curve = OperatorTimeCurve::Fit(group.entries);
        group.isCurveKnown = CountSizes(group.entries) > 1;
    }
    for (auto& group : m_groups)
    {
        for (const auto& other : m_groups)
        {
            if (CountSizes(group.entries) > 1 || CountSizes(other.entries) < 3 ||
                other.name != group.name || other.kind != group.kind)
            {
                continue;
            }
            const OperatorProfileEntry& entry = group.entries.front();
            if (other.curve.launchSeconds < entry.seconds)
            {
                group.curve = OperatorTimeCurve::Through(entry, other.curve.launchSeconds);
                group.isCurveKnown = true;
            }
        }
    }
}

const ProjectedCostModel::Group&
ProjectedCostModel::FindGroup(const ModelOperator& op) const
{
    if (m_groups.empty())
    {
        RefuseInput("ns3::llm::ProjectedCostModel::Profile is not set; a name of data/profiles or "
                    "the path of a profile is needed");
    }
    const bool matrix = op.kind == ModelOperator::MATRIX;
    const uint32_t precisionBytes = matrix ? op.precision : 0;
    const Group* ofKind = nullptr;
    for (const auto& group : m_groups)
    {
        if (group.kind != op.kind || group.precisionBytes != precisionBytes)
        {
            continue;
        }
        if (group.name.empty())
        {
            ofKind = &group;
        }
        else if (group.name == op.name)
        {
            return group;
        }
    }
    if (ofKind && m_unknownOperators == SAME_KIND)
    {
        return *ofKind;
    }
    RefuseInput("the profile '" + m_name + "' has no operator '" + op.name + "' (" +
                (matrix ? "matrix, operands of " + std::to_string(op.precision) + " B" : "vector") +
                "). It has: " + m_profile.DescribeOperators() +
                (ofKind ? ". ns3::llm::ProjectedCostModel::UnknownOperators=SameKind takes those "
                          "of its kind"
                        : ""));
}

OperatorTimeCurve
ProjectedCostModel::GetCurve(const Group& group) const
{
    if (group.isCurveKnown || m_launchOverhead.IsZero())
    {
        return group.curve;
    }
    const OperatorProfileEntry& entry = group.entries.front();
    const double launchSeconds = m_launchOverhead.GetSeconds();
    if (launchSeconds >= entry.seconds)
    {
        RefuseInput("ns3::llm::ProjectedCostModel::LaunchOverhead = " +
                    std::to_string(launchSeconds * 1e6) + " us must be less than the " +
                    std::to_string(entry.seconds * 1e6) + " us that the profile '" + m_name +
                    "' has of '" + entry.name + "'");
    }
    return OperatorTimeCurve::Through(entry, launchSeconds);
}

double
ProjectedCostModel::GetSeconds(const Group& group,
                               const OperatorSize& size,
                               double computeFactor,
                               double memoryFactor) const
{
    if (m_operatorModel == PROPORTIONAL)
    {
        const auto isNearer = [&size](const auto& a, const auto& b)
        {
            return GetDistance(a.GetSize(), size) < GetDistance(b.GetSize(), size);
        };
        const auto& nearest =
            *std::min_element(group.entries.begin(), group.entries.end(), isNearer);
        return OperatorTimeCurve::Fit({nearest}).GetSeconds(size, computeFactor, memoryFactor);
    }
    const OperatorTimeCurve curve = GetCurve(group);
    double sum = 0;
    double weights = 0;
    for (const auto& entry : group.entries)
    {
        constexpr double NEAR = 1e-12; // a shape that was measured outweighs all others
        const double distance = GetDistance(entry.GetSize(), size);
        const double weight = 1 / (distance * distance + NEAR);
        weights += weight;
        sum += weight * std::log(entry.seconds / curve.GetSeconds(entry.GetSize()));
    }
    return curve.GetSeconds(size, computeFactor, memoryFactor) * std::exp(sum / weights);
}

Time
ProjectedCostModel::GetTime(const ModelOperator& op, const Accelerator& accelerator) const
{
    const Group& group = FindGroup(op);
    double compute = m_computeFactor;
    double memory = m_memoryFactor;
    if (!m_profile.accelerator.empty())
    {
        const bool eight = op.precision == 1 && accelerator.matrixFlopsPerSecond8 > 0 &&
                           m_measured.matrixFlopsPerSecond8 > 0;
        compute *=
            eight ? GetRatio(accelerator.matrixFlopsPerSecond8, m_measured.matrixFlopsPerSecond8)
                  : GetRatio(accelerator.matrixFlopsPerSecond, m_measured.matrixFlopsPerSecond);
        memory *= GetRatio(accelerator.memoryBytesPerSecond, m_measured.memoryBytesPerSecond);
    }
    constexpr double PICOSECONDS = 1e12;
    const double ticks = GetSeconds(group, GetSize(op), compute, memory) * PICOSECONDS;
    return PicoSeconds(static_cast<uint64_t>(std::llround(ticks)));
}

} // namespace ns3::llm
