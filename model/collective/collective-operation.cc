// SPDX-License-Identifier: GPL-2.0-only

#include "collective-operation.h"

#include "ns3/input-error.h"

#include <array>
#include <utility>

namespace ns3::llm
{

namespace
{

/** Every operation with its name. */
constexpr std::array<std::pair<CollectiveOperation, const char*>, COLLECTIVE_OPERATION_COUNT> NAMES{
    {
        {CollectiveOperation::ALL_REDUCE, "all-reduce"},
        {CollectiveOperation::ALL_GATHER, "all-gather"},
        {CollectiveOperation::REDUCE_SCATTER, "reduce-scatter"},
        {CollectiveOperation::POINT_TO_POINT, "point-to-point"},
    }};

} // namespace

std::string
GetName(CollectiveOperation operation)
{
    for (const auto& [value, name] : NAMES)
    {
        if (value == operation)
        {
            return name;
        }
    }
    RefuseInput("collective operation " + std::to_string(static_cast<uint32_t>(operation)) +
                " does not exist");
}

CollectiveOperation
ParseCollectiveOperation(const std::string& name)
{
    // allreduce, ALL_REDUCE and All-Reduce are refused too, but we can say what was meant
    const auto simplify = [](const std::string& text)
    {
        std::string result;
        for (const char c : text)
        {
            if (c != '-' && c != '_' && c != ' ')
            {
                result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
            }
        }
        return result;
    };
    std::string allowed;
    std::string meant;
    for (const auto& [value, valueName] : NAMES)
    {
        if (name == valueName)
        {
            return value;
        }
        if (simplify(name) == simplify(valueName))
        {
            meant = valueName;
        }
        allowed += (allowed.empty() ? "" : ", ") + std::string(valueName);
    }
    RefuseInput("collective operation \"" + name + "\" is not known; allowed: " + allowed +
                (meant.empty() ? "" : "; did you mean \"" + meant + "\"?"));
}

} // namespace ns3::llm
