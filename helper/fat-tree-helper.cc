// SPDX-License-Identifier: GPL-2.0-only

#include "fat-tree-helper.h"

#include "ns3/input-error.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(FatTreeHelper);

TypeId
FatTreeHelper::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FatTreeHelper")
            .SetParent<TopologyHelper>()
            .SetGroupName("LlmFabric")
            .AddConstructor<FatTreeHelper>()
            .AddAttribute("K",
                          "Ports of a switch, even; 0: the smallest that fits the accelerators.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FatTreeHelper::m_k),
                          MakeUintegerChecker<uint32_t>(0, 1024));
    return tid;
}

std::string
FatTreeHelper::GetTopologyName() const
{
    return "fat-tree";
}

bool
FatTreeHelper::JoinsRails() const
{
    return true;
}

uint32_t
FatTreeHelper::GetNicPlace(uint32_t accelerator) const
{
    return accelerator;
}

uint32_t
FatTreeHelper::GetSmallestK() const
{
    uint64_t k = 2;
    while (k * k * k / 4 < GetAccelerators())
    {
        k += 2;
    }
    return static_cast<uint32_t>(k);
}

uint32_t
FatTreeHelper::GetK() const
{
    return m_k == 0 ? GetSmallestK() : m_k;
}

void
FatTreeHelper::Check() const
{
    const uint64_t k = GetK();
    if (k % 2 != 0)
    {
        std::ostringstream text;
        text << "K " << k << ": a fat-tree's switches have an even number of ports; " << k - 1
             << " or " << k + 1 << " would do";
        RefuseInput(text.str());
    }
    if (k * k * k / 4 < GetAccelerators())
    {
        std::ostringstream text;
        text << "K " << k << ": a fat-tree of such switches has " << k * k * k / 4
             << " hosts, and Accelerators is " << GetAccelerators() << "; the smallest K that fits "
             << "is " << GetSmallestK();
        RefuseInput(text.str());
    }
}

void
FatTreeHelper::ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics)
{
    const uint32_t half = GetK() / 2;
    const auto hosts = static_cast<uint32_t>(nics.size());
    const uint32_t edgeCount = (hosts + half - 1) / half;
    const uint32_t podCount = (edgeCount + half - 1) / half;
    auto addTier = [&](uint32_t tier, uint32_t count, const std::string& name)
    {
        std::vector<uint32_t> vertices;
        for (uint32_t i = 0; i < count; ++i)
        {
            vertices.push_back(
                network->AddSwitch(CreateObject<Node>(), tier, i, name + std::to_string(i)));
        }
        return vertices;
    };
    const auto edges = addTier(0, edgeCount, "edge switch ");
    const auto aggregations = addTier(1, podCount * half, "aggregation switch ");
    const auto cores = addTier(2, podCount > 1 ? half * half : 0, "core switch ");
    for (uint32_t host = 0; host < hosts; ++host)
    {
        ConnectNic(network, nics[host], edges[host / half]);
    }
    for (uint32_t edge = 0; edge < edgeCount; ++edge)
    {
        for (uint32_t up = 0; up < half; ++up)
        {
            ConnectSwitches(network, edges[edge], aggregations[edge / half * half + up]);
        }
    }
    for (uint32_t a = 0; a < aggregations.size() && !cores.empty(); ++a)
    {
        for (uint32_t up = 0; up < half; ++up)
        {
            ConnectSwitches(network, aggregations[a], cores[a % half * half + up]);
        }
    }
}

} // namespace ns3::llm
