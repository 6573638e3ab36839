// SPDX-License-Identifier: GPL-2.0-only

#include "queue-pair-scheduler.h"

#include "ns3/input-error.h"

#include <cstdlib>
#include <sstream>

namespace ns3::llm
{

QueuePairScheduler::QueuePairScheduler(const RdmaConfig& config)
    : m_scheduling(config.scheduling)
{
    const uint32_t frame = config.mtuBytes + config.dataOverheadBytes + config.firstOverheadBytes;
    for (uint32_t priority = 0; priority < MESSAGE_PRIORITIES; ++priority)
    {
        m_rounds[priority].quantum = int64_t{frame} * config.weights[priority];
    }
}

void
QueuePairScheduler::Choose()
{
    if (m_scheduling == RdmaScheduling::STRICT)
    {
        m_current = 31u - static_cast<uint32_t>(__builtin_clz(m_occupied));
        return;
    }
    ChooseByWeight();
}

void
QueuePairScheduler::ChooseByWeight()
{
    m_isContended = true;
    const auto isOccupied = [this](uint32_t round)
    {
        return m_occupied >> round & 1;
    };
    while (!isOccupied(m_current) || m_rounds[m_current].credit <= 0)
    {
        // one that has nothing to send saves no credit
        Round& last = m_rounds[m_current];
        last.credit = std::min<int64_t>(last.credit, 0);
        m_current = (m_current + 1) % MESSAGE_PRIORITIES;
        Round& next = m_rounds[m_current];
        next.credit += isOccupied(m_current) ? next.quantum : 0;
    }
}

std::array<uint32_t, MESSAGE_PRIORITIES>
QueuePairScheduler::ReadWeights(const std::string& text)
{
    std::array<uint32_t, MESSAGE_PRIORITIES> weights;
    weights.fill(1);
    std::istringstream in(text);
    std::string item;
    for (uint32_t priority = 0; std::getline(in, item, ','); ++priority)
    {
        char* end = nullptr;
        const unsigned long weight = std::strtoul(item.c_str(), &end, 10);
        const bool isNumber = !item.empty() && item.find('-') == std::string::npos && *end == '\0';
        if (priority >= MESSAGE_PRIORITIES || !isNumber || weight < 1 || weight > 65535)
        {
            RefuseInput(
                "PriorityWeights '" + text + "': up to " + std::to_string(MESSAGE_PRIORITIES) +
                " numbers from 1 to 65535 with commas between, those of priority 0, 1 and so "
                "on, such as 1,4");
        }
        weights[priority] = static_cast<uint32_t>(weight);
    }
    return weights;
}

} // namespace ns3::llm
