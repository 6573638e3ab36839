// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SEND_ENTROPY_H
#define LLM_FABRIC_SEND_ENTROPY_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

#include <cstddef>
#include <cstdint>

namespace ns3::llm
{

struct QueuePairInfo;

/**
 * @ingroup llm-fabric-transport
 * Chooses the entropy of data frames, of which FlowEcmp makes the path. To add one, derive, give the
 * class a TypeId, and name it in RdmaTransport's `SendEntropy` attribute.
 *
 * One object serves every queue pair of its transport and does not change during a run: what changes
 * lies in a state per queue pair, plain bytes. Hooks schedule nothing, keep no pointers, and draw by
 * the identity of the frame (Draw()).
 */
class SendEntropy : public Object
{
  public:
    /** Largest state of a queue pair, bytes. */
    static constexpr std::size_t MAX_STATE_BYTES = 256;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return whether every frame has the entropy of its queue pair: no other hook is called then */
    virtual bool IsPerFlow() const;

    /** @return size of the state of a queue pair, at most MAX_STATE_BYTES; 0: none */
    virtual std::size_t GetStateSize() const;

    /**
     * A queue pair begins: set its state. Does nothing unless overridden.
     * @param state memory for it, nullptr where there is none
     * @param info the queue pair
     */
    virtual void Start(void* state, const QueuePairInfo& info) const;

    /**
     * A frame is sent.
     * @param state of its queue pair
     * @param flowEntropy entropy of its queue pair
     * @param frame it, all set but for its entropy and source
     * @param now ps
     * @return its entropy
     */
    virtual uint32_t
    Choose(void* state, uint32_t flowEntropy, const Frame& frame, uint64_t now) const = 0;

    /**
     * An ACK or NACK came in. Does nothing unless overridden.
     * @param state of its queue pair
     * @param entropy of the frame that it answers
     * @param isMarked whether that frame was marked
     * @param now ps
     */
    virtual void OnAck(void* state, uint32_t entropy, bool isMarked, uint64_t now) const;

    /** Nothing was acknowledged for a retransmission timeout. Does nothing unless overridden. @param
     * state of its queue pair @param now ps */
    virtual void OnTimeout(void* state, uint64_t now) const;

  protected:
    /**
     * @param flowEntropy entropy of a queue pair
     * @param frame one of its frames
     * @param values how many entropies a queue pair has
     * @return one of them, drawn by the frame's identity and attempt; those of another queue pair are
     * others
     */
    static uint32_t Draw(uint32_t flowEntropy, const Frame& frame, uint32_t values);
};

/**
 * @ingroup llm-fabric-transport
 * All frames of a queue pair have the same entropy, as RoCEv2 has it: one path as long as routes last.
 */
class FlowEntropy : public SendEntropy
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool IsPerFlow() const override;
    uint32_t
    Choose(void* state, uint32_t flowEntropy, const Frame& frame, uint64_t now) const override;
};

/**
 * @ingroup llm-fabric-transport
 * Each frame has an entropy of its own: packet spraying by the sender, over switches that hash.
 */
class RandomEntropy : public SendEntropy
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    uint32_t
    Choose(void* state, uint32_t flowEntropy, const Frame& frame, uint64_t now) const override;

  private:
    uint32_t m_values; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SEND_ENTROPY_H
