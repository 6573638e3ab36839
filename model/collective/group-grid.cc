// SPDX-License-Identifier: GPL-2.0-only

#include "group-grid.h"

#include "ns3/input-error.h"

#include <map>

namespace ns3::llm
{

namespace
{

/** Ranks by domain and by rail there. */
using Places = std::map<uint32_t, std::map<uint32_t, uint32_t>>;

/** @param accelerators of each rank @param locality gives places @return where each rank is */
Places
FindPlaces(const std::vector<uint32_t>& accelerators, Ptr<const Locality> locality)
{
    Places places;
    for (uint32_t rank = 0; rank < accelerators.size(); ++rank)
    {
        const uint32_t accelerator = accelerators[rank];
        places[locality->GetDomain(accelerator)][locality->GetRail(accelerator)] = rank;
    }
    return places;
}

/** @param one rails of a domain @param other those of another @return whether they are the same */
bool
IsAlike(const std::map<uint32_t, uint32_t>& one, const std::map<uint32_t, uint32_t>& other)
{
    auto at = other.begin();
    for (const auto& place : one)
    {
        if (at == other.end() || at->first != place.first)
        {
            return false;
        }
        ++at;
    }
    return at == other.end();
}

/** @param rails of a domain @return them in words */
std::string
DescribeRails(const std::map<uint32_t, uint32_t>& rails)
{
    std::string text;
    for (const auto& place : rails)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(place.first);
    }
    return text;
}

} // namespace

GroupGrid::GroupGrid(const std::vector<uint32_t>& accelerators,
                     Ptr<const Locality> locality,
                     const std::string& user)
    : m_domains(accelerators.size()),
      m_rails(accelerators.size())
{
    if (!locality)
    {
        RefuseInput(user + " needs to know domains and rails: give the communicator a locality");
    }
    const Places places = FindPlaces(accelerators, locality);
    for (const auto& [domain, rails] : places)
    {
        const auto& first = *places.begin();
        if (!IsAlike(first.second, rails))
        {
            RefuseInput(user + ": the group has rails " + DescribeRails(first.second) +
                        " in HB domain " + std::to_string(first.first) + " and rails " +
                        DescribeRails(rails) + " in HB domain " + std::to_string(domain) +
                        "; it needs the same rails in each domain");
        }
        std::vector<uint32_t> row;
        for (const auto& place : rails)
        {
            m_domains[place.second] = static_cast<uint32_t>(m_ranks.size());
            m_rails[place.second] = static_cast<uint32_t>(row.size());
            row.push_back(place.second);
        }
        m_ranks.push_back(row);
    }
}

std::vector<uint32_t>
GroupGrid::GetRailRanks(uint32_t rail) const
{
    std::vector<uint32_t> result;
    for (const std::vector<uint32_t>& row : m_ranks)
    {
        result.push_back(row[rail]);
    }
    return result;
}

bool
GroupGrid::IsGrid(const std::vector<uint32_t>& accelerators, Ptr<const Locality> locality)
{
    if (!locality)
    {
        return false;
    }
    const Places places = FindPlaces(accelerators, locality);
    for (const auto& place : places)
    {
        if (place.second.size() < 2 || !IsAlike(places.begin()->second, place.second))
        {
            return false;
        }
    }
    return places.size() > 1;
}

} // namespace ns3::llm
