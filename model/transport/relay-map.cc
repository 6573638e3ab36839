// SPDX-License-Identifier: GPL-2.0-only

#include "relay-map.h"

#include "ns3/input-error.h"

#include <algorithm>

namespace ns3::llm
{

RelayMap::RelayMap(const Locality& locality, Side side)
    : m_side(side)
{
    for (uint32_t accelerator = 0; accelerator < locality.GetAcceleratorCount(); ++accelerator)
    {
        const Place place{locality.GetDomain(accelerator), locality.GetRail(accelerator)};
        m_places.push_back(place);
        m_domainSizes.resize(std::max<std::size_t>(m_domainSizes.size(), place.domain + 1));
        m_railSizes.resize(std::max<std::size_t>(m_railSizes.size(), place.rail + 1));
        ++m_domainSizes[place.domain];
        ++m_railSizes[place.rail];
    }
    m_rails = static_cast<uint32_t>(m_railSizes.size());
    m_accelerators.assign(m_domainSizes.size() * m_rails, DIRECT);
    for (uint32_t accelerator = 0; accelerator < m_places.size(); ++accelerator)
    {
        const Place& place = m_places[accelerator];
        uint32_t& entry = m_accelerators[place.domain * m_rails + place.rail];
        if (entry != DIRECT)
        {
            RefuseInput("accelerators " + std::to_string(entry) + " and " +
                        std::to_string(accelerator) + " are both on rail " +
                        std::to_string(place.rail) + " of HB domain " +
                        std::to_string(place.domain) + "; a relay needs one on each");
        }
        entry = accelerator;
    }
}

RelayMap::Side
RelayMap::ParseSide(const std::string& text)
{
    if (text == "source")
    {
        return SOURCE;
    }
    if (text == "destination")
    {
        return DESTINATION;
    }
    if (text == "load")
    {
        return EITHER;
    }
    RefuseInput("Forwarding is \"" + text +
                "\"; allowed are \"source\" (a relay in the source's HB domain, on the "
                "destination's rail), \"destination\" (one in the destination's HB domain, on the "
                "source's rail) and \"load\" (the one of both over which the sender has less under "
                "way)");
}

uint32_t
RelayMap::FindAt(const Place& place) const
{
    return m_accelerators[place.domain * m_rails + place.rail];
}

uint32_t
RelayMap::GetRelay(uint32_t source, uint32_t destination) const
{
    if (source >= m_places.size() || destination >= m_places.size() || source == destination)
    {
        RefuseInput("no message goes from accelerator " + std::to_string(source) +
                    " to accelerator " + std::to_string(destination) +
                    ": they must be two of the " + std::to_string(m_places.size()) +
                    " accelerators");
    }
    const Place& from = m_places[source];
    const Place& to = m_places[destination];
    if (from.domain == to.domain || from.rail == to.rail)
    {
        return DIRECT;
    }
    const Place atSource{from.domain, to.rail};
    const Place atDestination{to.domain, from.rail};
    const Place& at = m_side == DESTINATION ? atDestination : atSource;
    const uint32_t other = FindAt(m_side == DESTINATION ? atSource : atDestination);
    if (FindAt(at) != DIRECT)
    {
        return FindAt(at);
    }
    if (m_side == EITHER && other != DIRECT)
    {
        return other;
    }
    RefuseInput("no path from accelerator " + std::to_string(source) + " (HB domain " +
                std::to_string(from.domain) + ", rail " + std::to_string(from.rail) +
                ") to accelerator " + std::to_string(destination) + " (HB domain " +
                std::to_string(to.domain) + ", rail " + std::to_string(to.rail) +
                "): rails meet in HB domains only, and HB domain " + std::to_string(at.domain) +
                " has no accelerator on rail " + std::to_string(at.rail) +
                (other == DIRECT ? ""
                                 : std::string("; Forwarding \"") +
                                       (m_side == SOURCE ? "destination" : "source") +
                                       "\" would find accelerator " + std::to_string(other)));
}

uint32_t
RelayMap::GetOtherRelay(uint32_t source, uint32_t destination) const
{
    const Place at{m_places[destination].domain, m_places[source].rail};
    const uint32_t other = m_side == EITHER ? FindAt(at) : DIRECT;
    return other == GetRelay(source, destination) ? DIRECT : other;
}

uint32_t
RelayMap::GetDistance(uint32_t from, uint32_t to) const
{
    const auto domains = static_cast<uint32_t>(m_domainSizes.size());
    const uint32_t far = (m_places[to].domain + domains - m_places[from].domain) % domains;
    return far * m_rails + (m_places[to].rail + m_rails - m_places[from].rail) % m_rails;
}

uint32_t
RelayMap::GetSenderCount(uint32_t relay) const
{
    const Place& place = m_places.at(relay);
    const uint32_t neighbors = m_domainSizes[place.domain] - 1;
    const uint32_t onRail = m_railSizes[place.rail] - 1;
    return (m_side == DESTINATION ? 0 : neighbors) + (m_side == SOURCE ? 0 : onRail);
}

} // namespace ns3::llm
