// SPDX-License-Identifier: GPL-2.0-only

#include "listed-loss.h"

#include "ns3/input-error.h"
#include "ns3/string.h"

#include <cstdlib>
#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(ListedLoss);

namespace
{

/**
 * @param text digits
 * @param item what they are part of, for the refusal
 * @param largest allowed
 * @return the number
 */
uint64_t
ReadNumber(const std::string& text, const std::string& item, uint64_t largest)
{
    const bool isNumber = !text.empty() && text.size() < 20 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    const uint64_t value = isNumber ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    if (!isNumber || value > largest)
    {
        RefuseInput("ns3::llm::ListedLoss::Frames has '" + item +
                    "'; an item is PSN/attempt such as 7/0, with an attempt up to 255, or #n such "
                    "as #100, the n-th frame of a link");
    }
    return value;
}

} // namespace

TypeId
ListedLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::ListedLoss")
            .SetParent<FrameLoss>()
            .SetGroupName("LlmFabric")
            .AddConstructor<ListedLoss>()
            .AddAttribute("Frames",
                          "What is lost, items with spaces between: PSN/attempt (7/0: frame 7 when "
                          "it is first sent; an ACK or NACK has the number that it names and the "
                          "attempt of what it answers), or #n (the n-th frame of a link, from 1).",
                          StringValue(""),
                          MakeStringAccessor(&ListedLoss::m_text),
                          MakeStringChecker());
    return tid;
}

void
ListedLoss::DoBegin()
{
    std::istringstream text(m_text);
    std::string item;
    while (text >> item)
    {
        if (item[0] == '#')
        {
            m_places.insert(ReadNumber(item.substr(1), item, UINT64_MAX));
            continue;
        }
        const std::size_t slash = item.find('/');
        const uint64_t psn = ReadNumber(item.substr(0, slash), item, UINT64_MAX);
        const std::string attempt = slash == std::string::npos ? "" : item.substr(slash + 1);
        m_frames.emplace(psn, static_cast<uint8_t>(ReadNumber(attempt, item, UINT8_MAX)));
    }
}

bool
ListedLoss::DoIsLost(const Frame& frame, uint64_t)
{
    const bool isPlaced = m_places.count(++m_count) != 0;
    return isPlaced || m_frames.count({frame.psn, frame.attempt}) != 0;
}

} // namespace ns3::llm
