// SPDX-License-Identifier: GPL-2.0-only

#include "report-names.h"
#include "text-table.h"
#include "training-report.h"

#include "ns3/input-error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ns3::llm
{

namespace
{

/** @return names of the columns of an account: the same ones for every run */
std::string
GetAccountColumns()
{
    std::string columns = "compute_us";
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        columns += "," + GetExposedColumn(static_cast<ParallelDimension>(i));
    }
    return columns + ",bubble_us";
}

/**
 * @param account an account
 * @return its columns
 */
std::string
FormatAccount(const RankAccount& account)
{
    std::string text = FormatMicroseconds(account.compute);
    for (const Time& part : account.exposed)
    {
        text += "," + FormatMicroseconds(part);
    }
    return text + "," + FormatMicroseconds(account.bubble);
}

/**
 * @param text a name
 * @return it as a field of a CSV file
 */
std::string
Quote(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

/**
 * @param time a time, or nothing
 * @return its field, empty for nothing
 */
std::string
FormatOptional(const std::optional<Time>& time)
{
    return time ? FormatMicroseconds(*time) : "";
}

/**
 * @param out file of the iterations
 * @param report what to write
 */
void
WriteIterations(std::ostream& out, const TrainingReport& report)
{
    out << "iteration,start_us,end_us,time_us,ranks,last_rank,last_rank_" << GetAccountColumns()
        << "\n";
    for (std::size_t i = 0; i < report.iterations.size(); ++i)
    {
        const IterationRecord& iteration = report.iterations[i];
        out << i << "," << FormatMicroseconds(iteration.start) << ","
            << FormatMicroseconds(iteration.end) << ","
            << FormatMicroseconds(iteration.end - iteration.start) << "," << iteration.ranks << ","
            << iteration.lastRank << "," << FormatAccount(iteration.last) << "\n";
    }
}

/**
 * @param out file of the ranks
 * @param report what to write
 */
void
WriteRanks(std::ostream& out, const TrainingReport& report)
{
    out << "rank,accelerator,total_us," << GetAccountColumns() << "\n";
    for (std::size_t rank = 0; rank < report.ranks.size(); ++rank)
    {
        out << rank << "," << report.accelerators.at(rank) << ","
            << FormatMicroseconds(report.ranks[rank].GetTotal()) << ","
            << FormatAccount(report.ranks[rank]) << "\n";
    }
}

/**
 * @param out file of the collectives
 * @param report what to write
 */
void
WriteCollectives(std::ostream& out, const TrainingReport& report)
{
    out << "dimension,operation,group_ranks,size_bytes,count,time_mean_us,time_max_us,"
           "rank_time_mean_us,rank_time_max_us,ideal_us,bound_us\n";
    for (const CollectiveReport& collective : report.collectives)
    {
        const CollectiveRecord& record = collective.record;
        const double mean = ToMicroseconds(record.total) / static_cast<double>(record.count);
        const double rankMean =
            ToMicroseconds(record.rankTotal) / static_cast<double>(record.rankCount);
        out << GetShortName(record.dimension) << "," << GetOperationName(record.kind) << ","
            << collective.groupSize << "," << record.bytes << "," << record.count << ","
            << FormatNumber(mean, 6) << "," << FormatMicroseconds(record.max) << ","
            << FormatNumber(rankMean, 6) << "," << FormatMicroseconds(record.rankMax) << ","
            << FormatOptional(collective.ideal) << "," << FormatOptional(collective.bound) << "\n";
    }
}

/**
 * @param out file of the links
 * @param report what to write
 */
void
WriteLinks(std::ostream& out, const TrainingReport& report)
{
    out << "link,carried_bytes,rate_bps,busy_share\n";
    for (const LinkUse& link : report.links)
    {
        out << Quote(link.name) << "," << link.bytes << "," << link.rate.GetBitRate() << ","
            << FormatNumber(link.busyShare, 6) << "\n";
    }
}

/**
 * @param out file of the counters
 * @param report what to write
 */
void
WriteCounters(std::ostream& out, const TrainingReport& report)
{
    out << "counter,value_count\nhops," << report.hops << "\n";
    for (const NamedCounter& counter : report.counters)
    {
        out << Quote(counter.name) << "," << counter.value << "\n";
    }
}

} // namespace

std::vector<std::string>
WriteReportCsv(const std::string& folder, const std::string& prefix, const TrainingReport& report)
{
    struct Table
    {
        const char* name;
        void (*write)(std::ostream&, const TrainingReport&);
    };

    static constexpr Table tables[] = {{"iterations", &WriteIterations},
                                       {"ranks", &WriteRanks},
                                       {"collectives", &WriteCollectives},
                                       {"links", &WriteLinks},
                                       {"counters", &WriteCounters}};
    std::error_code ignored; // a folder that cannot be made shows in the first file
    std::filesystem::create_directories(folder, ignored);
    std::vector<std::string> files;
    for (const Table& table : tables)
    {
        const std::string path = folder + "/" + prefix + table.name + ".csv";
        std::ofstream out(path);
        table.write(out, report);
        out.close();
        if (!out)
        {
            RefuseInput("cannot write " + path + ": " + std::strerror(errno));
        }
        files.push_back(path);
    }
    return files;
}

} // namespace ns3::llm
