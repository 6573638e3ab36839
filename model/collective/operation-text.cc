// SPDX-License-Identifier: GPL-2.0-only

#include "operation-text.h"

#include <iterator>
#include <sstream>

namespace ns3::llm
{

std::string
DescribeBytes(uint64_t bytes)
{
    static const char* const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < std::size(UNITS))
    {
        value /= 1000;
        ++unit;
    }
    std::ostringstream text;
    text.precision(3);
    text << value << " " << UNITS[unit];
    return text.str();
}

std::string
DescribeOrdinal(uint64_t index)
{
    const uint64_t number = index + 1;
    const bool isTeen = number % 100 >= 11 && number % 100 <= 13;
    const char* suffix = "th";
    if (!isTeen && number % 10 >= 1 && number % 10 <= 3)
    {
        suffix = number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : "rd";
    }
    return std::to_string(number) + suffix;
}

std::string
DescribeRequest(const CollectiveRequest& request)
{
    if (request.operation == CollectiveOperation::BARRIER)
    {
        return GetName(request.operation);
    }
    const uint64_t bytes = request.matrix ? request.matrix->GetTotal() : request.bytes;
    return GetName(request.operation) + " of " + DescribeBytes(bytes);
}

std::string
DescribeCall(const CollectiveRequest& request)
{
    std::string text = GetName(request.operation);
    if (request.matrix)
    {
        return text + " by a matrix of " + std::to_string(request.matrix->GetTotal()) + " B";
    }
    if (request.operation != CollectiveOperation::BARRIER)
    {
        text += " of " + std::to_string(request.bytes) + " B";
    }
    return HasRoot(request.operation) ? text + " with root " + std::to_string(request.root) : text;
}

} // namespace ns3::llm
