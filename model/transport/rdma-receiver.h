// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_RECEIVER_H
#define LLM_FABRIC_RDMA_RECEIVER_H

#include "message-transport.h"
#include "send-queue-pair.h"

#include "ns3/fabric-frame.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-transmitter.h"
#include "ns3/identity-hash.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * The receiving side of a NIC: takes data frames in order, answers with ACKs, NACKs and CNPs, and
 * says when a message is complete.
 *
 * A receiving queue pair comes into being with its first frame. Go-back-N (InfiniBand): a frame after
 * a gap is dropped and answered by one NACK until the missing frame comes; an old one is answered by
 * an ACK.
 */
class RdmaReceiver
{
  public:
    /**
     * @param clock the clock
     * @param pool frames
     * @param terminal the NIC's terminal
     * @param config sizes and times
     */
    RdmaReceiver(FrameClock* clock, FramePool* pool, uint32_t terminal, const RdmaConfig& config);

    /** @param port where answers go */
    void SetPort(FrameTransmitter* port)
    {
        m_port = port;
    }

    /**
     * Take a data frame; it becomes the answer or goes back to the pool.
     * @param frame the frame
     * @param message set when the frame completes a message: bytes, owner, instance, place
     * @return whether it does
     */
    bool Receive(Frame* frame, Message& message);

    /** Fetch what a data frame touches. @param frame it, soon to be received */
    void Prepare(const Frame& frame) const
    {
        const uint32_t page = frame.source / PAGE;
        if (m_lastKey == (uint64_t{frame.source} << 16 | frame.pair))
        {
            __builtin_prefetch(m_last);
        }
        else if (page < m_pages.size() && m_pages[page])
        {
            const std::vector<QueuePair>& pairs = (*m_pages[page])[frame.source % PAGE];
            __builtin_prefetch(pairs.data() + frame.pair);
        }
    }

    /** @param entropy of data frames @return entropy of the answers to them */
    static uint32_t AnswerEntropy(uint32_t entropy)
    {
        return static_cast<uint32_t>(MixHash(entropy, 0));
    }

  private:
    /** State of a queue pair. */
    struct QueuePair
    {
        uint64_t expectedPsn = 0;    //!< next in order
        uint64_t messageBytes = 0;   //!< received of the message under way
        uint64_t nextCnpTick = 0;    //!< no CNP before, ps
        uint32_t framesSinceAck = 0; //!< in order and not yet acknowledged
        bool hasNacked = false;      //!< the gap is known to the sender
    };

    static constexpr uint32_t PAGE = 8; //!< sources per page: few, as peers may lie far apart

    using Page = std::array<std::vector<QueuePair>, PAGE>; //!< by source within the page

    /** @param frame a data frame @return its queue pair */
    QueuePair& Find(const Frame& frame)
    {
        const uint64_t key = uint64_t{frame.source} << 16 | frame.pair;
        if (key != m_lastKey)
        {
            m_last = &Look(frame);
            m_lastKey = key;
        }
        return *m_last;
    }

    /** @param frame a data frame @return its queue pair, found or made */
    QueuePair& Look(const Frame& frame);
    /** Turn a data frame into an answer and send it. @param frame it @param kind ACK or NACK
     * @param psn next expected */
    void Answer(Frame* frame, FrameKind kind, uint64_t psn);
    /** Notify the sender of congestion. @param frame a marked data frame */
    void SendCnp(const Frame& frame);

    FrameClock* m_clock;                        //!< the clock
    FramePool* m_pool;                          //!< frames
    FrameTransmitter* m_port = nullptr;         //!< where answers go
    const uint32_t m_terminal;                  //!< of the NIC
    const RdmaConfig& m_config;                 //!< sizes and times
    uint64_t m_lastKey = UINT64_MAX;            //!< source and pair of the last data frame
    QueuePair* m_last = nullptr;                //!< its queue pair
    std::vector<std::unique_ptr<Page>> m_pages; //!< by source
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_RECEIVER_H
