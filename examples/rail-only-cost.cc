// SPDX-License-Identifier: GPL-2.0-only

// What the NIC network of a cluster costs and draws: rail-only, rail-optimized and fat-tree over cluster
// size and switch radix, beside the table of the rail-only paper (arXiv 2307.12169).
//
//   ./llm-fabric run rail-only-cost
//   ./llm-fabric run rail-only-cost -- --domainSize=72 --prices=merchant-800g
//
// Parts are counted as the paper does: the fewest tiers t with 2 (r/2)^t >= n ports, (2t - 1) n / r switches
// and a transceiver at each end of t n links. Rail-only is K networks of N/K NICs, the fat-tree has at least
// three tiers. --prices names a set of data/network-prices.json, which has the sources. NICs, cables and
// cooling do not count. The folder --output gets rail-only-cost.csv and, with gnuplot, .png.

#include "ns3/input-error.h"
#include "ns3/network-cost-validation.h"
#include "ns3/network-cost.h"
#include "ns3/program-options.h"
#include "ns3/report-folder.h"
#include "ns3/text-table.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    uint32_t accelerators = 32768;
    uint32_t domainSize = 256;
    std::string prices = "rail-only-v5";
    std::string output = "rail-only-cost";
    bool summary = false;
};

const std::vector<uint32_t> RADIXES{32, 64, 128, 256};

/** Sizes of the clusters, from two domains on. */
std::vector<uint32_t>
ListSizes(const Options& options)
{
    std::vector<uint32_t> sizes;
    for (uint64_t size = 2 * uint64_t{options.domainSize}; size <= 262144; size *= 2)
    {
        if (size >= 1024)
        {
            sizes.push_back(static_cast<uint32_t>(size));
        }
    }
    return sizes;
}

/** What the paper prints, by radix and accelerators. */
using Savings = std::map<std::pair<uint32_t, uint32_t>, double>;

/** The paper's savings at the options' domain size, if the prices are its own. */
Savings
FindPublishedSavings(const Options& options, bool isPower)
{
    Savings result;
    for (const PublishedNetworkCost& cost : ReadPublishedNetworkCosts())
    {
        double saving = 0;
        if (options.prices == "rail-only-v5")
        {
            saving = isPower ? cost.powerSavingV5Percent : cost.savingV5Percent;
        }
        else if (options.prices == "rail-only-v1" && !isPower)
        {
            saving = cost.savingV1Percent;
        }
        if (saving > 0 && cost.domainSize == options.domainSize)
        {
            result[{cost.radix, cost.accelerators}] = saving;
        }
    }
    return result;
}

std::string
MakeCsv(const Options& options, const NetworkPrices& prices)
{
    std::ostringstream csv;
    csv << "prices,network,domain_size,accelerators,switch_radix,tiers,switches,transceivers,cost_"
           "usd,"
           "power_w\n";
    for (const uint32_t radix : RADIXES)
    {
        for (const uint32_t size : ListSizes(options))
        {
            for (const NetworkPlan::Kind kind : NetworkPlan::GetKinds())
            {
                const auto plan = NetworkPlan::Make(kind, size, options.domainSize, radix);
                csv << prices.name << ',' << NetworkPlan::GetName(kind) << ',' << options.domainSize
                    << ',' << size << ',' << radix << ',' << plan.tiers << ','
                    << FormatNumber(plan.switches, 3) << ',' << plan.transceivers << ','
                    << FormatNumber(plan.GetUsd(prices), 0) << ','
                    << (prices.HasPower() ? FormatNumber(plan.GetWatts(prices), 0) : "") << '\n';
            }
        }
    }
    return csv.str();
}

void
PrintTable(std::ostream& out, const Options& options, const NetworkPrices& prices)
{
    out << FormatCount(options.accelerators) << " accelerators in HB domains of "
        << options.domainSize << ", prices " << prices.name << ": " << prices.what << "\n\n";
    TextTable table({"network",
                     "radix",
                     "tiers",
                     "switches",
                     "transceivers",
                     "cost MUSD",
                     "power kW",
                     "cost saved %",
                     "power saved %"});
    for (const uint32_t radix : RADIXES)
    {
        const auto make = [&](NetworkPlan::Kind kind)
        {
            return NetworkPlan::Make(kind, options.accelerators, options.domainSize, radix);
        };
        const NetworkPlan baseline = make(NetworkPlan::RAIL_OPTIMIZED);
        for (const NetworkPlan::Kind kind : NetworkPlan::GetKinds())
        {
            const NetworkPlan plan = make(kind);
            const double watts = plan.GetWatts(prices);
            const double usd = plan.GetUsd(prices);
            table.AddRow({NetworkPlan::GetName(kind),
                          std::to_string(radix),
                          std::to_string(plan.tiers),
                          FormatNumber(plan.switches, 0),
                          FormatCount(plan.transceivers),
                          FormatNumber(usd / 1e6, 2),
                          prices.HasPower() ? FormatNumber(watts / 1e3, 0) : "-",
                          FormatNumber(GetSavingPercent(usd, baseline.GetUsd(prices)), 1),
                          prices.HasPower()
                              ? FormatNumber(GetSavingPercent(watts, baseline.GetWatts(prices)), 1)
                              : "-"});
        }
    }
    table.Print(out);
    out << "\nThe paper's table, K = 256:\n";
    WriteValidationRows(out, CompareNetworkParts());
    WriteValidationRows(out, CompareNetworkSavings());
}

/** What a row of panels shows. */
enum class Row
{
    COST,
    POWER,
    SAVING,
};

/** Write the data of a panel: accelerators, the three networks, the published saving. */
void
WriteBlock(std::ostream& out,
           const Options& options,
           const NetworkPrices& prices,
           uint32_t radix,
           Row row)
{
    const Savings costs = FindPublishedSavings(options, false);
    const Savings powers = FindPublishedSavings(options, true);
    const auto find = [&](const Savings& savings, uint32_t size)
    {
        const auto found = savings.find({radix, size});
        return found == savings.end() ? std::string("NaN") : FormatNumber(found->second, 1);
    };
    out << "$data << EOD\n";
    for (const uint32_t size : ListSizes(options))
    {
        std::vector<double> usd;
        std::vector<double> watts;
        for (const NetworkPlan::Kind kind : NetworkPlan::GetKinds())
        {
            const auto plan = NetworkPlan::Make(kind, size, options.domainSize, radix);
            usd.push_back(plan.GetUsd(prices));
            watts.push_back(plan.GetWatts(prices));
        }
        out << size;
        if (row == Row::SAVING)
        {
            out << ' ' << FormatNumber(GetSavingPercent(usd[0], usd[1]), 3) << ' '
                << (prices.HasPower() ? FormatNumber(GetSavingPercent(watts[0], watts[1]), 3)
                                      : "NaN")
                << ' ' << find(costs, size) << ' ' << find(powers, size);
        }
        else
        {
            for (const double value : row == Row::COST ? usd : watts)
            {
                out << ' ' << FormatNumber(value / size, 3);
            }
        }
        out << '\n';
    }
    out << "EOD\n";
}

/** Where the axis of a row of panels ends: they share it. */
double
FindTop(const Options& options, const NetworkPrices& prices, Row row)
{
    double top = row == Row::SAVING ? 100 : 0;
    for (const uint32_t radix : RADIXES)
    {
        for (const uint32_t size : ListSizes(options))
        {
            // the fat-tree is never cheaper than the others
            const auto plan =
                NetworkPlan::Make(NetworkPlan::FAT_TREE, size, options.domainSize, radix);
            const double value = row == Row::COST    ? plan.GetUsd(prices)
                                 : row == Row::POWER ? plan.GetWatts(prices)
                                                     : 0;
            top = std::max(top, 1.05 * value / size);
        }
    }
    return top;
}

std::string
MakeScript(const Options& options, const NetworkPrices& prices)
{
    std::vector<Row> rows{Row::COST, Row::POWER, Row::SAVING};
    if (!prices.HasPower())
    {
        rows.erase(rows.begin() + 1);
    }
    std::ostringstream out;
    out << "set output\nset terminal pngcairo size 1600," << 170 + 270 * rows.size()
        << " font 'sans,12'\nset output 'rail-only-cost.png'\n"
        << "set grid back lt 1 lw 1 lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
        << "set multiplot layout " << rows.size() << ",4 margins screen 0.055,0.985,"
        << (rows.size() == 3 ? "0.115,0.9" : "0.16,0.87")
        << " spacing screen 0.02,0.055 title 'NIC network by cluster size and switch radix: HB "
           "domains "
           "of "
        << options.domainSize << ", prices " << prices.name << "' font ',15'\n"
        << "set logscale x 2\nset xrange [900:300000]\n"
        << "set label 1 'last row: line cost, dashes power, dots and rings as the paper prints "
           "them; the fat-tree hides where it equals rail-optimized' at screen "
           "0.52,0.022 center\n"
        << "set xtics ('2Ki' 2048, '8Ki' 8192, '32Ki' 32768, '128Ki' 131072)\n";
    const std::string line = " with linespoints lw 2.5 ";
    const std::string lines = "plot $data using 1:4" + line +
                              "pt 8 ps 1 lc rgb '#bbbbbb' title 'fat-tree', $data using 1:3" +
                              line +
                              "pt 4 ps 1 lc rgb '#4477aa' title 'rail-optimized', $data using 1:2" +
                              line + "pt 7 ps 0.8 lc rgb '#cc6677' title 'rail-only'\n";
    const std::string savings =
        "plot $data using 1:2 with lines lw 2.5 lc rgb '#aa3377' notitle, $data using 1:3 "
        "with "
        "lines lw 2.5 dt (6,4) lc rgb '#ee7733' notitle, $data using 1:4 with points pt 7 ps "
        "1.6 "
        "lc rgb '#aa3377' notitle, $data using 1:5 with points pt 6 lw 2 ps 1.9 lc rgb "
        "'#ee7733' notitle\n";
    for (const Row row : rows)
    {
        out << "set yrange [0:" << FormatNumber(FindTop(options, prices, row), 0) << "]\n";
        for (const uint32_t radix : RADIXES)
        {
            const bool isFirst = radix == RADIXES.front();
            WriteBlock(out, options, prices, radix, row);
            out << (row == rows.front() ? "set title 'radix " + std::to_string(radix) + "'\n"
                                        : "unset title\n")
                << (row == rows.back() ? "set xlabel 'accelerators'\n" : "unset xlabel\n")
                << (row == Row::COST && radix == RADIXES.back()
                        ? "set key top left Left reverse samplen 2.5\n"
                        : "unset key\n");
            const std::string label = row == Row::COST    ? "USD for each accelerator"
                                      : row == Row::POWER ? "W for each accelerator"
                                                          : "saved by rail-only [%]";
            out << (isFirst ? "set ylabel '" + label + "'\nset format y '%g'\n"
                            : "unset ylabel\nset format y ''\n")
                << (row == Row::SAVING ? savings : lines) << "unset label 1\n";
        }
    }
    out << "unset multiplot\n";
    return out.str();
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        Options options;
        ProgramOptions program("rail-only-cost", "Cost and power of three NIC networks.");
        program.Add("accelerators", "of the cluster in the table", options.accelerators, 1);
        program.Add("domainSize", "accelerators of an HB domain", options.domainSize, 1, 65536);
        program.Add("prices", "a set of data/network-prices.json", options.prices);
        program.Add("output", "folder for the results", options.output);
        program.Add("summary", "print the tables alone, keep no files", options.summary);
        program.Parse(argc, argv);
        const NetworkPrices prices = NetworkPrices::FromName(options.prices);
        PrintTable(std::cout, options, prices);
        if (!options.summary)
        {
            const ReportFolder folder(options.output);
            folder.Prepare();
            folder.Write("rail-only-cost.csv", MakeCsv(options, prices));
            const bool isDrawn = folder.Plot("rail-only-cost", MakeScript(options, prices));
            std::cout << "\nresults" << (isDrawn ? " and a picture" : "") << " in "
                      << options.output << std::endl;
        }
        return 0;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
