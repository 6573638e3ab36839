// SPDX-License-Identifier: GPL-2.0-only

#include "network-cost-validation.h"

#include "network-cost.h"

#include "ns3/csv-row.h"
#include "ns3/llm-fabric-data.h"

#include <string>

namespace ns3::llm
{

namespace
{

/**
 * @param row a published row
 * @return e.g. "rail-only cost, N = 32768, K = 256, radix 64, "
 */
std::string
DescribeNetworks(const PublishedNetworkCost& row)
{
    return "rail-only cost, N = " + std::to_string(row.accelerators) +
           ", K = " + std::to_string(row.domainSize) + ", radix " + std::to_string(row.radix) +
           ", ";
}

/**
 * @param row a published row
 * @param kind of network
 * @return the plan of its size
 */
NetworkPlan
MakePlan(const PublishedNetworkCost& row, NetworkPlan::Kind kind)
{
    return NetworkPlan::Make(kind, row.accelerators, row.domainSize, row.radix);
}

} // namespace

std::vector<PublishedNetworkCost>
ReadPublishedNetworkCosts()
{
    std::vector<PublishedNetworkCost> result;
    for (const CsvRow& row :
         CsvRow::ReadFile("validation file", FindDataFile("validation/rail-only-cost.csv")))
    {
        PublishedNetworkCost cost;
        cost.accelerators = static_cast<uint32_t>(row.GetNumber("gpus", true));
        cost.radix = static_cast<uint32_t>(row.GetNumber("switch_radix", true));
        cost.closSwitches = row.GetNumber("clos_switches", true);
        cost.closTransceivers = row.GetNumber("clos_transceivers", true);
        cost.railOnlySwitches = row.GetNumber("rail_only_switches", true);
        cost.railOnlyTransceivers = row.GetNumber("rail_only_transceivers", true);
        cost.savingV1Percent = row.GetNumber("saving_v1_percent");
        cost.savingV5Percent = row.GetNumber("saving_v5_percent");
        cost.powerSavingV5Percent = row.GetNumber("power_saving_v5_percent");
        result.push_back(cost);
    }
    return result;
}

std::vector<ValidationRow>
CompareNetworkParts()
{
    std::vector<ValidationRow> rows;
    for (const PublishedNetworkCost& cost : ReadPublishedNetworkCosts())
    {
        const std::string what = DescribeNetworks(cost);
        const NetworkPlan clos = MakePlan(cost, NetworkPlan::RAIL_OPTIMIZED);
        const NetworkPlan rails = MakePlan(cost, NetworkPlan::RAIL_ONLY);
        const auto add = [&](const std::string& unit,
                             const std::string& network,
                             double published,
                             double computed)
        {
            rows.push_back({what + network, published, computed, unit});
        };
        add("switches", "Clos", cost.closSwitches, clos.switches);
        add("switches", "rail-only", cost.railOnlySwitches, rails.switches);
        add("transceivers", "Clos", cost.closTransceivers, static_cast<double>(clos.transceivers));
        add("transceivers",
            "rail-only",
            cost.railOnlyTransceivers,
            static_cast<double>(rails.transceivers));
    }
    return rows;
}

std::vector<ValidationRow>
CompareNetworkSavings()
{
    const NetworkPrices v1 = NetworkPrices::FromName("rail-only-v1");
    const NetworkPrices v5 = NetworkPrices::FromName("rail-only-v5");
    std::vector<ValidationRow> rows;
    for (const PublishedNetworkCost& cost : ReadPublishedNetworkCosts())
    {
        const NetworkPlan clos = MakePlan(cost, NetworkPlan::RAIL_OPTIMIZED);
        const NetworkPlan rails = MakePlan(cost, NetworkPlan::RAIL_ONLY);
        const auto add = [&](const std::string& what, double published, double computed)
        {
            if (published > 0)
            {
                rows.push_back({DescribeNetworks(cost) + what, published, computed, "%"});
            }
        };
        add("cost saved, v1",
            cost.savingV1Percent,
            GetSavingPercent(rails.GetUsd(v1), clos.GetUsd(v1)));
        add("cost saved, v5",
            cost.savingV5Percent,
            GetSavingPercent(rails.GetUsd(v5), clos.GetUsd(v5)));
        add("power saved, v5",
            cost.powerSavingV5Percent,
            GetSavingPercent(rails.GetWatts(v5), clos.GetWatts(v5)));
    }
    return rows;
}

double
GetSavingPercent(double railOnly, double railOptimized)
{
    return 100 * (1 - railOnly / railOptimized);
}

} // namespace ns3::llm
