// SPDX-License-Identifier: GPL-2.0-only

#include "flow-generator.h"

#include "ns3/double.h"
#include "ns3/input-error.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::llm
{

FlowGenerator::FlowGenerator(uint32_t accelerators)
    : m_accelerators(accelerators),
      m_gaps(CreateObject<ExponentialRandomVariable>()),
      m_quantiles(CreateObject<UniformRandomVariable>()),
      m_places(CreateObject<UniformRandomVariable>())
{
    if (accelerators < 2)
    {
        RefuseInput(std::to_string(accelerators) +
                    " accelerators: at least 2 are needed for a flow");
    }
}

int64_t
FlowGenerator::AssignStreams(int64_t stream)
{
    m_gaps->SetStream(stream);
    m_quantiles->SetStream(stream + 1);
    m_places->SetStream(stream + 2);
    return 3;
}

void
FlowGenerator::CheckCount(double flows)
{
    if (!(flows <= MAX_FLOWS))
    {
        RefuseInput(FormatNumber(flows, 0) + " flows: at most " + std::to_string(MAX_FLOWS) +
                    " are allowed in a pattern");
    }
}

uint32_t
FlowGenerator::DrawBelow(uint32_t count)
{
    return m_places->GetInteger(0, count - 1);
}

std::vector<uint32_t>
FlowGenerator::Draw(uint32_t count)
{
    std::vector<uint32_t> all(m_accelerators);
    std::iota(all.begin(), all.end(), 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        std::swap(all[i], all[i + DrawBelow(m_accelerators - i)]);
    }
    all.resize(count);
    return all;
}

void
FlowGenerator::Add(FlowList& flows, const FlowSizeDistribution& sizes, const Poisson& traffic)
{
    if (!(traffic.load > 0 && traffic.load <= 1))
    {
        RefuseInput("load " + FormatNumber(traffic.load, 3) +
                    ": more than 0 and at most 1 (of the NIC's rate) is allowed");
    }
    const double bytesPerPs = traffic.load * static_cast<double>(traffic.rate.GetBitRate()) / 8e12;
    const double meanGap = sizes.GetMean() / bytesPerPs;
    const auto duration = static_cast<double>(traffic.duration.GetPicoSeconds());
    CheckCount(m_accelerators * duration / meanGap);
    const std::size_t before = flows.size();
    for (uint32_t source = 0; source < m_accelerators; ++source)
    {
        for (double at = meanGap * m_gaps->GetValue(); at < duration;
             at += meanGap * m_gaps->GetValue())
        {
            Flow flow;
            flow.source = source;
            const uint32_t other = DrawBelow(m_accelerators - 1);
            flow.destination = other < source ? other : other + 1;
            flow.bytes = sizes.GetQuantile(m_quantiles->GetValue());
            flow.start = traffic.start + PicoSeconds(static_cast<int64_t>(at));
            flow.group = traffic.group;
            flows.push_back(flow);
        }
    }
    std::stable_sort(flows.begin() + static_cast<std::ptrdiff_t>(before),
                     flows.end(),
                     [](const Flow& a, const Flow& b) { return a.start < b.start; });
}

void
FlowGenerator::Add(FlowList& flows, const Incast& traffic)
{
    if (traffic.senders == 0 || traffic.senders >= m_accelerators)
    {
        RefuseInput("incast of " + std::to_string(traffic.senders) + " senders: 1 to " +
                    std::to_string(m_accelerators - 1) + " are allowed with " +
                    std::to_string(m_accelerators) + " accelerators");
    }
    CheckCount(static_cast<double>(traffic.rounds) * traffic.senders);
    for (uint32_t round = 0; round < traffic.rounds; ++round)
    {
        const std::vector<uint32_t> ends = Draw(traffic.senders + 1);
        for (uint32_t i = 1; i <= traffic.senders; ++i)
        {
            Flow flow;
            flow.source = ends[i];
            flow.destination = ends[0];
            flow.bytes = traffic.bytes;
            flow.start = traffic.start + traffic.interval * static_cast<int64_t>(round);
            flow.group = traffic.group;
            flows.push_back(flow);
        }
    }
}

void
FlowGenerator::Add(FlowList& flows, const Permutation& traffic)
{
    CheckCount(static_cast<double>(traffic.rounds) * m_accelerators);
    // each sends to the one that follows it in a random circle, so none to itself
    const std::vector<uint32_t> circle = Draw(m_accelerators);
    for (uint32_t round = 0; round < traffic.rounds; ++round)
    {
        for (uint32_t i = 0; i < m_accelerators; ++i)
        {
            Flow flow;
            flow.source = circle[i];
            flow.destination = circle[(i + 1) % m_accelerators];
            flow.bytes = traffic.bytes;
            flow.group = traffic.group;
            flow.queuePair = 0;
            if (round == 0)
            {
                flow.start = traffic.start;
            }
            else
            {
                flow.after = static_cast<uint32_t>(flows.size()) - m_accelerators;
            }
            flows.push_back(flow);
        }
    }
}

} // namespace ns3::llm
