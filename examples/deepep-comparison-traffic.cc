// SPDX-License-Identifier: GPL-2.0-only

#include "deepep-comparison-traffic.h"

#include "ns3/llm-fabric-data.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

std::vector<std::string>
Split(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');)
    {
        fields.push_back(field);
    }
    return fields;
}

/** Bytes of a copy of a token: FP8 has a scale of four bytes for each 128 values. */
uint64_t
GetTokenBytes(const Measured& row)
{
    const uint64_t header = row.kernel == "low_latency" && row.dtype == "fp8" ? 16 : 0;
    return row.dtype == "fp8" ? row.hidden + row.hidden / 128 * 4 + header : 2ull * row.hidden;
}

/** The accelerators that get a token, each once or as often as it has an expert. */
std::vector<uint32_t>
DrawReceivers(const Measured& row, UniformRandomVariable& random)
{
    const uint32_t nodes = row.ranks / row.domainSize;
    std::set<uint32_t> groups; // normal kernels choose experts in four nodes at most
    const uint32_t most = row.kernel == "normal" ? std::min(nodes, 4u) : nodes;
    while (groups.size() < most)
    {
        groups.insert(random.GetInteger(0, nodes - 1));
    }
    std::set<uint32_t> experts;
    while (experts.size() < row.topK)
    {
        const uint32_t expert = random.GetInteger(0, EXPERTS - 1);
        if (groups.count(expert / (EXPERTS / nodes)) > 0)
        {
            experts.insert(expert);
        }
    }
    std::vector<uint32_t> receivers;
    for (const uint32_t expert : experts)
    {
        receivers.push_back(expert / (EXPERTS / row.ranks));
    }
    return receivers;
}

} // namespace

std::vector<Measured>
ReadMeasured()
{
    const std::string path = FindDataFile("deepep-all-to-all.csv");
    std::ifstream file(path);
    std::vector<Measured> rows;
    for (std::string line; std::getline(file, line);)
    {
        const std::vector<std::string> fields = Split(line);
        if (line[0] == '#' || fields[0] == "kernel" || fields[1] != "H800 ConnectX-7 400G")
        {
            continue;
        }
        Measured row;
        row.kernel = fields[0];
        row.ranks = static_cast<uint32_t>(std::stoul(fields[2]));
        row.domainSize = static_cast<uint32_t>(std::stoul(fields[3]));
        row.operation = fields[4];
        row.latencyUs = fields[5].empty() ? 0 : std::stod(fields[5]);
        row.gBytesPerS = std::stod(fields[6]);
        row.bottleneck = fields[7];
        row.tokens = static_cast<uint32_t>(std::stoul(fields[8]));
        row.hidden = static_cast<uint32_t>(std::stoul(fields[9]));
        row.topK = static_cast<uint32_t>(std::stoul(fields[10]));
        row.dtype = fields[11];
        rows.push_back(row);
    }
    return rows;
}

KernelTraffic
MakeKernelTraffic(const Measured& row, uint32_t tokens)
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    const uint32_t n = row.ranks;
    const uint64_t bytes = GetTokenBytes(row);
    KernelTraffic traffic{Sizes(uint64_t{n} * n), Sizes(uint64_t{n} * n)};
    // a combine goes the other way
    const bool isBack = row.operation == "combine";
    auto add = [&](Sizes& sizes, uint32_t from, uint32_t to)
    {
        sizes[isBack ? uint64_t{to} * n + from : uint64_t{from} * n + to] += bytes;
    };
    for (uint32_t source = 0; source < n; ++source)
    {
        for (uint32_t token = 0; token < tokens; ++token)
        {
            std::vector<uint32_t> receivers = DrawReceivers(row, *random);
            std::set<uint32_t> gates; // where the token enters a node
            if (row.kernel != "normal")
            {
                for (const uint32_t to : receivers)
                {
                    add(traffic.first, source, to);
                    traffic.firstLogical += static_cast<double>(bytes);
                }
                continue;
            }
            receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
            for (const uint32_t to : receivers)
            {
                const uint32_t rail = source % row.domainSize;
                const uint32_t gate = to / row.domainSize * row.domainSize + rail;
                gates.insert(gate);
                add(traffic.second, gate, to);
                traffic.secondLogical += static_cast<double>(bytes);
            }
            for (const uint32_t gate : gates)
            {
                add(traffic.first, source, gate);
                traffic.firstLogical += static_cast<double>(bytes);
            }
        }
    }
    return traffic;
}
