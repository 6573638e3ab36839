// SPDX-License-Identifier: GPL-2.0-only

#include "flow-report.h"

#include <sstream>

namespace ns3::llm
{

std::vector<SlowdownBucket>
WriteFlowReport(const ReportFolder& folder,
                const std::string& run,
                const FlowRunner& runner,
                uint32_t buckets)
{
    const auto slowdowns = GetSlowdowns(runner.GetFlows(), runner.GetRecords(), buckets);
    std::ostringstream flows;
    WriteFlowsCsv(flows, runner.GetFlows(), runner.GetRecords());
    folder.Write(run + "-flows.csv", flows.str());
    std::ostringstream bySize;
    WriteSlowdownCsv(bySize, slowdowns);
    folder.Write(run + "-slowdown.csv", bySize.str());
    std::ostringstream fct;
    WriteHpccFct(fct, runner.GetFlows(), runner.GetRecords());
    folder.Write(run + "-fct.txt", fct.str());
    return slowdowns;
}

bool
DrawSlowdowns(const ReportFolder& folder, const std::vector<std::string>& runs)
{
    std::ostringstream script;
    script << "set datafile separator \",\"\n"
              "set logscale xy\n"
              "set xlabel \"largest flow of the range [B]\"\n"
              "set ylabel \"slowdown: time over ideal time\"\n"
              "set yrange [1:*]\n"
              "set format x \"10^{%L}\"\n"
              "set grid\n"
              "set key above\n"
              "plot ";
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        const std::string data = "\"" + runs[i] + "-slowdown.csv\" using 2:";
        const std::string style =
            " linewidth 2 linecolor " + std::to_string(i + 1) + " title \"" + runs[i] + ", ";
        script << (i == 0 ? "" : ", ") << data << "4 skip 1 with linespoints dashtype 2" << style
               << "median\" noenhanced, " << data << "6 skip 1 with linespoints" << style
               << "99th percentile\" noenhanced";
    }
    script << '\n';
    return folder.Plot("slowdown", script.str());
}

} // namespace ns3::llm
