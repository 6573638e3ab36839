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
        {CollectiveOperation::ALL_TO_ALL, "all-to-all"},
        {CollectiveOperation::ALL_TO_ALL_V, "all-to-all-v"},
        {CollectiveOperation::BROADCAST, "broadcast"},
        {CollectiveOperation::REDUCE, "reduce"},
        {CollectiveOperation::GATHER, "gather"},
        {CollectiveOperation::SCATTER, "scatter"},
        {CollectiveOperation::BARRIER, "barrier"},
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

bool
HasRoot(CollectiveOperation operation)
{
    return operation == CollectiveOperation::BROADCAST ||
           operation == CollectiveOperation::REDUCE || operation == CollectiveOperation::GATHER ||
           operation == CollectiveOperation::SCATTER ||
           operation == CollectiveOperation::POINT_TO_POINT;
}

bool
AreEqual(const CollectiveRequest& a, const CollectiveRequest& b)
{
    if (a.operation != b.operation || a.bytes != b.bytes || a.rendezvous != b.rendezvous ||
        (HasRoot(a.operation) && a.root != b.root))
    {
        return false;
    }
    return a.matrix == b.matrix || (a.matrix && b.matrix && *a.matrix == *b.matrix);
}

void
CheckRequest(const CollectiveRequest& request, uint32_t size)
{
    const std::string name = GetName(request.operation);
    const std::string ranks = std::to_string(size) + " ranks";
    if (request.operation == CollectiveOperation::POINT_TO_POINT && size != 2)
    {
        RefuseInput(name + " from root " + std::to_string(request.root) + " in a group of " +
                    std::to_string(size) +
                    ": the group must have 2 ranks and the root must be 0 or 1");
    }
    if (request.root >= size)
    {
        RefuseInput(name + " with root " + std::to_string(request.root) + " among " + ranks +
                    ": the root must be below " + std::to_string(size));
    }
    if (request.operation == CollectiveOperation::BARRIER && request.bytes != 0)
    {
        RefuseInput("barrier of " + std::to_string(request.bytes) +
                    " bytes: it moves none, so give 0");
    }
    const bool isUneven = request.operation == CollectiveOperation::ALL_TO_ALL_V;
    if (isUneven && (!request.matrix || request.matrix->GetSize() != size))
    {
        RefuseInput("all-to-all-v among " + ranks + " has " +
                    (request.matrix
                         ? "a matrix of " + std::to_string(request.matrix->GetSize()) + " ranks"
                         : "no matrix") +
                    "; it needs one of " + ranks);
    }
    if (isUneven && request.bytes != 0)
    {
        RefuseInput("all-to-all-v of " + std::to_string(request.bytes) +
                    " bytes: its matrix says the sizes, so give 0");
    }
}

BufferRange
GetBlock(const CollectiveRequest& request, uint32_t size, uint32_t from, uint32_t to)
{
    return request.matrix ? request.matrix->GetBlock(from, to)
                          : GetPart({from * request.bytes, request.bytes}, size, to);
}

bool
IsReduction(CollectiveOperation operation)
{
    return operation == CollectiveOperation::ALL_REDUCE ||
           operation == CollectiveOperation::REDUCE_SCATTER ||
           operation == CollectiveOperation::REDUCE || operation == CollectiveOperation::BARRIER;
}

} // namespace ns3::llm
