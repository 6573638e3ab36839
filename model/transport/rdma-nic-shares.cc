// SPDX-License-Identifier: GPL-2.0-only

// Fair shares, for congestion controls that ask for them.

#include "rdma-nic.h"
#include "rdma-share-oracle.h"

#include "ns3/make-event.h"

#include <algorithm>

namespace ns3::llm
{

void
RdmaNic::NoteSharing(SendQueuePair& queuePair)
{
    const bool isSharing = queuePair.HasUnsent();
    if (!m_config.oracle || queuePair.isSharing == isSharing)
    {
        return;
    }
    queuePair.isSharing = isSharing;
    RdmaShareOracle* oracle = m_config.oracle;
    m_clock->CallOut(m_nodeId,
                     isSharing
                         ? MakeEvent(&RdmaShareOracle::Begin, oracle, m_terminal, queuePair.index)
                         : MakeEvent(&RdmaShareOracle::End,
                                     oracle,
                                     m_terminal,
                                     queuePair.index,
                                     queuePair.nextSendTick));
}

void
RdmaNic::GiveShare(uint32_t index, double shareBps)
{
    const uint64_t tick = m_clock->Request(FrameEventKind::NIC_REQUEST, m_object);
    m_givenShares.push_back({tick, index, shareBps});
}

void
RdmaNic::TakeShares()
{
    const uint64_t now = m_clock->NowTicks();
    // those of this very tick wait for the next, as messages do
    auto given = m_givenShares.begin();
    for (; given != m_givenShares.end() && given->tick <= now; ++given)
    {
        SendQueuePair& queuePair = m_queuePairs[given->index];
        queuePair.CatchUp(now);
        m_config.control->OnShare(queuePair.state,
                                  queuePair.info,
                                  now,
                                  given->bps,
                                  queuePair.decision);
        queuePair.UpdatePace();
        Place(queuePair, now);
    }
    m_givenShares.erase(m_givenShares.begin(), given);
}

} // namespace ns3::llm
