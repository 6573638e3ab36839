// SPDX-License-Identifier: GPL-2.0-only

#include "report-names.h"
#include "training-report.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::ordered_json; //!< keeps keys in the order of writing

/**
 * @param i number of a dimension
 * @return the key of its exposed communication
 */
std::string
GetKey(std::size_t i)
{
    return GetExposedColumn(static_cast<ParallelDimension>(i));
}

/**
 * @param account an account
 * @return it as an object
 */
Json
ToJson(const RankAccount& account)
{
    Json json;
    json["compute_us"] = ToMicroseconds(account.compute);
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        json[GetKey(i)] = ToMicroseconds(account.exposed[i]);
    }
    json["bubble_us"] = ToMicroseconds(account.bubble);
    return json;
}

/**
 * @param json what ToJson() made
 * @return the account
 */
RankAccount
ParseAccount(const Json& json)
{
    RankAccount account;
    account.compute = FromMicroseconds(json.at("compute_us"));
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        account.exposed[i] = FromMicroseconds(json.at(GetKey(i)));
    }
    account.bubble = FromMicroseconds(json.at("bubble_us"));
    return account;
}

/**
 * @param iteration an iteration
 * @return it as an object
 */
Json
ToJson(const IterationRecord& iteration)
{
    Json json;
    json["start_us"] = ToMicroseconds(iteration.start);
    json["end_us"] = ToMicroseconds(iteration.end);
    json["time_us"] = ToMicroseconds(iteration.end - iteration.start);
    json["ranks"] = iteration.ranks;
    json["sum_over_ranks"] = ToJson(iteration.sum);
    json["last_rank"] = iteration.lastRank;
    json["of_last_rank"] = ToJson(iteration.last);
    return json;
}

/**
 * @param json what ToJson() made
 * @return the iteration
 */
IterationRecord
ParseIteration(const Json& json)
{
    IterationRecord iteration;
    iteration.start = FromMicroseconds(json.at("start_us"));
    iteration.end = FromMicroseconds(json.at("end_us"));
    iteration.ranks = json.at("ranks");
    iteration.sum = ParseAccount(json.at("sum_over_ranks"));
    iteration.lastRank = json.at("last_rank");
    iteration.last = ParseAccount(json.at("of_last_rank"));
    return iteration;
}

/**
 * @param collective an entry
 * @return it as an object; unknown times are null
 */
Json
ToJson(const CollectiveReport& collective)
{
    const auto optional = [](const std::optional<Time>& time)
    {
        return time ? Json(ToMicroseconds(*time)) : Json();
    };
    const CollectiveRecord& record = collective.record;
    Json json;
    json["dimension"] = GetShortName(record.dimension);
    json["operation"] = GetOperationName(record.kind);
    json["group_ranks"] = collective.groupSize;
    json["size_bytes"] = record.bytes;
    json["first_group"] = record.group;
    json["count"] = record.count;
    json["time_total_us"] = ToMicroseconds(record.total);
    json["time_max_us"] = ToMicroseconds(record.max);
    json["rank_count"] = record.rankCount;
    json["rank_time_total_us"] = ToMicroseconds(record.rankTotal);
    json["rank_time_max_us"] = ToMicroseconds(record.rankMax);
    json["ideal_us"] = optional(collective.ideal);
    json["bound_us"] = optional(collective.bound);
    return json;
}

/**
 * @param json what ToJson() made
 * @return the entry
 */
CollectiveReport
ParseCollective(const Json& json)
{
    const auto optional = [](const Json& value)
    {
        return value.is_null() ? std::optional<Time>() : FromMicroseconds(value);
    };
    CollectiveReport collective;
    CollectiveRecord& record = collective.record;
    record.dimension = ParseShortName(json.at("dimension"));
    record.kind = ParseOperationName(json.at("operation"));
    collective.groupSize = json.at("group_ranks");
    record.bytes = json.at("size_bytes");
    record.group = json.at("first_group");
    record.count = json.at("count");
    record.total = FromMicroseconds(json.at("time_total_us"));
    record.max = FromMicroseconds(json.at("time_max_us"));
    record.rankCount = json.at("rank_count");
    record.rankTotal = FromMicroseconds(json.at("rank_time_total_us"));
    record.rankMax = FromMicroseconds(json.at("rank_time_max_us"));
    collective.ideal = optional(json.at("ideal_us"));
    collective.bound = optional(json.at("bound_us"));
    return collective;
}

/**
 * @param report a report
 * @return its means
 */
Json
SummaryToJson(const TrainingReport& report)
{
    const TrainingSummary summary = report.GetSummary();
    Json json;
    json["iteration_time_us"] = summary.iterationUs;
    json["compute_us"] = summary.computeUs;
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        json[GetKey(i)] = summary.exposedUs[i];
    }
    json["bubble_us"] = summary.bubbleUs;
    return json;
}

/**
 * Read the run's own figures.
 * @param json the whole report
 * @param report gets them
 */
void
ParseRun(const Json& json, TrainingReport& report)
{
    report.name = json.at("run");
    for (const auto& fact : json.at("facts").items())
    {
        report.facts.emplace_back(fact.key(), fact.value());
    }
    report.simulated = FromMicroseconds(json.at("simulated_time_us"));
    report.wallSeconds = json.at("wall_time_s");
    report.hops = json.at("hops");
}

} // namespace

std::string
ReportToJson(const TrainingReport& report)
{
    Json json;
    json["run"] = report.name;
    json["facts"] = Json::object();
    for (const auto& fact : report.facts)
    {
        json["facts"][fact.first] = fact.second;
    }
    json["mean_over_ranks_and_iterations"] = SummaryToJson(report);
    json["simulated_time_us"] = ToMicroseconds(report.simulated);
    json["wall_time_s"] = report.wallSeconds;
    json["hops"] = report.hops;
    json["counters"] = Json::object();
    for (const NamedCounter& counter : report.counters)
    {
        json["counters"][counter.name] = counter.value;
    }
    for (const char* list : {"iterations", "collectives", "busiest_links", "ranks"})
    {
        json[list] = Json::array();
    }
    for (const IterationRecord& iteration : report.iterations)
    {
        json["iterations"].push_back(ToJson(iteration));
    }
    for (const CollectiveReport& collective : report.collectives)
    {
        json["collectives"].push_back(ToJson(collective));
    }
    for (const LinkUse& link : report.links)
    {
        json["busiest_links"].push_back({{"link", link.name},
                                         {"carried_bytes", link.bytes},
                                         {"rate_bps", link.rate.GetBitRate()},
                                         {"busy_share", link.busyShare}});
    }
    for (std::size_t rank = 0; rank < report.ranks.size(); ++rank)
    {
        Json entry;
        entry["rank"] = rank;
        entry["accelerator"] = report.accelerators.at(rank);
        entry.update(ToJson(report.ranks[rank]));
        json["ranks"].push_back(entry);
    }
    return json.dump(2);
}

TrainingReport
ReportFromJson(const std::string& text)
{
    TrainingReport report;
    try
    {
        const Json json = Json::parse(text);
        ParseRun(json, report);
        for (const auto& counter : json.at("counters").items())
        {
            report.counters.push_back({counter.key(), counter.value()});
        }
        for (const Json& iteration : json.at("iterations"))
        {
            report.iterations.push_back(ParseIteration(iteration));
        }
        for (const Json& collective : json.at("collectives"))
        {
            report.collectives.push_back(ParseCollective(collective));
        }
        for (const Json& link : json.at("busiest_links"))
        {
            report.links.push_back({link.at("link"),
                                    link.at("carried_bytes"),
                                    DataRate(link.at("rate_bps").get<uint64_t>()),
                                    link.at("busy_share")});
        }
        for (const Json& rank : json.at("ranks"))
        {
            report.ranks.push_back(ParseAccount(rank));
            report.accelerators.push_back(rank.at("accelerator"));
        }
    }
    catch (const nlohmann::json::exception& error)
    {
        RefuseInput(std::string("this is no training report: ") + error.what());
    }
    return report;
}

} // namespace ns3::llm
