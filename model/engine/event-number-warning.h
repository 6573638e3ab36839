// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_EVENT_NUMBER_WARNING_H
#define LLM_FABRIC_EVENT_NUMBER_WARNING_H

#include <cstdint>

/**
 * @file
 * @ingroup llm-fabric-engine
 * ns-3's own engines number events with 32 bits. This says so before the numbers wrap.
 */

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * The event number from which on a user is warned: 2^28 events, a minute or more, before the end.
 */
constexpr uint32_t EVENT_NUMBER_LIMIT = UINT32_MAX - (uint32_t(1) << 28) + 1;

/**
 * @ingroup llm-fabric-engine
 * Write to the standard error that ns-3's event numbers are about to wrap, what happens then and
 * which engine to choose; once in a process.
 */
void WarnOfEventNumbers();

/**
 * @ingroup llm-fabric-engine
 * Warn the user if it is time to.
 * @param number the number that an engine of ns-3 has given to an event, or how many it has run
 */
inline void
CheckEventNumber(uint64_t number)
{
    if (__builtin_expect(number >= EVENT_NUMBER_LIMIT, 0))
    {
        WarnOfEventNumbers();
    }
}

} // namespace ns3::llm

#endif // LLM_FABRIC_EVENT_NUMBER_WARNING_H
