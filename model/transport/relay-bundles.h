// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_BUNDLES_H
#define LLM_FABRIC_RELAY_BUNDLES_H

#include "relay-chunk.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What a relay holds back until the accelerators of its HB domain have all given it what they have for
 * one destination, so that it goes on as one message (as NCCL's PXN does in an all-to-all).
 *
 * Nobody waits without end: what is not complete goes on in part when the first of it has waited for
 * a given time, when a sender would have too little credit left, and when a message is to follow it.
 */
class RelayBundles
{
  public:
    /** Chunks that go on as one message, by source and in the order of sending. */
    using Bundle = std::vector<RelayChunkPtr>;

    /**
     * Hold a chunk.
     * @param chunk of a message with `joint` set
     * @param now tick
     */
    void Add(const RelayChunkPtr& chunk, uint64_t now);

    /**
     * Take what is complete or has waited for long.
     * @param end what came at this tick or earlier has waited for long
     * @return bundles, in order
     */
    std::vector<Bundle> TakeReady(uint64_t end);

    /**
     * Take all that a source has part in.
     * @param source the source
     * @return bundles, in order
     */
    std::vector<Bundle> TakeOf(uint32_t source);

    /**
     * Take what another message must not overtake.
     * @param message the message
     * @return bundles, in order
     */
    std::vector<Bundle> TakeBefore(const Message& message);

    /** @param source an accelerator @return bytes of it that are held */
    uint64_t GetHeld(uint32_t source) const
    {
        const auto found = m_held.find(source);
        return found == m_held.end() ? 0 : found->second;
    }

    /** @return tick since which the oldest of all has waited; UINT64_MAX if nothing waits */
    uint64_t GetOldest() const;

  private:
    /** Destination, owner, flow, priority: what messages must keep their order with. */
    using Stream = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
    /** A stream, and the instance. */
    using Key = std::pair<Stream, uint32_t>;

    /** A bundle that is not complete. */
    struct Open
    {
        Bundle chunks;         //!< held
        uint32_t complete = 0; //!< messages that have come as a whole
        uint64_t since = 0;    //!< when the first of `chunks` came
    };

    /** @param message a message @return its stream */
    static Stream GetStream(const Message& message);
    /** @param open a bundle @param taken gets what it holds, unless it is nothing */
    void Take(Open& open, std::vector<Bundle>& taken);

    std::map<Key, Open> m_open;          //!< all
    std::map<uint32_t, uint64_t> m_held; //!< bytes by source
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_BUNDLES_H
