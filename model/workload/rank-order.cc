// SPDX-License-Identifier: GPL-2.0-only

#include "rank-order.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ns3::llm
{

namespace
{

/**
 * @param text names joined by '-'
 * @return the names
 */
std::vector<std::string_view>
Split(std::string_view text)
{
    std::vector<std::string_view> names;
    for (std::size_t begin = 0; begin <= text.size();)
    {
        const std::size_t end = std::min(text.find('-', begin), text.size());
        names.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

/**
 * @param names of a rank order
 * @return whether tp, dp and pp are there once, cp and ep at most once, ep right before dp, and
 *         nothing else
 */
bool
IsOrder(const std::vector<std::string_view>& names)
{
    const auto count = [&names](const char* name)
    {
        return std::count(names.begin(), names.end(), name);
    };
    const auto contexts = count("cp");
    const auto experts = count("ep");
    if (count("tp") != 1 || count("dp") != 1 || count("pp") != 1 || contexts > 1 || experts > 1 ||
        names.size() != static_cast<std::size_t>(3 + contexts + experts))
    {
        return false;
    }
    const auto expert = std::find(names.begin(), names.end(), "ep");
    return expert == names.end() || (expert + 1 != names.end() && *(expert + 1) == "dp");
}

} // namespace

RankOrder
ParseRankOrder(const std::string& text)
{
    const auto names = Split(text);
    if (!IsOrder(names))
    {
        RefuseInput(
            "rank order = '" + text +
            "' must be an order of tp, cp, dp and pp, fastest first, and ep if at all right "
            "before dp, such as tp-cp-ep-dp-pp (Megatron-Core's) or, while CP = 1, tp-dp-pp");
    }
    RankOrder order{};
    std::size_t next = 0;
    if (std::find(names.begin(), names.end(), "cp") == names.end())
    {
        order[next++] = RankAxis::CONTEXT;
    }
    for (const auto name : names)
    {
        if (name == "tp")
        {
            order[next++] = RankAxis::TENSOR;
        }
        else if (name == "cp")
        {
            order[next++] = RankAxis::CONTEXT;
        }
        else if (name == "pp")
        {
            order[next++] = RankAxis::PIPELINE;
        }
        else if (name == "dp")
        {
            order[next++] = RankAxis::EXPERT;
            order[next++] = RankAxis::REPLICA;
        }
    }
    return order;
}

bool
NamesContext(const std::string& text)
{
    const auto names = Split(text);
    return std::find(names.begin(), names.end(), "cp") != names.end();
}

} // namespace ns3::llm
