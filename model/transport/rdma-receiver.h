// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_RECEIVER_H
#define LLM_FABRIC_RDMA_RECEIVER_H

#include "message-transport.h"
#include "psn-bitmap.h"
#include "send-queue-pair.h"

#include "ns3/fabric-frame.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-transmitter.h"
#include "ns3/identity-hash.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * The receiving side of a NIC: takes data frames, answers with ACKs, NACKs and CNPs, and says when a
 * message is complete, in order.
 *
 * A receiving queue pair comes into being with its first frame. An old frame is answered by an ACK. A
 * frame after a gap is dropped and answered by one NACK until the missing frame comes (InfiniBand);
 * with RdmaConfig::reorderFrames it is kept, and each is answered by a NACK (IRN).
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

    /**
     * A frame that fills a gap may complete several messages: ask until there is none.
     * @param message the last one of the same frame; set to the next
     * @return whether there is one
     */
    bool TakeFurther(Message& message)
    {
        return !m_further.empty() && PopFurther(message);
    }

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
        uint32_t hasNacked : 1;      //!< the gap is known to the sender
        uint32_t gap : 31;           //!< number in m_gaps, from 1; 0: there was none

        QueuePair()
            : hasNacked(0),
              gap(0)
        {
        }
    };

    /** The end of a message, by which it is known. */
    struct MessageEnd
    {
        uint64_t tag;   //!< as it travels
        uint64_t bytes; //!< in order: of the message; kept after a gap: of its last frame
    };

    /** What is known of frames after a gap; made with the first gap of a queue pair. */
    struct Gap
    {
        /** @param frames room for so many */
        explicit Gap(uint32_t frames)
            : there(frames)
        {
        }

        PsnBitmap there;                     //!< frames that are kept
        uint32_t frames = 0;                 //!< so many
        std::map<uint64_t, MessageEnd> ends; //!< by PSN: those of them that end a message
        uint64_t nackTick = 0;               //!< of the last NACK, ps
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
    /** @param queuePair one with a gap @return what is known of it */
    Gap& GetGap(QueuePair& queuePair);
    /** Take a frame that is not the next. @param frame it @param queuePair its */
    void TakeOutOfOrder(Frame* frame, QueuePair& queuePair);
    /** Keep a frame after a gap. @param frame it @param queuePair its */
    void Keep(Frame* frame, QueuePair& queuePair);
    /** A gap is filled: take what was kept after it. @param queuePair its @return whether anything
     * was */
    bool TakeKept(QueuePair& queuePair);
    /** TakeFurther(), when there is one. @copydetails TakeFurther */
    bool PopFurther(Message& message);
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
    std::vector<std::unique_ptr<Gap>> m_gaps;   //!< of queue pairs that ever had one
    std::vector<MessageEnd> m_further;          //!< complete and not yet taken, in order
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_RECEIVER_H
