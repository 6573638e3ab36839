// SPDX-License-Identifier: GPL-2.0-only

#include "rail-only-estimate.h"

#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3::llm
{

namespace
{

/**
 * Refuse a number that is not positive.
 * @param name of the number
 * @param value the number
 */
void
RequirePositive(const char* name, double value)
{
    if (!std::isfinite(value) || value <= 0)
    {
        std::ostringstream text;
        text << name << " = " << value << " of the rail-only estimate: a number above 0 is allowed";
        RefuseInput(text.str());
    }
}

/**
 * Refuse what the equation cannot take.
 * @param job what
 * @param machine on what
 */
void
CheckRailOnly(const RailOnlyJob& job, const RailOnlyMachine& machine)
{
    RequirePositive("parameters", job.parameters);
    RequirePositive("blocks", job.blocks);
    RequirePositive("hidden", job.hidden);
    RequirePositive("blockParameters", job.blockParameters);
    RequirePositive("modelTransfers", job.modelTransfers);
    RequirePositive("batchTokens", job.batchTokens);
    RequirePositive("elementBytes", job.elementBytes);
    RequirePositive("accelerators", machine.accelerators);
    RequirePositive("domainSize", machine.domainSize);
    RequirePositive("flopsPerSecond", machine.flopsPerSecond);
    RequirePositive("domainBytesPerSecond", machine.domainBytesPerSecond);
    RequirePositive("nicBytesPerSecond", machine.nicBytesPerSecond);
    if (machine.domainSize < 1 || machine.domainSize > machine.accelerators)
    {
        std::ostringstream text;
        text << "domainSize = " << machine.domainSize << " of the rail-only estimate: 1 to "
             << machine.accelerators << " accelerators are allowed";
        RefuseInput(text.str());
    }
}

} // namespace

std::vector<std::string>
RailOnlyJob::GetNames()
{
    return {"GPT3", "OPT", "PaLM"};
}

RailOnlyJob
RailOnlyJob::FromName(const std::string& name, double batchTokens)
{
    RailOnlyJob job;
    job.name = name;
    job.batchTokens = batchTokens;
    if (name == "GPT3" || name == "OPT")
    {
        job.parameters = 175e9;
        job.blocks = 96;
        job.hidden = 12288;
        job.blockParameters = 12 * job.hidden * job.hidden;
    }
    else if (name == "PaLM")
    {
        job.parameters = 540e9;
        job.blocks = 118;
        job.hidden = 18432;
        job.blockParameters = job.parameters / job.blocks;
        job.modelTransfers = 12;
    }
    else
    {
        RefuseInput("there is no model '" + name + "' in the rail-only paper" +
                    DescribeAllowedNames(name, GetNames()));
    }
    return job;
}

double
RailOnlyEstimate::GetSeconds() const
{
    return computeSeconds + modelSeconds + insideSeconds + acrossSeconds;
}

double
RailOnlyEstimate::GetBytes() const
{
    return modelBytes + insideBytes + acrossBytes;
}

RailOnlyEstimate
EstimateRailOnly(const RailOnlyJob& job, const RailOnlyMachine& machine, double modelParallel)
{
    CheckRailOnly(job, machine);
    if (!(modelParallel >= 1 && modelParallel <= machine.domainSize))
    {
        std::ostringstream text;
        text << "modelParallel = " << modelParallel << " of the rail-only estimate: 1 to the "
             << machine.domainSize << " accelerators of an HB domain are allowed";
        RefuseInput(text.str());
    }
    const double n = machine.accelerators;
    const double k = machine.domainSize;
    const double domains = n / k;              // N_Df
    const double inDomain = k / modelParallel; // N_Ds
    const double iterationBytes = job.blocks * job.elementBytes;
    RailOnlyEstimate estimate;
    estimate.computeSeconds = 6 * job.parameters * job.batchTokens / (n * machine.flopsPerSecond);
    // a reduce-scatter and an all-gather inside, and between them an all-reduce of the pieces
    estimate.insideBytes = iterationBytes * 2 * job.blockParameters * (inDomain - 1) / k;
    estimate.acrossBytes = iterationBytes * 2 * job.blockParameters * (domains - 1) / n;
    estimate.modelBytes = iterationBytes * job.modelTransfers * job.batchTokens * job.hidden *
                          (modelParallel - 1) / n;
    estimate.insideSeconds = estimate.insideBytes / machine.domainBytesPerSecond;
    estimate.acrossSeconds = estimate.acrossBytes / machine.nicBytesPerSecond;
    estimate.modelSeconds = estimate.modelBytes / machine.domainBytesPerSecond;
    return estimate;
}

double
FindBestModelParallel(const RailOnlyJob& job, const RailOnlyMachine& machine)
{
    CheckRailOnly(job, machine);
    const double best = std::sqrt(2 * machine.accelerators * job.blockParameters /
                                  (job.modelTransfers * job.batchTokens * job.hidden));
    return std::clamp(best, 1.0, machine.domainSize);
}

double
RoundModelParallel(double modelParallel)
{
    return std::exp2(std::round(std::log2(modelParallel)));
}

} // namespace ns3::llm
