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

class RdmaTracer;

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

    /** @param tracer is told of CNPs */
    void SetTracer(RdmaTracer* tracer)
    {
        m_tracer = tracer;
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
        if (m_lastKey == GetKey(frame))
        {
            __builtin_prefetch(m_last);
        }
        else if (page < m_pages.size() && m_pages[page])
        {
            const std::vector<QueuePair>& pairs = (*m_pages[page])[frame.source % PAGE];
            __builtin_prefetch(pairs.data() + frame.GetPair());
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
        uint64_t expectedPsn = 0;     //!< next in order
        uint64_t messageBytes = 0;    //!< received of the message under way
        uint64_t nextCnpTick = 0;     //!< no CNP before, ps
        uint64_t framesSinceAck : 14; //!< in order and not yet acknowledged
        uint64_t hasNacked : 1;       //!< the gap is known to the sender
        uint64_t wasMarked : 1;       //!< the last frame was, if that matters
        uint64_t markedBytes : 24;    //!< payload that has come marked, modulo 2^24
        uint64_t gap : 24;            //!< number in m_gaps, from 1; 0: there was none

        QueuePair()
            : framesSinceAck(0),
              hasNacked(0),
              wasMarked(0),
              markedBytes(0),
              gap(0)
        {
        }
    };

    static_assert(sizeof(QueuePair) == 32, "a cache line holds two");

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

    static constexpr uint32_t PAGE = 4; //!< sources per page: few, as peers may lie far apart

    using Page = std::array<std::vector<QueuePair>, PAGE>; //!< by source within the page

    /** @param frame a data frame @return source and number of its queue pair */
    static uint64_t GetKey(const Frame& frame)
    {
        return uint64_t{frame.source} << Frame::NUMBER_BITS | frame.GetPair();
    }

    /** @param frame a data frame @return its queue pair */
    QueuePair& Find(const Frame& frame)
    {
        const uint64_t key = GetKey(frame);
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
    /** Take note of a mark. @param frame a marked data frame @param queuePair its @return whether
     * there is to be an ACK for it */
    bool TakeMark(const Frame& frame, QueuePair& queuePair);
    /** Turn a data frame into an answer and send it; nothing is left to acknowledge then. @param frame
     * it @param kind ACK or NACK @param queuePair its */
    void Answer(Frame* frame, FrameKind kind, QueuePair& queuePair);
    /** Notify the sender of congestion. @param frame a marked data frame */
    void SendCnp(const Frame& frame);

    FrameClock* m_clock;                        //!< the clock
    FramePool* m_pool;                          //!< frames
    FrameTransmitter* m_port = nullptr;         //!< where answers go
    RdmaTracer* m_tracer = nullptr;             //!< is told of CNPs, or null
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
