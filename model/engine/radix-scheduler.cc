// SPDX-License-Identifier: GPL-2.0-only

#include "radix-scheduler.h"

#include "event-number-warning.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("RadixScheduler");
NS_OBJECT_ENSURE_REGISTERED(RadixScheduler);

TypeId
RadixScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::RadixScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<RadixScheduler>();
    return tid;
}

RadixScheduler::RadixScheduler()
{
    NS_LOG_FUNCTION(this);
}

RadixScheduler::~RadixScheduler()
{
    NS_LOG_FUNCTION(this);
}

inline RadixScheduler::Entry
RadixScheduler::ToEntry(const Event& event)
{
    const uint64_t key = static_cast<uint64_t>(event.key.m_uid) << 32 | event.key.m_context;
    return Entry{event.key.m_ts, key, event.impl};
}

inline Scheduler::Event
RadixScheduler::ToEvent(const Entry& entry)
{
    const auto number = static_cast<uint32_t>(entry.key >> 32);
    return Event{entry.impl, EventKey{entry.tick, number, static_cast<uint32_t>(entry.key)}};
}

void
RadixScheduler::Insert(const Event& ev)
{
    CheckEventNumber(ev.key.m_uid);
    const Entry entry = ToEntry(ev);
    if (__builtin_expect(entry.tick < m_last, 0))
    {
        m_past.insert(entry); // the queue cannot hold it
    }
    else
    {
        m_queue.Insert(entry);
    }
}

bool
RadixScheduler::IsEmpty() const
{
    return m_queue.IsEmpty() && m_past.empty();
}

Scheduler::Event
RadixScheduler::PeekNext() const
{
    NS_ASSERT_MSG(!IsEmpty(), "RadixScheduler: there is no event to look at");
    return ToEvent(m_past.empty() ? *m_queue.Peek() : *m_past.begin());
}

Scheduler::Event
RadixScheduler::RemoveNext()
{
    NS_ASSERT_MSG(!IsEmpty(), "RadixScheduler: there is no event to take");
    if (__builtin_expect(!m_past.empty(), 0))
    {
        return ToEvent(m_past.extract(m_past.begin()).value());
    }
    const Entry entry = m_queue.Pop();
    m_last = entry.tick;
    return ToEvent(entry);
}

void
RadixScheduler::Remove(const Event& ev)
{
    const Entry wanted = ToEntry(ev);
    const auto isIt = [&wanted](const Entry& entry)
    {
        return entry.tick == wanted.tick && entry.impl == wanted.impl &&
               entry.key >> 32 == wanted.key >> 32;
    };
    if (m_queue.Erase(wanted.tick, isIt))
    {
        return;
    }
    const auto past =
        std::find_if(m_past.lower_bound(Entry{wanted.tick, 0, nullptr}), m_past.end(), isIt);
    // an engine drops its reference to what it removes, so going on would corrupt memory
    NS_ABORT_MSG_IF(past == m_past.end(),
                    "RadixScheduler: event " << ev.key.m_uid << " at tick " << ev.key.m_ts
                                             << " is to be removed, but it is not pending");
    m_past.erase(past);
}

} // namespace ns3::llm
