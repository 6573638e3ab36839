// SPDX-License-Identifier: GPL-2.0-only

#include "profile-operators-report.h"

#include "ns3/text-table.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ns3::llm
{

namespace
{

/** Ratios of a row of the table. */
struct ErrorGroup
{
    std::string name;                //!< of the row
    std::vector<double> projected;   //!< over measured
    std::vector<double> proportions; //!< over measured
};

/** @param op an operator @return the paper's kind of it */
std::string
GetKindName(const ModelOperator& op)
{
    const std::string name = op.name;
    return op.kind == ModelOperator::VECTOR       ? "vector operators"
           : name == "scores" || name == "values" ? "attention GEMMs"
                                                  : "GEMMs";
}

/** @param groups of ratios @param name of one @return it, made if it is not there */
ErrorGroup&
FindGroup(std::vector<ErrorGroup>& groups, const std::string& name)
{
    for (auto& group : groups)
    {
        if (group.name == name)
        {
            return group;
        }
    }
    groups.push_back({name, {}, {}});
    return groups.back();
}

/** @param share of one @return it in % */
std::string
ToPercent(double share)
{
    return FormatNumber(100 * share, 1) + " %";
}

/** @param ratios projected over measured @return the farthest from 1, less 1, with its sign */
std::string
GetWorst(const std::vector<double>& ratios)
{
    const double worst = *std::max_element(
        ratios.begin(),
        ratios.end(),
        [](double a, double b) { return std::abs(std::log(a)) < std::abs(std::log(b)); });
    return (worst < 1 ? "-" : "+") + ToPercent(std::abs(worst - 1));
}

} // namespace

double
GetGeometricMeanError(const std::vector<double>& ratios)
{
    double sum = 0;
    for (const double ratio : ratios)
    {
        sum += std::abs(std::log(ratio));
    }
    return std::exp(sum / static_cast<double>(ratios.size())) - 1;
}

void
PrintErrors(std::ostream& out, const std::vector<ComparedOperator>& rows)
{
    std::vector<ErrorGroup> operators;
    std::vector<ErrorGroup> kinds;
    for (const auto& row : rows)
    {
        if (!row.isBase)
        {
            for (auto* group : {&FindGroup(operators, row.item.op.name),
                                &FindGroup(kinds, GetKindName(row.item.op))})
            {
                group->projected.push_back(row.projectedSeconds / row.measuredSeconds);
                group->proportions.push_back(row.proportionSeconds / row.measuredSeconds);
            }
        }
    }
    TextTable table({"operator",
                     "shapes",
                     "geo-mean error, one base shape in proportion",
                     "all base shapes, fitted",
                     "largest"});
    for (const auto* groups : {&operators, &kinds})
    {
        for (const auto& group : *groups)
        {
            table.AddRow({group.name,
                          std::to_string(group.projected.size()),
                          ToPercent(GetGeometricMeanError(group.proportions)),
                          ToPercent(GetGeometricMeanError(group.projected)),
                          GetWorst(group.projected)});
        }
    }
    table.Print(out);
}

std::string
WriteComparisonCsv(const std::vector<ComparedOperator>& rows)
{
    std::ostringstream csv;
    csv.precision(9);
    csv << "operator,kind,batch,m,n,k,elements,bytes,operand_bytes,is_base,measured_s,projected_s,"
           "one_base_projected_s,spent_s\n";
    for (const auto& row : rows)
    {
        const ModelOperator& op = row.item.op;
        csv << op.name << ',' << (op.kind == ModelOperator::MATRIX ? "matrix" : "vector") << ','
            << op.batch << ',' << op.m << ',' << op.n << ',' << op.k << ',' << op.elements << ','
            << op.bytes << ',' << op.precision << ',' << row.isBase << ',' << row.measuredSeconds
            << ',' << row.projectedSeconds << ',' << row.proportionSeconds << ','
            << row.spentSeconds << '\n';
    }
    return csv.str();
}

std::string
MakeComparisonScript(const std::vector<ComparedOperator>& rows, const std::string& device)
{
    std::vector<std::pair<std::string, std::string>> blocks;
    for (const auto& row : rows)
    {
        if (row.isBase)
        {
            continue;
        }
        const std::string name = row.item.op.name;
        auto block = std::find_if(blocks.begin(),
                                  blocks.end(),
                                  [&](const auto& other) { return other.first == name; });
        if (block == blocks.end())
        {
            block = blocks.insert(blocks.end(), {name, ""});
        }
        std::ostringstream line;
        line << row.measuredSeconds * 1e6 << ' '
             << 100 * (row.projectedSeconds / row.measuredSeconds - 1) << '\n';
        block->second += line.str();
    }
    std::ostringstream script;
    script << "set title \"Operators on " << device
           << ", projected from the profile\" noenhanced\nset logscale x\n"
           << "set xlabel \"measured time [us]\"\nset ylabel \"projected over measured - 1 [%]\"\n"
           << "set grid\nset yrange [-60:60]\nset key outside right top vertical noenhanced\n"
           << "set object 1 rectangle from graph 0,first -10 to graph 1,first 10 "
              "fillcolor rgb \"#e8f0e8\" fillstyle solid noborder behind\n";
    std::string plots = "plot 0 notitle lc rgb \"gray\"";
    for (std::size_t i = 0; i < blocks.size(); ++i)
    {
        const std::string data = "$data" + std::to_string(i);
        script << data << " << EOD\n" << blocks[i].second << "EOD\n";
        plots += ", " + data + " using 1:2 with points pt " + std::to_string(i % 5 * 2 + 5) +
                 " ps 0.9 title \"" + blocks[i].first + "\"";
    }
    script << plots << '\n';
    return script.str();
}

} // namespace ns3::llm
