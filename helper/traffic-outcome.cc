// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-outcome.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::ordered_json; //!< keeps the order of names

/** Points of a distribution, for a picture. */
constexpr std::size_t STEPS = 400;

/** Thousandths of a slowdown. */
constexpr double SLOWDOWN_PARTS = 1000;

/** @param bucket a range @return it as JSON */
Json
ToObject(const SlowdownBucket& bucket)
{
    return {{"min_size_bytes", bucket.minBytes},
            {"max_size_bytes", bucket.maxBytes},
            {"flows", bucket.flows},
            {"median_slowdown_ratio", bucket.median},
            {"p95_slowdown_ratio", bucket.percentile95},
            {"p99_slowdown_ratio", bucket.percentile99},
            {"max_slowdown_ratio", bucket.max}};
}

/** @param object what ToObject() gave @return the range */
SlowdownBucket
ToBucket(const Json& object)
{
    SlowdownBucket bucket;
    bucket.minBytes = object.at("min_size_bytes");
    bucket.maxBytes = object.at("max_size_bytes");
    bucket.flows = object.at("flows");
    bucket.median = object.at("median_slowdown_ratio");
    bucket.percentile95 = object.at("p95_slowdown_ratio");
    bucket.percentile99 = object.at("p99_slowdown_ratio");
    bucket.max = object.at("max_slowdown_ratio");
    return bucket;
}

/** @param steps a distribution @return pairs of value and percent */
Json
ToArray(const std::vector<ValueHistogram::Step>& steps)
{
    Json array = Json::array();
    for (const auto& step : steps)
    {
        array.push_back({step.value, step.percent});
    }
    return array;
}

/** @param array what ToArray() gave @return the distribution */
std::vector<ValueHistogram::Step>
ToSteps(const Json& array)
{
    std::vector<ValueHistogram::Step> steps;
    for (const Json& pair : array)
    {
        steps.push_back({pair.at(0).get<uint64_t>(), pair.at(1).get<double>()});
    }
    return steps;
}

/**
 * @tparam Out an outcome, constant or not
 * @param outcome it
 * @return its single numbers by their names in files
 */
template <typename Out>
auto
GetNumbers(Out& outcome)
{
    using Number = std::pair<const char*, decltype(&outcome.completionUs)>;
    return std::vector<Number>{{"completion_us", &outcome.completionUs},
                               {"goodput_gbps", &outcome.goodputGbps},
                               {"queue_median_kb", &outcome.queueMedianKb},
                               {"queue_p95_kb", &outcome.queuePercentile95Kb},
                               {"queue_p99_kb", &outcome.queuePercentile99Kb},
                               {"queue_max_kb", &outcome.queueMaxKb},
                               {"rtt_median_us", &outcome.rttMedianUs},
                               {"rtt_p99_us", &outcome.rttPercentile99Us},
                               {"wall_s", &outcome.wallSeconds}};
}

} // namespace

uint64_t
TrafficOutcome::GetCounter(const std::string& name) const
{
    const auto found = std::find_if(counters.begin(),
                                    counters.end(),
                                    [&name](const NamedCounter& c) { return c.name == name; });
    return found == counters.end() ? 0 : found->value;
}

std::string
TrafficOutcome::ToJson() const
{
    Json json = {{"traffic", traffic},
                 {"control", control},
                 {"scene", scene},
                 {"flows", flows},
                 {"received_flows", received},
                 {"hops", hops}};
    for (const auto& [name, value] : GetNumbers(*this))
    {
        json[name] = *value;
    }
    for (const NamedCounter& counter : counters)
    {
        json["counters"][counter.name] = counter.value;
    }
    json["all_sizes"] = ToObject(all);
    json["by_size"] = Json::array();
    for (const SlowdownBucket& bucket : bySize)
    {
        json["by_size"].push_back(ToObject(bucket));
    }
    json["queue_bytes_and_percent_of_time"] = ToArray(queueBytes);
    json["slowdown_thousandths_and_percent_of_flows"] = ToArray(slowdowns);
    return json.dump(1);
}

TrafficOutcome
TrafficOutcome::FromJson(const std::string& text)
{
    const Json json = Json::parse(text);
    TrafficOutcome outcome;
    outcome.traffic = json.at("traffic");
    outcome.control = json.at("control");
    outcome.scene = json.at("scene");
    outcome.flows = json.at("flows");
    outcome.received = json.at("received_flows");
    outcome.hops = json.at("hops");
    for (const auto& [name, value] : GetNumbers(outcome))
    {
        *value = json.at(name);
    }
    for (const auto& [name, value] : json.at("counters").items())
    {
        outcome.counters.push_back({name, value.get<uint64_t>()});
    }
    outcome.all = ToBucket(json.at("all_sizes"));
    for (const Json& bucket : json.at("by_size"))
    {
        outcome.bySize.push_back(ToBucket(bucket));
    }
    outcome.queueBytes = ToSteps(json.at("queue_bytes_and_percent_of_time"));
    outcome.slowdowns = ToSteps(json.at("slowdown_thousandths_and_percent_of_flows"));
    return outcome;
}

TrafficOutcome
MakeTrafficOutcome(const Cluster& cluster,
                   const FlowRunner& runner,
                   uint32_t buckets,
                   const SignalCounter& signals,
                   const QueueSampler& queues)
{
    TrafficOutcome outcome;
    ValueHistogram slowdowns(1);
    double bytes = 0;
    outcome.flows = runner.GetFlows().size();
    for (std::size_t i = 0; i < runner.GetFlows().size(); ++i)
    {
        const FlowRecord& record = runner.GetRecords()[i];
        if (record.state == FlowState::RECEIVED || record.state == FlowState::ACKNOWLEDGED)
        {
            ++outcome.received;
            bytes += static_cast<double>(runner.GetFlows()[i].bytes);
            slowdowns.Add(
                static_cast<uint64_t>(std::lround(record.GetSlowdown() * SLOWDOWN_PARTS)));
            const double us = static_cast<double>(record.received.GetPicoSeconds()) / 1e6;
            outcome.completionUs = std::max(outcome.completionUs, us);
        }
    }
    if (outcome.received != 0)
    {
        outcome.goodputGbps = bytes * 8e-3 / outcome.completionUs;
        outcome.slowdowns = slowdowns.GetDistribution(STEPS);
        outcome.bySize = GetSlowdowns(runner.GetFlows(), runner.GetRecords(), buckets);
        outcome.all = GetSlowdowns(runner.GetFlows(), runner.GetRecords(), 1).front();
    }
    const ValueHistogram& longest = queues.GetLongest();
    const auto toKb = [](uint64_t value)
    {
        return static_cast<double>(value) / 1e3;
    };
    outcome.queueMedianKb = toKb(longest.GetPercentile(50));
    outcome.queuePercentile95Kb = toKb(longest.GetPercentile(95));
    outcome.queuePercentile99Kb = toKb(longest.GetPercentile(99));
    outcome.queueBytes = longest.GetDistribution(STEPS);
    const auto network = cluster.GetNetwork();
    for (uint32_t s = 0; s < network->GetSwitchCount(); ++s)
    {
        for (uint32_t p = 0; p < network->GetSwitch(s)->GetPortCount(); ++p)
        {
            const auto port = network->GetSwitch(s)->GetPort(p);
            const uint64_t most = port->GetTransmitter().GetCounters().maxQueueBytes;
            outcome.queueMaxKb = std::max(outcome.queueMaxKb, toKb(most));
        }
    }
    outcome.rttMedianUs = toKb(signals.rttNs.GetPercentile(50));
    outcome.rttPercentile99Us = toKb(signals.rttNs.GetPercentile(99));
    outcome.counters = cluster.GetCounters();
    outcome.counters.push_back({"acknowledgments", signals.acks});
    outcome.counters.push_back({"acknowledgments of marked frames", signals.markedAcks});
    outcome.counters.push_back({"acknowledgments that tell of a queue", signals.telemetryAcks});
    outcome.hops = cluster.GetHops();
    return outcome;
}

} // namespace ns3::llm
