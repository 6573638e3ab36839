// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SEND_QUEUE_PAIR_H
#define LLM_FABRIC_SEND_QUEUE_PAIR_H

#include "message-transport.h"
#include "psn-bitmap.h"
#include "rdma-config.h"
#include "rdma-congestion-control.h"
#include "rdma-loss-recovery.h"
#include "send-entropy.h"

#include "ns3/fabric-frame.h"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

class RdmaShareOracle;

/**
 * @ingroup llm-fabric-transport
 * The sending end of a queue pair: which frame is next, what is acknowledged, how fast it may send.
 *
 * Messages take consecutive packet sequence numbers, one per frame, a message of 0 bytes one too. A
 * message of more than RdmaConfig::framesPerWrite frames is several RDMA writes. What is sent again is up to the loss recovery: all from a frame on (GoBack()), or chosen frames, where
 * receivers keep what follows a gap (MarkReceived(), ResendHoles(), ResendAll()).
 */
class alignas(64) SendQueuePair
{
  public:
    /** How the NIC's scheduler sees it. */
    enum Standing : uint8_t
    {
        RESTING, //!< nothing to send, or the window is full
        READY,   //!< in the round of those that may send
        PACED,   //!< waits for its time
    };

    /**
     * @param config of the transport
     * @param index number at the NIC
     * @param destination terminal
     * @param pair number among the queue pairs of (source, destination)
     * @param entropy of its data frames
     * @param identity hash of its place in its owner, for draws
     * @param info what its congestion control may know
     */
    SendQueuePair(const RdmaConfig& config,
                  uint32_t index,
                  uint32_t destination,
                  uint32_t pair,
                  uint32_t entropy,
                  uint64_t identity,
                  const QueuePairInfo& info);

    /** @param message goes to the end of the queue */
    void Post(const Message& message);

    /** @return whether there is a frame to send and the window lets it go */
    bool MaySend() const
    {
        if (__builtin_expect(m_maxFrames != 0, 0))
        {
            return MaySendSelectively();
        }
        return m_nextPsn < m_endPsn &&
               (IsIdle() || GetInFlightBytes() + NextPayload() <= decision.windowBytes);
    }

    /** @return whether nothing is unacknowledged */
    bool IsIdle() const
    {
        return m_nextPsn == m_unackedPsn;
    }

    /** @return whether all that was sent has arrived or is to be sent again */
    bool IsAllSettled() const
    {
        return IsIdle() || (m_maxFrames != 0 && GetInFlightBytes() == 0);
    }

    /** @return payload sent and not acknowledged, nor taken for lost */
    uint64_t GetInFlightBytes() const
    {
        return m_sentBytes - m_ackedBytes - m_asideBytes;
    }

    /**
     * Make the next frame and take it as sent.
     * @param frame set, but for its source
     * @param now ps
     */
    void FillNext(Frame& frame, uint64_t now);

    /**
     * Everything before a PSN has arrived.
     * @param psn the PSN, not beyond what was sent
     * @param completed gets the messages that are complete with it
     * @return payload newly acknowledged
     */
    uint64_t Acknowledge(uint64_t psn, std::vector<Message>& completed);

    /** Send again from the first unacknowledged frame on. */
    void GoBack();

    /**
     * A frame has arrived, perhaps after a gap: it need not be sent again.
     * @param psn its number; of no effect when it is acknowledged or was never sent
     * @return payload newly acknowledged
     */
    uint64_t MarkReceived(uint64_t psn);

    /**
     * Take what has not arrived for lost: send it again, before new frames, once until ResendAll().
     * @param end PSN before which it lies
     * @return whether a recovery begins; the last one is over when all that had been sent at its
     * beginning is acknowledged
     */
    bool ResendHoles(uint64_t end);

    /** Take all that has not arrived for lost, also what was sent again. */
    void ResendAll();

    /** @return first PSN not acknowledged */
    uint64_t GetUnackedPsn() const
    {
        return m_unackedPsn;
    }

    /**
     * For traces.
     * @param psn PSN of the first frame of a write
     * @return payload of the write; 0 when its message is complete and forgotten
     */
    uint64_t GetWriteBytes(uint64_t psn) const;

    /** @return whether there is a frame to send, whatever the window */
    bool HasUnsent() const
    {
        return m_nextPsn < m_endPsn || HasHole();
    }

    /** @return what equal-cost choices of its data frames are made from */
    uint32_t GetEntropy() const
    {
        return m_entropy;
    }

    /** @return PSN after the highest ever sent */
    uint64_t GetHighestPsn() const
    {
        return m_highestPsn;
    }

    /** What chooses entropies learns of an ACK or NACK. @param answer it @param now ps */
    void TakeEcho(const Frame& answer, uint64_t now)
    {
        if (__builtin_expect(m_config.entropy != nullptr, 0))
        {
            const bool isMarked = answer.flags & Frame::MARKED;
            m_config.entropy->OnAck(m_entropyState.get(), answer.entropy, isMarked, now);
        }
    }

    /** What chooses entropies learns of a timeout. @param now ps */
    void TakeTimeout(uint64_t now)
    {
        if (m_config.entropy)
        {
            m_config.entropy->OnTimeout(m_entropyState.get(), now);
        }
    }

    /** Take the decision's rate into account, and cap its window. */
    void UpdatePace();

    /** Send nothing yet; before the first frame. @param tick until then, ps */
    void HoldUntil(uint64_t tick)
    {
        m_lastStartTick = tick;
        nextSendTick = tick;
    }

    /**
     * A receiver says how much of all payload has come to it marked.
     * @param sum modulo 2^24 (Frame's NUMBER_BITS), bytes
     * @param ackedBytes payload newly acknowledged
     * @return of it, what has come marked, bytes
     */
    uint64_t TakeMarkedBytes(uint32_t sum, uint64_t ackedBytes)
    {
        constexpr uint32_t MODULUS = 1u << Frame::NUMBER_BITS;
        const uint32_t marked = (sum - m_markedBytes) % MODULUS;
        if (marked >= MODULUS / 2)
        {
            return 0; // an older ACK that was overtaken
        }
        m_markedBytes = sum;
        return marked < ackedBytes ? marked : ackedBytes;
    }

    /** Serve the control's deadline if it has passed. @param now ps */
    void CatchUp(uint64_t now)
    {
        if (now >= decision.deadlineTicks)
        {
            ServeDeadline(now);
        }
    }

    /** Fetch what sending a frame or an acknowledgment touches. */
    void Prefetch() const
    {
        const auto lines = reinterpret_cast<const char*>(this);
        for (std::size_t at = 0; at < sizeof(*this); at += 64)
        {
            __builtin_prefetch(lines + at);
        }
    }

    // Side by side, as every frame touches most of it.
    SendQueuePair* nextReady = nullptr; //!< the next in the scheduler's round, when READY
    uint64_t nextSendTick = 0;          //!< pacing: not before, ps
    uint64_t pacedTick = 0;             //!< tick of its valid entry in the scheduler, when PACED
    uint64_t progressTick = 0;          //!< when it last made progress (or began to wait), ps
    CongestionDecision decision;        //!< in force
    Standing standing = RESTING;        //!< how the scheduler sees it
    uint8_t timeouts = 0;               //!< in a row
    bool hasFailed = false;             //!< gave up
    bool isTimed = false;               //!< has an entry among the retransmission timers
    bool isSharing = false;             //!< the oracle knows that it has something to send
    uint8_t round = 0;                  //!< which of the scheduler's rounds it belongs to
    const uint32_t index;               //!< number at the NIC
    const uint32_t destination;         //!< terminal
    QueuePairInfo info;                 //!< for the control
    std::byte* const state;             //!< the control's

  private:
    /** A message in the queue. */
    struct Outgoing
    {
        Message message;    //!< the message
        uint64_t firstPsn;  //!< its first frame
        uint64_t endPsn;    //!< after its last frame
        uint64_t firstByte; //!< place of its first byte in all that this queue pair sends
        uint64_t tag;       //!< as it travels
        uint32_t identity;  //!< for draws
    };

    /** What is known of frames after a gap; made with the first one. */
    struct Holes
    {
        /** @param frames most that may lie after a gap */
        explicit Holes(uint32_t frames)
            : received(frames)
        {
        }

        PsnBitmap received;     //!< frames that have arrived, from the first unacknowledged one on
        uint64_t nextPsn = 0;   //!< first frame to be sent again, if before endPsn
        uint64_t endPsn = 0;    //!< after the last one that may have to be sent again
        uint64_t resentEnd = 0; //!< after the last one that was sent again
    };

    /** Serve the control's deadline, which has passed. @param now ps */
    void ServeDeadline(uint64_t now);
    /** MaySend(), where receivers keep what follows a gap. @return whether a frame may go */
    bool MaySendSelectively() const;
    /** @return what is known of frames after a gap */
    Holes& GetHoles();

    /** @return whether there is a frame to be sent again that has not arrived */
    bool HasHole() const
    {
        return m_holes && m_holes->nextPsn < m_holes->endPsn;
    }

    /** Move nextPsn past what has arrived. */
    void SeekHole();
    /** @param psn a frame that was sent and is not acknowledged @return whether it waits to be sent
     * again */
    bool IsHole(uint64_t psn) const;
    /** @param psn a frame of a message that is not complete @return its message */
    const Outgoing& FindMessage(uint64_t psn) const;

    /** @param psn a frame of a message that is not complete @return its payload */
    uint32_t PayloadOf(uint64_t psn) const
    {
        return PayloadAt(FindMessage(psn), psn);
    }

    /** Everything before a PSN has arrived: forget its marks. @param psn the PSN @return payload that
     * had arrived before */
    uint64_t ForgetHoles(uint64_t psn);
    /** @param outgoing a message of several writes @param psn one of its frames @return FIRST, LAST and
     * MORE of the frame */
    uint8_t GetWriteFlags(const Outgoing& outgoing, uint64_t psn) const;
    /** Fill in a frame. @param frame it @param outgoing its message @param psn its number @param now
     * ps */
    void Fill(Frame& frame, const Outgoing& outgoing, uint64_t psn, uint64_t now) const;
    /** A frame is sent: pace the next one, choose its entropy. @param frame it @param now ps */
    void TakeAsSent(Frame& frame, uint64_t now);
    /** Give what chooses entropies its state. */
    void StartEntropy();
    /** Make the first frame that is to be sent again. @param frame set @param now ps */
    void FillHole(Frame& frame, uint64_t now);

    /** @return payload of the next frame */
    uint32_t NextPayload() const
    {
        return PayloadAt(m_outgoing[m_sending], m_nextPsn);
    }

    /** @param outgoing a message @param psn one of its frames @return the frame's payload */
    uint32_t PayloadAt(const Outgoing& outgoing, uint64_t psn) const
    {
        const uint64_t left =
            outgoing.message.bytes - (psn - outgoing.firstPsn) * m_config.mtuBytes;
        return static_cast<uint32_t>(left < m_config.mtuBytes ? left : m_config.mtuBytes);
    }

    /** @param psn in the first message of the queue @return place of that frame's first byte */
    uint64_t ByteAt(uint64_t psn) const;

    /** A state of this size lies in the queue pair itself: that of DCQCN does. */
    static constexpr std::size_t SMALL_STATE_BYTES = 64;

    const RdmaConfig& m_config; //!< of the transport
    uint64_t m_nextPsn = 0;     //!< next to send
    uint64_t m_unackedPsn = 0;  //!< first not acknowledged
    uint64_t m_endPsn = 0;      //!< after the last frame of the last message
    uint64_t m_highestPsn = 0;  //!< after the highest ever sent
    uint64_t m_sentBytes = 0;   //!< payload before m_nextPsn
    uint64_t m_ackedBytes = 0;  //!< payload before m_unackedPsn
    uint64_t m_asideBytes = 0;  //!< payload after m_unackedPsn that has arrived or is to be resent
    uint64_t m_endBytes = 0;    //!< payload before m_endPsn
    uint64_t m_recoveryPsn = 0; //!< the last going back is over when this is acknowledged
    double m_ticksPerByte = 0;  //!< pace, ps; 0: none
    uint64_t m_lastStartTick = 0;   //!< when its last frame started, ps
    uint32_t m_lastWireBytes = 0;   //!< size of its last frame
    uint32_t m_first = 0;           //!< the first message that is not complete
    uint32_t m_sending = 0;         //!< the one that m_nextPsn is in
    uint32_t m_entropy;             //!< of its data frames
    uint64_t m_identity;            //!< hash of its place
    uint32_t m_pair;                //!< number among those of (source, destination)
    uint32_t m_markedBytes = 0;     //!< the last sum of TakeMarkedBytes()
    uint8_t m_attempt = 0;          //!< goings back since the last progress beyond them
    const uint32_t m_maxFrames;     //!< from m_unackedPsn on; 0: in order only, no bound
    std::unique_ptr<Holes> m_holes; //!< made when needed
    boost::container::small_vector<Outgoing, 1> m_outgoing; //!< messages; those before m_first are
                                                            //!< complete
    alignas(std::max_align_t) std::byte m_smallState[SMALL_STATE_BYTES]; //!< memory of the state
    std::unique_ptr<std::byte[]> m_largeState;                           //!< memory of a larger one
    std::unique_ptr<std::byte[]> m_entropyState; //!< state of what chooses entropies, if it has one
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SEND_QUEUE_PAIR_H
