// SPDX-License-Identifier: GPL-2.0-only

#include "rail-forwarding-traffic.h"

#include "ns3/double.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param accelerators how many @return running sums of their popularity, in a random order */
std::vector<double>
DrawPopularity(uint32_t accelerators, double exponent, UniformRandomVariable& random)
{
    std::vector<uint32_t> places(accelerators);
    std::iota(places.begin(), places.end(), 1);
    for (uint32_t left = accelerators; left > 1; --left)
    {
        std::swap(places[left - 1], places[random.GetInteger(0, left - 1)]);
    }
    std::vector<double> sums;
    double sum = 0;
    for (const uint32_t place : places)
    {
        sum += std::pow(place, -exponent);
        sums.push_back(sum);
    }
    return sums;
}

} // namespace

const std::vector<std::string>&
ListRoutings()
{
    static const std::vector<std::string> names{"uniform", "random", "skewed"};
    return names;
}

TrafficMatrix
MakeTraffic(const std::string& routing, uint32_t accelerators, uint64_t bytes, uint64_t tokenBytes)
{
    if (routing == "uniform")
    {
        return TrafficMatrix::MakeEven(accelerators, bytes);
    }
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    const std::vector<double> sums =
        DrawPopularity(accelerators, routing == "skewed" ? 0.8 : 0, *random);
    std::vector<uint64_t> sizes(uint64_t{accelerators} * accelerators, 0);
    for (uint32_t sender = 0; sender < accelerators; ++sender)
    {
        for (uint64_t copy = 0; copy < bytes / tokenBytes; ++copy)
        {
            const double drawn = random->GetValue(0, sums.back());
            const auto at = std::upper_bound(sums.begin(), sums.end(), drawn);
            const uint64_t receiver =
                std::min<uint64_t>(static_cast<uint64_t>(at - sums.begin()), accelerators - 1);
            sizes[uint64_t{sender} * accelerators + receiver] += tokenBytes;
        }
    }
    return TrafficMatrix(accelerators, sizes);
}

DomainMatrix::DomainMatrix(const TrafficMatrix& matrix, uint32_t size)
    : m_count((matrix.GetSize() + size - 1) / size),
      m_bytes(uint64_t{m_count} * m_count, 0)
{
    for (uint32_t from = 0; from < matrix.GetSize(); ++from)
    {
        for (uint32_t to = 0; to < matrix.GetSize(); ++to)
        {
            const uint64_t bytes = from == to ? 0 : matrix.GetBlock(from, to).bytes;
            m_bytes[from / size * m_count + to / size] += bytes;
        }
    }
}

void
DomainMatrix::Draw(std::ostream& out) const
{
    const std::string signs = " .:-=+*#%@";
    const uint64_t most = std::max<uint64_t>(*std::max_element(m_bytes.begin(), m_bytes.end()), 1);
    for (uint32_t from = 0; from < m_count; ++from)
    {
        out << "  |";
        for (uint32_t to = 0; to < m_count; ++to)
        {
            const double share = static_cast<double>(Get(from, to)) / static_cast<double>(most);
            const auto sign =
                static_cast<std::size_t>(std::ceil(share * static_cast<double>(signs.size() - 1)));
            out << signs[sign] << signs[sign];
        }
        out << "|\n";
    }
    out << "  row: sends, column: receives; '@' is " << static_cast<double>(most) / 1e6 << " MB\n";
}

std::string
DomainMatrix::ToCsv() const
{
    std::ostringstream csv;
    csv << "from_domain,to_domain,bytes\n";
    for (uint32_t from = 0; from < m_count; ++from)
    {
        for (uint32_t to = 0; to < m_count; ++to)
        {
            csv << from << ',' << to << ',' << Get(from, to) << '\n';
        }
    }
    return csv.str();
}

uint64_t
GetNicBytes(const TrafficMatrix& matrix, uint32_t domainSize)
{
    uint64_t most = 0;
    for (uint32_t a = 0; a < matrix.GetSize(); ++a)
    {
        uint64_t sent = 0;
        uint64_t received = 0;
        for (uint32_t b = 0; b < matrix.GetSize(); ++b)
        {
            const bool isAcross = a / domainSize != b / domainSize;
            sent += isAcross ? matrix.GetBlock(a, b).bytes : 0;
            received += isAcross ? matrix.GetBlock(b, a).bytes : 0;
        }
        most = std::max({most, sent, received});
    }
    return most;
}
