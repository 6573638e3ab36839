// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_DIGEST_H
#define LLM_FABRIC_FRAME_DIGEST_H

#include "fabric-frame.h"
#include "frame-transmitter.h"
#include "identity-hash.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * A hash of everything that crosses the links of the networks that it observes: two runs with the
 * same value have had the same frames at the same ports at the same picoseconds, in the same order.
 */
class FrameDigest : public FrameTransmitter::Observer
{
  public:
    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override
    {
        const uint64_t what = static_cast<uint64_t>(frame.kind) << 8 | frame.flags;
        m_hash = MixHash(MixHash(m_hash, tick), transmitter.GetObject());
        m_hash = MixHash(MixHash(m_hash, frame.psn), what << 32 | frame.wireBytes);
        ++m_frames;
    }

    /** @return the hash so far */
    uint64_t GetHash() const
    {
        return m_hash;
    }

    /** @return number of arrivals so far */
    uint64_t GetFrameCount() const
    {
        return m_frames;
    }

  private:
    uint64_t m_hash = 0;   //!< see GetHash()
    uint64_t m_frames = 0; //!< see GetFrameCount()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_DIGEST_H
