// SPDX-License-Identifier: GPL-2.0-only

// The picture of a traffic.

#include "traffic-comparison.h"

#include "ns3/text-table.h"

#include <algorithm>
#include <sstream>

namespace ns3::llm
{

namespace
{

/** A curve for each control. */
enum class Curves
{
    MEDIAN,     //!< median slowdown over size
    PERCENTILE, //!< 99th percentile of slowdown over size
    SLOWDOWNS,  //!< distribution of slowdowns
    QUEUES,     //!< distribution of queues
};

/** Colors that most eyes tell apart; the first is for the ideal. */
constexpr const char* COLORS[] = {"#332288",
                                  "#88ccee",
                                  "#44aa99",
                                  "#117733",
                                  "#999933",
                                  "#ddcc77",
                                  "#cc6677",
                                  "#882255",
                                  "#aa4499",
                                  "#4477aa",
                                  "#ee7733",
                                  "#bbbbbb"};

/**
 * @param outcome whose line it is
 * @param index its place
 * @param hasPoints whether with points
 * @return how it is drawn: the ideal in black and dashed, as nothing that can be built
 */
std::string
GetStyle(const TrafficOutcome& outcome, std::size_t index, bool hasPoints)
{
    if (outcome.control == "IdealFairShare")
    {
        return std::string("lw 3 dt (6,3) lc rgb 'black'") + (hasPoints ? " pt 0" : "");
    }
    const std::size_t colors = sizeof(COLORS) / sizeof(COLORS[0]);
    std::ostringstream style;
    style << "lw 2.5 lc rgb '" << COLORS[index % colors] << "'";
    if (hasPoints)
    {
        style << " ps 1.1 pt " << 4 + index % 10;
    }
    return style.str();
}

/**
 * Write the data of a curve in the script itself, so that the script and the picture need no more.
 * @param out gets a data block
 * @param outcome the data
 * @param curves which
 */
void
WriteBlock(std::ostream& out, const TrafficOutcome& outcome, Curves curves)
{
    // from the bottom up; least: what a logarithmic axis begins with
    const auto writeSteps =
        [&out](const std::vector<ValueHistogram::Step>& steps, double unit, double least)
    {
        const auto place = [&](uint64_t value)
        {
            return std::max(static_cast<double>(value) / unit, least);
        };
        if (!steps.empty())
        {
            out << place(steps.front().value) << " 0\n";
        }
        for (const auto& step : steps)
        {
            out << place(step.value) << ' ' << step.percent << '\n';
        }
    };
    switch (curves)
    {
    case Curves::MEDIAN:
    case Curves::PERCENTILE:
        for (const SlowdownBucket& bucket : outcome.bySize)
        {
            const bool isMedian = curves == Curves::MEDIAN;
            out << static_cast<double>(bucket.maxBytes) / 1e3 << ' '
                << (isMedian ? bucket.median : bucket.percentile99) << '\n';
        }
        break;
    case Curves::SLOWDOWNS:
        writeSteps(outcome.slowdowns, 1e3, 0);
        break;
    case Curves::QUEUES:
        writeSteps(outcome.queueBytes, 1e3, 1);
        break;
    }
}

/**
 * @param out gets a panel
 * @param outcomes a line for each
 * @param curves what it shows
 * @param settings of axes
 */
void
WritePanel(std::ostream& out,
           const std::vector<TrafficOutcome>& outcomes,
           Curves curves,
           const std::string& settings)
{
    for (std::size_t i = 0; i < outcomes.size(); ++i)
    {
        out << "$data" << i << " << EOD\n";
        WriteBlock(out, outcomes[i], curves);
        out << "EOD\n";
    }
    const bool isBySize = curves == Curves::MEDIAN || curves == Curves::PERCENTILE;
    out << "unset logscale\nset autoscale\n" << settings << "plot ";
    for (std::size_t i = 0; i < outcomes.size(); ++i)
    {
        out << (i == 0 ? "" : ", ") << "$data" << i << " using 1:2 with "
            << (isBySize ? "linespoints " : "steps ") << GetStyle(outcomes[i], i, isBySize)
            << " title '" << outcomes[i].control << "' noenhanced";
    }
    out << '\n';
}

} // namespace

bool
DrawTraffic(const ReportFolder& folder, const std::vector<TrafficOutcome>& outcomes)
{
    const std::string& traffic = outcomes.front().traffic;
    const bool isSized = outcomes.front().bySize.size() > 1;
    // the panels, and beside the last one the names
    const double left = isSized ? 0.05 : 0.07;
    const double right = isSized ? 0.85 : 0.79;
    std::ostringstream out;
    out << "set output\nset terminal pngcairo size " << (isSized ? 1700 : 1250)
        << ",560 font 'sans,12'\nset output '" << traffic << ".png'\n"
        << "set grid back lt 1 lw 1 lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
        << "set multiplot layout 1," << (isSized ? 3 : 2) << " margins screen " << left << ","
        << right << ",0.13,0.89 spacing screen 0.07 title '" << traffic << ", "
        << FormatCount(outcomes.front().flows) << " flows: " << outcomes.front().scene
        << "' font ',14' noenhanced\nunset key\n";
    const std::string sizes = "('100 B' 0.1, '1 kB' 1, '10 kB' 10, '100 kB' 100, '1 MB' 1e3, "
                              "'10 MB' 1e4, '100 MB' 1e5, '1 GB' 1e6)\n";
    const std::string bySize =
        "set logscale xy\nset xtics " + sizes +
        "set xlabel 'flow size, largest of its range'\nset yrange [1:*] noextend\n"
        "set ytics (1, 1.5, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, "
        "500, 1000, 2000, 5000)\n";
    const std::string percent = "set yrange [0:100]\nset ytics 0, 20\n";
    if (isSized)
    {
        WritePanel(out, outcomes, Curves::MEDIAN, bySize + "set ylabel 'median slowdown'\n");
        WritePanel(out,
                   outcomes,
                   Curves::PERCENTILE,
                   bySize + "set ylabel '99th percentile of slowdown'\n");
    }
    else
    {
        WritePanel(out,
                   outcomes,
                   Curves::SLOWDOWNS,
                   percent + "set xtics autofreq\n"
                             "set xlabel 'slowdown: time over the time alone'\n"
                             "set ylabel 'flows with no more (%)'\n");
    }
    out << "set key at screen 0.995,0.9 right top Left reverse samplen 2.5 spacing 1.4\n";
    WritePanel(out,
               outcomes,
               Curves::QUEUES,
               percent + "set logscale x\nset xrange [1:*] noextend\nset xtics " + sizes +
                   "set xlabel 'longest queue of the switches'\n"
                   "set ylabel 'time with no more (%)'\n");
    out << "unset multiplot\n";
    return folder.Plot(traffic, out.str());
}

} // namespace ns3::llm
