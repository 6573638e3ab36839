// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_TRANSMITTER_H
#define LLM_FABRIC_FRAME_TRANSMITTER_H

#include "departure-ring.h"
#include "fabric-frame.h"
#include "frame-sink.h"
#include "shared-buffer.h"

#include "ns3/data-rate.h"
#include "ns3/frame-clock.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Marking of a port's queue, RED-style on the instantaneous queue at departure (DCQCN, SIGCOMM 2015).
 */
struct EcnProfile
{
    uint32_t minBytes = UINT32_MAX; //!< never marked up to here (Kmin)
    uint32_t maxBytes = UINT32_MAX; //!< always marked above (Kmax)
    double maxProbability = 0;      //!< probability at maxBytes (Pmax)
};

/**
 * @ingroup llm-fabric-fabric
 * What a port has sent and suffered; additive.
 */
struct PortCounters
{
    uint64_t frames = 0;         //!< frames sent
    uint64_t wireBytes = 0;      //!< wire bytes sent
    uint64_t marks = 0;          //!< frames marked
    uint64_t pausesReceived = 0; //!< PFC frames that stopped this port
    uint64_t pausesSent = 0;     //!< PFC frames that stopped the peer
    uint64_t drops = 0;          //!< frames dropped here because the buffer had no room
    uint64_t lost = 0;           //!< frames lost because the link was down
    uint64_t pausedTicks = 0;    //!< time for which a class was stopped, ps, summed over classes
    uint32_t maxQueueBytes = 0;  //!< longest queue of a class seen at an enqueue
};

/**
 * @ingroup llm-fabric-fabric
 * The sending half of a port and the link behind it.
 *
 * While one class alone waits, a departure is fixed when the frame is queued and the frame costs one
 * event, its arrival. When several classes wait, one departure is decided at a time (strict priority,
 * higher class first). A pause, or a frame of another class, takes back what has not started. What
 * has left is settled (queue length, mark, buffer) lazily, before anything could depend on it; while
 * a pause is on in the switch, exactly when it leaves.
 */
class FrameTransmitter
{
  public:
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
     * Queue a frame (from a frame event).
     * @param frame the frame, the transmitter's from here on
     */
    void Enqueue(Frame* frame);

    /** @return whether a frame queued now would start at once, if its class is not paused */
    bool IsIdle() const
    {
        return m_freeAt <= m_clock->NowTicks() && (m_waitingMask & ~m_pausedMask) == 0;
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

    /** Note that the owner dropped a frame that came in by this port. */
    void CountDrop()
    {
        ++m_counters.drops;
    }

    /** Take note of all that has left by now. */
    void Settle();

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
        return m_isUp;
    }

    /**
     * Decide every departure when it is due, with one more event a frame: the reference for tests.
     * @param isReference whether to
     */
    void SetReferenceMode(bool isReference)
    {
        m_isReference = isReference;
    }

    /**
     * @param profile how to mark
     * @param seed seed of the draws
     */
    void SetEcn(const EcnProfile& profile, uint64_t seed)
    {
        m_ecn = profile;
        m_seed = seed;
    }

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

    /** @return what was counted */
    const PortCounters& GetCounters() const
    {
        return m_counters;
    }

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

    /**
     * Called with every frame that arrives over a link: who, where, when.
     */
    class Observer
    {
      public:
        virtual ~Observer() = default;
        /**
         * @param transmitter the sending end of the link
         * @param frame the frame, received whole at the far end
         * @param tick now
         */
        virtual void
        FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) = 0;
    };

    /** @param observer sees every arrival from here on; nullptr: none */
    void SetObserver(Observer* observer)
    {
        m_observer = observer;
    }

    /** @return hash of the port's place in its fabric or rail */
    uint64_t GetPlace() const
    {
        return m_place;
    }

  private:
    static constexpr uint32_t BATCH = 16; //!< waiting frames whose departure is fixed at once

    /** Frames that wait, by class; made when first needed. */
    struct Waiting
    {
        std::array<Frame*, TRAFFIC_CLASSES + 1> head{}; //!< the first of each class
        std::array<Frame*, TRAFFIC_CLASSES + 1> tail{}; //!< the last of each class
    };

    /** Handler of FrameEventKind::ARRIVAL. @param object the transmitter */
    static void HandleArrival(void* object);
    /** Handler of FrameEventKind::DEPARTURE. @param object the transmitter */
    static void HandleDeparture(void* object);
    /** The first frame on the link has arrived. */
    void Arrive();
    /** Fix the departure of a frame after all others. @param frame the frame */
    void Commit(Frame* frame);
    /** Queue a frame behind those of its class. @param frame the frame */
    void PushWaiting(Frame* frame);
    /** Take the first waiting frame of a class. @param trafficClass the class @return the frame */
    Frame* PopWaiting(uint8_t trafficClass);
    /** Take back what has not started: it waits again, ahead of what waits already. */
    void TakeBack();
    /** Decide what leaves now. */
    void Decide();
    /** See to it that Decide() runs when the last frame has left. */
    void ScheduleDecision();
    /** Choose a departure for a queued frame that cannot be fixed at once. @param frame the frame */
    void EnqueueSlowly(Frame* frame);
    /** In watched times: have an event at the next departure. */
    void ScheduleSettling();
    /** Mark a frame if the draw says so. @param departure the frame @param queue bytes with it */
    void MaybeMark(const Departure& departure, uint32_t queue);
    /** A PFC frame has come in. @param trafficClass class @param stop stop or go on */
    void SetPaused(uint8_t trafficClass, bool stop);
    /** Lose a frame that has not departed. @param frame the frame */
    void LoseQueued(Frame* frame);
    /** Give a frame that is lost with the link back to the pool. @param frame the frame */
    void Lose(Frame* frame);

    FrameClock* m_clock = nullptr;            //!< the clock
    FrameTransmitter* m_peer = nullptr;       //!< the other end
    uint64_t m_freeAt = 0;                    //!< when the last fixed departure has left
    uint64_t m_arrivalAt = FrameClock::NEVER; //!< tick of the arrival event in force
    uint64_t m_rateTicks = 0;                 //!< the line sends m_rateBytes in so many ps
    uint64_t m_rateBytes = 1;                 //!< without a common factor; 1 at 25G to 1.6T
    uint64_t m_delay = 0;                     //!< propagation, ps
    DepartureRing m_ring;                     //!< fixed departures
    uint16_t m_waitingMask = 0;               //!< classes with waiting frames
    uint16_t m_pausedMask = 0;                //!< classes that the peer has stopped
    uint16_t m_index = 0;                     //!< number at the owner
    uint8_t m_fixedClass = 0;                 //!< class of the last fixed departure
    bool m_isUp = true;                       //!< link is up
    bool m_isReference = false;               //!< decide each departure when due
    uint32_t m_object = 0;                    //!< number at the clock
    SharedBuffer* m_buffer = nullptr;         //!< the switch's memory
    FrameSink* m_owner = nullptr;             //!< switch or NIC
    Observer* m_observer = nullptr;           //!< sees arrivals
    std::array<uint32_t, TRAFFIC_CLASSES + 1> m_queued{};  //!< wire bytes not departed, by class
    EcnProfile m_ecn;                                      //!< marking
    uint64_t m_decisionAt = FrameClock::NEVER;             //!< tick of the decision in force
    uint64_t m_settlingAt = FrameClock::NEVER;             //!< tick of the settling event in force
    uint64_t m_seed = 0;                                   //!< seed of the draws
    uint64_t m_place = 0;                                  //!< hash of the place
    std::unique_ptr<Waiting> m_waiting;                    //!< frames without a departure
    PortCounters m_counters;                               //!< what happened
    std::array<uint64_t, TRAFFIC_CLASSES> m_pausedSince{}; //!< tick of the stop in force, by class
    FramePool* m_pool = nullptr;                           //!< where lost frames go
    DataRate m_rate;                                       //!< line rate
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_TRANSMITTER_H
