// SPDX-License-Identifier: GPL-2.0-only

#include "report-names.h"

#include "rank-account.h"

#include "ns3/collective-operation.h"
#include "ns3/input-error.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ns3::llm
{

std::string
GetOperationName(TrainingTask::Kind kind)
{
    switch (kind)
    {
    case TrainingTask::ALL_REDUCE:
        return GetName(CollectiveOperation::ALL_REDUCE);
    case TrainingTask::ALL_GATHER:
        return GetName(CollectiveOperation::ALL_GATHER);
    case TrainingTask::REDUCE_SCATTER:
        return GetName(CollectiveOperation::REDUCE_SCATTER);
    case TrainingTask::ALL_TO_ALL:
        return GetName(CollectiveOperation::ALL_TO_ALL);
    case TrainingTask::SEND:
    case TrainingTask::RECEIVE:
        return GetName(CollectiveOperation::POINT_TO_POINT);
    case TrainingTask::COMPUTE:
        break;
    }
    NS_ABORT_MSG("a task of kind " << int(kind) << " is no communication");
    return "";
}

TrainingTask::Kind
ParseOperationName(const std::string& name)
{
    switch (ParseCollectiveOperation(name))
    {
    case CollectiveOperation::ALL_REDUCE:
        return TrainingTask::ALL_REDUCE;
    case CollectiveOperation::ALL_GATHER:
        return TrainingTask::ALL_GATHER;
    case CollectiveOperation::REDUCE_SCATTER:
        return TrainingTask::REDUCE_SCATTER;
    case CollectiveOperation::ALL_TO_ALL:
        return TrainingTask::ALL_TO_ALL;
    case CollectiveOperation::POINT_TO_POINT:
        return TrainingTask::SEND;
    default:
        break; // no task does these
    }
    return TrainingTask::SEND;
}

ParallelDimension
ParseShortName(const std::string& name)
{
    for (std::size_t i = 0; i < PARALLEL_DIMENSIONS; ++i)
    {
        const auto dimension = static_cast<ParallelDimension>(i);
        if (name == GetShortName(dimension))
        {
            return dimension;
        }
    }
    RefuseInput("parallel dimension '" + name +
                "' is unknown; there are TP, PP, DP, CP, EP, EDP, EMB and ALL");
}

std::string
GetExposedColumn(ParallelDimension dimension)
{
    std::string name = GetShortName(dimension);
    std::transform(name.begin(),
                   name.end(),
                   name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return "exposed_" + name + "_us";
}

double
ToMicroseconds(Time time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e6;
}

Time
FromMicroseconds(double us)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(us * 1e6)));
}

std::string
FormatMicroseconds(Time time)
{
    const auto parts = std::lldiv(time.GetPicoSeconds(), 1000000);
    char text[48];
    std::snprintf(text, sizeof(text), "%lld.%06lld", parts.quot, std::llabs(parts.rem));
    return text;
}

} // namespace ns3::llm
