// SPDX-License-Identifier: GPL-2.0-only

#include "compute-progress.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

ComputeProgress::ComputeProgress(double share)
    : m_share(share)
{
}

void
ComputeProgress::Begin(Time now, Time work, bool shared)
{
    m_work = work;
    m_since = now;
    m_alone = m_beside = Time(0);
    m_shared = shared;
}

void
ComputeProgress::SetShared(Time now, bool shared)
{
    (m_shared ? m_beside : m_alone) += now - m_since;
    m_since = now;
    m_shared = shared;
}

Time
ComputeProgress::GetEnd() const
{
    const Time left = m_work - m_alone - m_beside;
    // what the collectives have held of m_beside is still to be done
    const double lent = m_share * static_cast<double>(m_beside.GetTimeStep());
    const double rate = m_shared ? 1 - m_share : 1;
    const double held = m_shared ? m_share * static_cast<double>(left.GetTimeStep()) : 0;
    const Time more = left + TimeStep(std::llround((lent + held) / rate));
    return m_since + std::max(more, Time(0));
}

} // namespace ns3::llm
