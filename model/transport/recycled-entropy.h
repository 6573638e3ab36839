// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RECYCLED_ENTROPY_H
#define LLM_FABRIC_RECYCLED_ENTROPY_H

#include "send-entropy.h"

#include "ns3/nstime.h"

#include <array>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Recycled entropies (REPS, arXiv 2407.21625): an entropy whose frame came back without a mark is used
 * for one more frame, so that frames keep to paths that are not congested.
 *
 * A ring holds the last entropies that ACKs without a mark brought. A frame takes the oldest of them
 * that was not taken again yet; if there is none, or the first frames of a round trip are still being
 * sent, it takes a random one. A timeout freezes the ring for some time, as paths may be broken: what
 * it holds is used again and again; after that, exploring begins anew.
 */
class RecycledEntropy : public SendEntropy
{
  public:
    static constexpr uint32_t RING = 8; //!< entropies that are kept

    /** State of a queue pair. */
    struct State
    {
        std::array<uint32_t, RING> ring{}; //!< entropies
        uint64_t thawTick = 0;             //!< if isFrozen: until then, ps
        uint32_t exploreLeft = 0;          //!< frames that still take a random one
        uint32_t exploreFrames = 0;        //!< so many at a time
        uint8_t next = 0;                  //!< place of the next one to be stored
        uint8_t stored = 0;                //!< places that were ever set
        uint8_t valid = 0;                 //!< of those before `next`, not taken yet
        uint8_t reuse = 0;                 //!< place of the last one taken while frozen
        bool isFrozen = false;             //!< after a timeout
    };

    /** @return the TypeId */
    static TypeId GetTypeId();

    std::size_t GetStateSize() const override;
    void Start(void* state, const QueuePairInfo& info) const override;
    uint32_t
    Choose(void* state, uint32_t flowEntropy, const Frame& frame, uint64_t now) const override;
    void OnAck(void* state, uint32_t entropy, bool isMarked, uint64_t now) const override;
    void OnTimeout(void* state, uint64_t now) const override;

  private:
    /** End the frozen time if it is over. @param state it @param now ps */
    static void Thaw(State& state, uint64_t now);

    uint32_t m_values;        //!< attribute
    uint32_t m_exploreFrames; //!< attribute
    Time m_freezeTime;        //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RECYCLED_ENTROPY_H
