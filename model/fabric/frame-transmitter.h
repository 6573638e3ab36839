// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_TRANSMITTER_H
#define LLM_FABRIC_FRAME_TRANSMITTER_H

#include "deficit-round-robin.h"
#include "departure-ring.h"
#include "ecn-table.h"
#include "fabric-frame.h"
#include "frame-loss.h"
#include "frame-observer.h"
#include "frame-sink.h"
#include "port-counters.h"
#include "port-tracer.h"
#include "shared-buffer.h"
#include "switch-batch.h"
#include "waiting-frames.h"

#include "ns3/data-rate.h"
#include "ns3/frame-clock.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * The sending half of a port and the link behind it.
 *
 * A departure is fixed when the frame is queued, and the frame costs one event, its arrival. One of a
 * higher class goes ahead of what has not started (strict priority), which then leaves later. A pause
 * takes back what has not started, and so does a class that shares the line by weight with another one;
 * what has waited is decided on one at a time. What has left is settled (queue length, mark, buffer)
 * lazily, before anything could depend on it; while a pause is on in the switch, exactly when it leaves.
 */
class alignas(64) FrameTransmitter
{
  public:
    FrameTransmitter() = default;
    FrameTransmitter(const FrameTransmitter&) = delete;
    FrameTransmitter& operator=(const FrameTransmitter&) = delete;

    /**
     * Set up.
     * @param clock the clock
     * @param pool where dropped frames go
     * @param owner the switch or NIC of this port
     * @param index number of this port at its owner
     * @param place hash of the port's place in its fabric or rail, for random draws
     */
    void
    Install(FrameClock* clock, FramePool* pool, FrameSink* owner, uint16_t index, uint64_t place);

    /**
     * Set the link.
     * @param peer the other end
     * @param rate line rate
     * @param delay propagation
     */
    void Connect(FrameTransmitter* peer, DataRate rate, Time delay);

    /**
     * Let another one take the place of this one, which is not used any more.
     * @param other the other; neither has been set up yet
     */
    void GivePlaceTo(FrameTransmitter& other);

    /**
     * Queue a frame (from a frame event).
     * @param transit the frame, the transmitter's from here on
     * @param ingress port by which it came into this switch; takes the place of the frame's
     */
    void Enqueue(const TransitFrame& transit, uint16_t ingress);

    /** Queue a frame of the owner (from a frame event). @param frame it, the transmitter's then */
    void Enqueue(Frame* frame)
    {
        Enqueue(TransitFrame(frame), frame->ingress);
    }

    /** @return whether a frame queued now would start at once, if its class is not paused */
    bool IsIdle() const
    {
        return m_freeAt <= m_clock->NowTicks() && (m_waitingMask & ~m_pausedMask) == 0;
    }

    /** Fetch what a departure touches. */
    void Prefetch() const
    {
        const auto lines = reinterpret_cast<const char*>(this);
        __builtin_prefetch(lines);
        __builtin_prefetch(lines + 64);
        __builtin_prefetch(lines + 128);
    }

    /** @return tick at which the last frame whose departure is fixed has left */
    uint64_t GetFreeTick() const
    {
        return m_freeAt;
    }

    /**
     * @param trafficClass a class
     * @return whether the peer has stopped it
     */
    bool IsPaused(uint8_t trafficClass) const
    {
        return m_pausedMask >> trafficClass & 1;
    }

    /**
     * @param bytes wire bytes
     * @return time to send them, ps, rounded up
     */
    uint64_t GetSerializationTicks(uint32_t bytes) const
    {
        const uint64_t work = bytes * m_rateTicks;
        return m_rateBytes == 1 ? work : (work + m_rateBytes - 1) / m_rateBytes;
    }

    /**
     * Ask the peer to stop or go on with a class.
     * @param trafficClass the class
     * @param stop stop, else go on
     */
    void SendPause(uint8_t trafficClass, bool stop);

    /** Note that the owner dropped a frame that came in by this port. @param transit the frame
     * @param reason NO_ROOM or NO_ROUTE */
    void CountDrop(const TransitFrame& transit, DropReason reason);

    /**
     * Handle all of before now at both ends, to look at them or to change them. The state of this
     * transmitter is then that of now, as far as nothing happens at this very tick.
     */
    void CatchUp() const;

    /** The network is disposed of: what remains to be seen here is this transmitter's alone. */
    void Detach()
    {
        SetCare(OVER, true);
    }

    /** @return whether there is a tracer */
    bool IsTraced() const
    {
        return m_tracer;
    }

    /** @return whether somebody must see the arrivals in the order of time, beside those elsewhere */
    bool NeedsOrder() const;

    /** Take note of all that has left by now. */
    void Settle()
    {
        SettleUpTo(m_clock->NowTicks());
    }

    /** From now on, settle each departure in an event of its own while the buffer is watched. */
    void Watch();

    /**
     * The link goes down (all frames queued or on it are lost) or comes up.
     * @param isUp whether it is up
     */
    void SetUp(bool isUp);

    /** @return whether the link is up */
    bool IsUp() const
    {
        return (m_needsCare & DOWN) == 0;
    }

    /**
     * Decide every departure when it is due, with one more event a frame: the reference for tests.
     * @param isReference whether to
     */
    void SetReferenceMode(bool isReference)
    {
        SetCare(REFERENCE, isReference);
    }

    /**
     * @param table how to mark, by class
     * @param seed seed of the draws
     */
    void SetEcn(std::shared_ptr<const EcnTable> table, uint64_t seed);
    /** @copydoc SetEcn */
    void SetEcn(const EcnTable& table, uint64_t seed);

    /** @param weights of the classes that share the line by weight; before the first frame */
    void SetWeights(const ClassWeights& weights);

    /** @param tracer is told of everything from here on; outlives the run; nullptr: nobody is */
    void SetTracer(PortTracer* tracer);

    /** @param buffer the switch's buffer; nullptr (as at first) at a NIC */
    void SetBuffer(SharedBuffer* buffer)
    {
        m_buffer = buffer;
    }

    /**
     * @param tick a tick, at or after the last event
     * @return wire bytes of all classes that wait at that tick, without the frame being sent
     */
    uint64_t GetQueueBytes(uint64_t tick) const;

    /** As GetQueueBytes() now, in no more time for a longer queue. @return so many bytes */
    uint64_t TakeQueueBytes()
    {
        Settle();
        uint64_t bytes = 0;
        for (const uint32_t queued : m_queued)
        {
            bytes += queued;
        }
        return bytes;
    }

    /** @return what was counted */
    PortCounters GetCounters() const;

    /**
     * @param trafficClass a class
     * @param tick a tick, at or after the last event
     * @return ps for which the peer had stopped the class up to then
     */
    uint64_t GetPausedTicks(uint8_t trafficClass, uint64_t tick) const;

    /** @param trafficClass a class @return whether frames of it wait without a departure */
    bool HasWaiting(uint8_t trafficClass) const
    {
        return m_waitingMask >> trafficClass & 1;
    }

    /**
     * @param trafficClass a class that is paused
     * @param ports number of ports of the switch
     * @return wire bytes that wait, by the port by which they came into the switch
     */
    std::vector<uint64_t> GetWaitingBytes(uint8_t trafficClass, uint32_t ports) const;

    /** @return the other end, or nullptr */
    FrameTransmitter* GetPeer() const
    {
        return m_peer;
    }

    /** @return its owner */
    FrameSink* GetOwner() const
    {
        return m_owner;
    }

    /** @return its number at its owner */
    uint16_t GetIndex() const
    {
        return m_index;
    }

    /** @return its number at the clock */
    uint32_t GetObject() const
    {
        return m_object;
    }

    /** @return the current tick of its clock */
    uint64_t GetNowTicks() const
    {
        return m_clock->NowTicks();
    }

    /** @return propagation of the link, ps */
    uint64_t GetDelayTicks() const
    {
        return m_delay;
    }

    /** @return line rate */
    DataRate GetRate() const
    {
        return m_rate;
    }

    /** See there. */
    using Observer = FrameObserver;

    /** @param observer sees every arrival from here on, once; must outlive the events to come */
    void AddObserver(Observer* observer);
    /** @param observer sees none from here on */
    void RemoveObserver(const Observer* observer);

    /** @param loss says which frames do not arrive, from here on; outlives the run; nullptr: none */
    void SetLoss(FrameLoss* loss);

    /** @return hash of the port's place in its fabric or rail */
    uint64_t GetPlace() const
    {
        return m_place;
    }

  private:
    friend class SwitchBatch; // is the event loop of all ports of a switch

    static constexpr uint32_t BATCH = 16; //!< waiting frames whose departure is fixed at once

    static constexpr uint8_t DOWN = 1;      //!< the link is down
    static constexpr uint8_t REFERENCE = 2; //!< each departure is decided when due
    static constexpr uint8_t WEIGHTED = 4;  //!< some classes share the line by weight
    static constexpr uint8_t TRACED = 8;    //!< there is a tracer
    static constexpr uint8_t OVER = 16;     //!< the network is disposed of

    /** @param what one of these @param isSo whether it is so */
    void SetCare(uint8_t what, bool isSo)
    {
        m_needsCare = static_cast<uint8_t>(isSo ? m_needsCare | what : m_needsCare & ~what);
    }

    /** Handler of FrameEventKind::ARRIVAL. @param object the transmitter */
    static void HandleArrival(void* object);
    /** Handler of FrameEventKind::DEPARTURE. @param object the transmitter */
    static void HandleDeparture(void* object);
    /** A departure event is due. */
    void Depart();

    /** Have the far end handle a frame that is first on the link. @param tick when it arrives */
    void ScheduleArrival(uint64_t tick)
    {
        if (m_farBatch)
        {
            m_farBatch->NoteArrival(tick, m_farInput);
        }
        else
        {
            m_clock->ScheduleFrame(tick, FrameEventKind::ARRIVAL, m_object);
        }
    }

    /** Have a departure event. @param tick when */
    void ScheduleDeparture(uint64_t tick);
    /** Hints before an arrival, from far to near. @param object the transmitter */
    static void FetchFront(const void* object);
    /** @copydoc FetchFront */
    static void Prepare(const void* object);
    /** @copydoc FetchFront */
    static void PrepareNext(const void* object);
    /** The first frame on the link has arrived. */
    void Arrive();
    /** See whether a frame that is at the far end is lost, else show it. @param transit the frame
     * @return whether it has arrived */
    bool Inspect(const TransitFrame& transit);
    /** Somebody looks at arrivals from now on, or does no longer: tell the receiver. */
    void ObserversChanged();
    /** Learn who receives, and tell the other end. */
    void MeetPeer();

    /** Take note of what has left by a tick. @param now the tick */
    void SettleUpTo(uint64_t now);

    /** Take note of the first departure that is not settled. */
    void SettleOne();

    /** As SettleUpTo(), cheap for several. @copydoc SettleUpTo */
    void SettleSeveral(uint64_t now);

    /** Take note of what has left by a tick up to a departure at which more happens. @param now it
     * @return whether there was no such departure */
    bool SettlePlainly(uint64_t now);

    /** @return what waits, made if it is the first */
    WaitingFrames& GetWaiting()
    {
        if (!m_waiting)
        {
            m_waiting = std::make_unique<WaitingFrames>();
        }
        return *m_waiting;
    }

    /** Fix the departure of a frame after all others. @param transit the frame @param ingress its
     * @param start when its transmission starts @param end when it ends */
    void Append(const TransitFrame& transit, uint16_t ingress, uint64_t start, uint64_t end);

    /** As Append(), when all that has left is settled. @param transit the frame @param ingress its
     * @param now ps */
    void Commit(const TransitFrame& transit, uint16_t ingress, uint64_t now);

    /** @return whether departures must be exact */
    bool IsWatched() const
    {
        return m_buffer && m_buffer->IsWatched();
    }

    /** @param departure a fixed departure @return when its transmission starts */
    uint64_t GetStart(const TransitFrame& departure) const
    {
        return departure.arrivalTick - m_delay - GetSerializationTicks(departure.wireBytes);
    }

    /** Count a frame that is queued. @param transit the frame */
    void Count(const TransitFrame& transit)
    {
        uint32_t& queued = m_queued[transit.trafficClass];
        queued += transit.wireBytes;
        if (queued > m_maxQueued)
        {
            NoteLongest(queued);
        }
    }

    /** Queue a frame that can perhaps not be fixed at once, or after what has left is settled.
     * @param transit it @param ingress its @param now ps */
    void EnqueueWithCare(const TransitFrame& transit, uint16_t ingress, uint64_t now);
    /** @copydoc EnqueueWithCare */
    void EnqueueByRank(const TransitFrame& transit, uint16_t ingress, uint64_t now);
    /** Note the longest queue so far. @param queued its bytes */
    void NoteLongest(uint32_t queued);

    /** @param trafficClass a class @return its place in the order of service: classes at the same one
     * share by weight */
    uint32_t GetLevel(uint8_t trafficClass) const;
    /** @param trafficClass a class @return whether each departure is decided when due, for now */
    bool DecidesEach(uint8_t trafficClass) const;

    /** @return classes that may send what waits */
    uint32_t GetChoices() const
    {
        return m_waitingMask & ~uint32_t{m_pausedMask};
    }

    /** Fix the departure of a frame ahead of all of lower classes that have not started: they leave
     * later. @param transit the frame @param ingress its */
    void CommitAhead(const TransitFrame& transit, uint16_t ingress);
    /** Fix the departure of the first waiting frame of a class. @param trafficClass the class */
    void CommitWaiting(uint8_t trafficClass);
    /** Take back what has not started: it waits again, ahead of what waits already. */
    void TakeBack();
    /** Decide what leaves now. */
    void Decide();
    /** @param choices classes that may send, not 0 @return the one that does */
    uint8_t Choose(uint32_t choices);
    /** See to it that Decide() runs when the last frame has left. */
    void ScheduleDecision();
    /** Let a frame wait. @param frame the frame */
    void EnqueueSlowly(Frame* frame);
    /** In watched times: have an event at the next departure. */
    void ScheduleSettling();
    /** Stamp telemetry into a data frame. @param departure the frame, which leaves the queue */
    void Stamp(const TransitFrame& departure);
    /** Mark or show a frame that leaves. @param departure the frame @param queue bytes with it */
    void DepartWithCare(TransitFrame& departure, uint32_t queue);
    /** @return queue up to which nothing but the departure itself happens at a departure, bytes */
    uint32_t GetPlainBytes() const;
    /** Have an event when the stops in force have lasted long, if the owner wants to know. */
    void WatchPauses();
    /** Tell the owner if frames have waited long behind a stop. */
    void CheckPauses();
    /** A PFC frame has come in. @param trafficClass class @param stop stop or go on */
    void SetPaused(uint8_t trafficClass, bool stop);
    /** Lose a frame that has not departed. @param frame the frame */
    void LoseQueued(Frame* frame);
    /** Give a frame that is lost with the link back to the pool. @param frame the frame */
    void Lose(Frame* frame);

    // What every frame touches comes first, in the order in which it does: an arrival reads the first
    // cache line, a departure all three.
    DepartureRing m_ring{m_firstRoom.data()}; //!< fixed departures
    FrameClock* m_clock = nullptr;            //!< the clock
    FrameSink* m_receiver = nullptr;          //!< who owns the far end
    uint64_t m_freeAt = 0;                    //!< when the last fixed departure has left
    uint32_t m_object = 0;                    //!< number at the clock
    uint16_t m_receiverPort = 0;              //!< number of the far end at its owner
    uint16_t m_waitingMask = 0;               //!< classes with waiting frames
    uint16_t m_pausedMask = 0;                //!< classes that the peer has stopped
    uint8_t m_fixedClass = 0;  //!< class of the last fixed departure: the others' are not lower
    uint8_t m_needsCare = 0;   //!< DOWN, REFERENCE, WEIGHTED, TRACED, OVER
    bool m_isObserved = false; //!< there are observers or a loss
    uint16_t m_index = 0;      //!< number at the owner
    SharedBuffer* m_buffer = nullptr; //!< the switch's memory
    uint64_t m_rateTicks = 0;         //!< the line sends m_rateBytes in so many ps
    uint64_t m_rateBytes = 1;         //!< without a common factor; 1 at 25G to 1.6T
    uint64_t m_delay = 0;             //!< propagation, ps
    uint64_t m_sentFrames = 0;        //!< frames that have left
    uint64_t m_sentBytes = 0;         //!< wire bytes of these
    std::array<uint32_t, TRAFFIC_CLASSES + 1> m_queued{}; //!< wire bytes not departed, by class
    uint32_t m_maxQueued = 0;                             //!< the largest of these so far
    uint64_t m_carelessTicks =
        0;                    //!< up to such a backlog, ps, nothing depends on what has left by now
    uint64_t m_lastStart = 0; //!< when the last fixed departure starts, or before it
    uint32_t m_plainBytes = UINT32_MAX; //!< see GetPlainBytes()
    SwitchBatch* m_farBatch = nullptr;  //!< batches of the far end, if it has them
    uint16_t m_farInput = 0;            //!< which of its inputs this link is

    alignas(64) std::array<TransitFrame, DepartureRing::FIRST_ROOM> m_firstRoom; //!< of the ring

    // What few frames touch: first what one that may be marked does.
    uint64_t m_seed = 0;                            //!< seed of the draws
    uint64_t m_place = 0;                           //!< hash of the place
    std::shared_ptr<const EcnTable> m_ecn;          //!< marking, if there is any
    PortTracer* m_tracer = nullptr;                 //!< is told of everything
    FrameTransmitter* m_peer = nullptr;             //!< the other end
    FrameSink* m_owner = nullptr;                   //!< switch or NIC
    SwitchBatch* m_ownBatch = nullptr;              //!< batches of the owner, if it has them
    FrameLoss* m_loss = nullptr;                    //!< says which frames do not arrive
    uint64_t m_decisionAt = FrameClock::NEVER;      //!< tick of the decision in force
    uint64_t m_settlingAt = FrameClock::NEVER;      //!< tick of the settling event in force
    uint64_t m_checkAt = FrameClock::NEVER;         //!< tick of the look at stops in force
    std::unique_ptr<WaitingFrames> m_waiting;       //!< frames without a departure
    std::unique_ptr<DeficitRoundRobin> m_scheduler; //!< of classes with weights, if there are any
    PortCounters m_counters;                        //!< what happened, but for what was sent
    FramePool* m_pool = nullptr;                    //!< where lost frames go
    DataRate m_rate;                                //!< line rate
    std::vector<Observer*> m_observers;             //!< see arrivals
};

} // namespace ns3::llm

#include "frame-transmitter-path.h"

#endif // LLM_FABRIC_FRAME_TRANSMITTER_H
