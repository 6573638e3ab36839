// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BALANCER_BENCH_H
#define LLM_FABRIC_BALANCER_BENCH_H

#include "ns3/frame-transmitter.h"
#include "ns3/identity-hash.h"
#include "ns3/load-balancer.h"
#include "ns3/time-resolution.h"

#include "ns3/simulator.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A load balancer at the ports of a switch that is not there.
 */

namespace ns3::llm
{

/** Ports with links, whose queues a test fills, and a load balancer that looks at them. */
class BalancerBench : public FrameSink
{
  public:
    /** @param rates of the ports */
    explicit BalancerBench(const std::vector<std::string>& rates)
        : ports(rates.size()),
          m_count(rates.size()),
          m_near(new FrameTransmitter[rates.size()]),
          m_far(new FrameTransmitter[rates.size()])
    {
        UsePicoseconds();
        clock = Create<FrameClock>();
        std::iota(ports.begin(), ports.end(), static_cast<uint16_t>(0));
        for (std::size_t i = 0; i < m_count; ++i)
        {
            const auto index = static_cast<uint16_t>(i);
            m_near[i].Install(PeekPointer(clock), &pool, this, index, i);
            m_far[i].Install(PeekPointer(clock), &pool, this, index, i + 100);
            m_near[i].Connect(&m_far[i], DataRate(rates[i]), MicroSeconds(1));
            m_far[i].Connect(&m_near[i], DataRate(rates[i]), MicroSeconds(1));
        }
        clock->SetHandler(FrameEventKind::TEST, &BalancerBench::HandleTest);
        m_object = clock->AddObject(this);
    }

    ~BalancerBench() override
    {
        Simulator::Destroy();
    }

    BalancerBench(const BalancerBench&) = delete;
    BalancerBench& operator=(const BalancerBench&) = delete;

    /** Have a balancer look at the ports. @param balancer it @param seed of the switch @param runSeed of
     * the run @param groups of ports; none: one of all ports */
    void Begin(Ptr<LoadBalancer> balancer,
               uint64_t seed = 5,
               uint64_t runSeed = 1,
               std::vector<LoadBalancer::Ports> groups = {})
    {
        BalancedSwitch view;
        view.clock = PeekPointer(clock);
        view.ports = m_near.get();
        view.terminalPlaces = &places;
        view.runSeed = runSeed;
        view.seed = seed;
        balancer->Begin(view);
        balancer->GroupsChanged(groups.empty() ? std::vector<LoadBalancer::Ports>{ports} : groups);
    }

    /** Do something in a frame event. @param tick when, after 0 @param what it */
    void At(uint64_t tick, std::function<void()> what)
    {
        m_jobs.emplace(tick, std::move(what));
        clock->RequestAt(tick, FrameEventKind::TEST, m_object);
    }

    /** Queue frames at a port, from a frame event. @param port which @param bytes of each frame */
    void Queue(uint16_t port, const std::vector<uint32_t>& bytes)
    {
        for (const uint32_t size : bytes)
        {
            Frame* frame = pool.Take();
            *frame = Frame();
            frame->kind = FrameKind::DATA;
            frame->wireBytes = static_cast<uint16_t>(size);
            frame->trafficClass = 3;
            m_near[port].Enqueue(frame);
        }
    }

    /** Stop class 3 of a port, as its peer asks, from a frame event; in force 2 us later. @param port
     * which */
    void Pause(uint16_t port)
    {
        m_far[port].SendPause(3, true);
    }

    void ReceiveFrame(uint16_t, const TransitFrame& transit) override
    {
        pool.Give(transit.Store());
    }

    void BufferReleased() override
    {
    }

    void PortReady(uint16_t) override
    {
    }

    Ptr<FrameClock> clock;                        //!< the clock
    FramePool pool;                               //!< frames
    LoadBalancer::Ports ports;                    //!< all ports
    std::vector<uint32_t> places{10, 11, 12, 10}; //!< of terminals

  private:
    /** Do what is due. @param object the bench */
    static void HandleTest(void* object)
    {
        auto self = static_cast<BalancerBench*>(object);
        const auto due = self->m_jobs.equal_range(self->clock->NowTicks());
        for (auto it = due.first; it != due.second; ++it)
        {
            it->second();
        }
        self->m_jobs.erase(due.first, due.second);
    }

    std::size_t m_count;                                   //!< ports
    std::unique_ptr<FrameTransmitter[]> m_near;            //!< the ports
    std::unique_ptr<FrameTransmitter[]> m_far;             //!< their peers
    uint32_t m_object;                                     //!< number at the clock
    std::multimap<uint64_t, std::function<void()>> m_jobs; //!< by tick
};

/** A frame that only a balancer looks at. */
struct LoneFrame
{
    /** @param entropy of the frame @param identity of the frame */
    explicit LoneFrame(uint32_t entropy, uint32_t identity = 0)
    {
        frame.entropy = entropy;
        frame.identity = identity;
        frame.trafficClass = 3;
    }

    /** @return it, on its way */
    TransitFrame Get()
    {
        return TransitFrame(&frame);
    }

    Frame frame{}; //!< the frame, of data unless a test says otherwise
};

} // namespace ns3::llm

#endif // LLM_FABRIC_BALANCER_BENCH_H
