// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LINK_BENCH_H
#define LLM_FABRIC_LINK_BENCH_H

#include "ns3/frame-transmitter.h"
#include "ns3/identity-hash.h"
#include "ns3/time-resolution.h"

#include "ns3/simulator.h"

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A single link whose ends do what a test says.
 */

namespace ns3::llm
{

/** Two transmitters on a link: `near` sends what a test queues, `far` sends pauses. */
class LinkBench : public FrameSink
{
  public:
    /** A frame received at the far end. */
    struct Arrival
    {
        uint64_t tick;        //!< when it was there
        uint64_t psn;         //!< its number
        uint8_t trafficClass; //!< its class
        bool isMarked;        //!< congestion experienced

        /** @param other another @return whether they are equal */
        bool operator==(const Arrival& other) const
        {
            return std::tie(tick, psn, trafficClass, isMarked) ==
                   std::tie(other.tick, other.psn, other.trafficClass, other.isMarked);
        }
    };

    /** @param rate of the link @param delay of the link @param isReference reference mode */
    LinkBench(const std::string& rate, Time delay, bool isReference = false)
    {
        UsePicoseconds();
        clock = Create<FrameClock>();
        near.Install(PeekPointer(clock), &pool, this, 0, 1);
        far.Install(PeekPointer(clock), &pool, this, 1, 2);
        near.Connect(&far, DataRate(rate), delay);
        far.Connect(&near, DataRate(rate), delay);
        near.SetReferenceMode(isReference);
        far.SetReferenceMode(isReference);
        clock->SetHandler(FrameEventKind::TEST, &LinkBench::HandleTest);
        m_object = clock->AddObject(this);
    }

    ~LinkBench() override
    {
        Simulator::Destroy();
    }

    /** Do something in a frame event. @param tick when, after 0 @param what it */
    void At(uint64_t tick, std::function<void()> what)
    {
        m_jobs.emplace(tick, std::move(what));
        clock->RequestAt(tick, FrameEventKind::TEST, m_object);
    }

    /** Queue a data frame at the near end. @param tick when @param bytes its size @param trafficClass
     * its class @param psn its number */
    void Queue(uint64_t tick, uint32_t bytes, uint64_t psn, uint8_t trafficClass = 3)
    {
        At(tick,
           [this, bytes, psn, trafficClass]()
           { near.Enqueue(MakeFrame(bytes, psn, trafficClass)); });
    }

    /** The far end pauses or resumes the near one. @param tick when @param stop whether it stops
     * @param trafficClass which class @return when the near end knows it */
    uint64_t Pause(uint64_t tick, bool stop, uint8_t trafficClass = 3)
    {
        At(tick, [this, trafficClass, stop]() { far.SendPause(trafficClass, stop); });
        return tick + far.GetSerializationTicks(PAUSE_WIRE_BYTES) + far.GetDelayTicks();
    }

    /** @param bytes its size @param psn its number @param trafficClass its class @return a frame */
    Frame* MakeFrame(uint32_t bytes, uint64_t psn, uint8_t trafficClass)
    {
        Frame* frame = pool.Take();
        *frame = Frame();
        frame->kind = FrameKind::DATA;
        frame->wireBytes = static_cast<uint16_t>(bytes);
        frame->psn = psn;
        frame->identity = static_cast<uint32_t>(MixHash(77, psn));
        frame->trafficClass = trafficClass;
        return frame;
    }

    void ReceiveFrame(uint16_t port, const TransitFrame& transit) override
    {
        Frame* frame = transit.Store();
        arrivals.push_back({clock->NowTicks(),
                            frame->psn,
                            frame->trafficClass,
                            (frame->flags & Frame::MARKED) != 0});
        receivers.push_back(port);
        pool.Give(frame);
    }

    void BufferReleased() override
    {
    }

    void PortReady(uint16_t) override
    {
        ++readyCalls;
    }

    Ptr<FrameClock> clock;           //!< the clock
    FramePool pool;                  //!< frames
    FrameTransmitter near;           //!< sends what the test queues
    FrameTransmitter far;            //!< the other end
    std::vector<Arrival> arrivals;   //!< frames received at the far end
    std::vector<uint16_t> receivers; //!< port that each came in by
    uint32_t readyCalls = 0;         //!< calls of PortReady()

  private:
    /** Do what is due. @param object the bench */
    static void HandleTest(void* object)
    {
        auto self = static_cast<LinkBench*>(object);
        const auto due = self->m_jobs.equal_range(self->clock->NowTicks());
        for (auto it = due.first; it != due.second; ++it)
        {
            it->second();
        }
        self->m_jobs.erase(due.first, due.second);
    }

    uint32_t m_object;                                     //!< number at the clock
    std::multimap<uint64_t, std::function<void()>> m_jobs; //!< by tick
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LINK_BENCH_H
