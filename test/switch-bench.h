// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SWITCH_BENCH_H
#define LLM_FABRIC_SWITCH_BENCH_H

#include "ns3/fabric-network.h"
#include "ns3/identity-hash.h"
#include "ns3/time-resolution.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A network whose terminals do what a test says: queue frames of any class, and pause.
 */

namespace ns3::llm
{

/** A network with bare terminals, and a record of what came in. Resets attribute defaults at its end. */
class SwitchBench
{
  public:
    /** A frame that a terminal received. */
    struct Arrival
    {
        uint64_t tick;        //!< when it was there
        uint32_t terminal;    //!< who got it
        uint64_t psn;         //!< its number
        uint8_t trafficClass; //!< its class
        bool isMarked;        //!< congestion experienced
    };

    SwitchBench()
    {
        UsePicoseconds();
        clock = Create<FrameClock>();
        network = CreateObject<FabricNetwork>();
        network->SetClock(clock);
        clock->SetHandler(FrameEventKind::TEST, &SwitchBench::HandleTest);
        m_object = clock->AddObject(this);
    }

    ~SwitchBench()
    {
        Simulator::Destroy();
        network->Dispose();
        Config::Reset();
    }

    SwitchBench(const SwitchBench&) = delete;
    SwitchBench& operator=(const SwitchBench&) = delete;

    /** @return vertex of a new terminal */
    uint32_t AddTerminal()
    {
        const auto terminal = static_cast<uint32_t>(m_terminals.size());
        m_terminals.push_back(std::make_unique<Terminal>(*this, terminal));
        const uint32_t vertex = network->AddTerminal(CreateObject<Node>(),
                                                     terminal,
                                                     "terminal " + std::to_string(terminal));
        network->SetTerminalOwner(terminal, m_terminals.back().get());
        return vertex;
    }

    /** @param place its place @return vertex of a new switch */
    uint32_t AddSwitch(uint32_t place)
    {
        return network->AddSwitch(CreateObject<Node>(), 0, place, "hub " + std::to_string(place));
    }

    /** One switch; its port i leads to terminal i. @param count terminals @param rate of each link
     * @param delay of each link */
    void MakeStar(uint32_t count, const std::string& rate, Time delay = MicroSeconds(1))
    {
        std::vector<uint32_t> terminals;
        for (uint32_t i = 0; i < count; ++i)
        {
            terminals.push_back(AddTerminal());
        }
        const uint32_t hub = AddSwitch(0);
        for (const uint32_t terminal : terminals)
        {
            network->Connect(terminal, hub, DataRate(rate), delay);
        }
        if (beforeBuild)
        {
            beforeBuild();
        }
        network->Build();
    }

    /** Do something in a frame event. @param tick when, after 0 @param what it */
    void At(uint64_t tick, std::function<void()> what)
    {
        m_jobs.emplace(tick, std::move(what));
        clock->RequestAt(tick, FrameEventKind::TEST, m_object);
    }

    /**
     * A terminal queues data frames at its port.
     * @param tick when
     * @param source it
     * @param destination who is to get them
     * @param count so many
     * @param bytes wire bytes of each
     * @param trafficClass their class
     * @param psn number of the first
     */
    void Send(uint64_t tick,
              uint32_t source,
              uint32_t destination,
              uint32_t count,
              uint32_t bytes,
              uint8_t trafficClass = 3,
              uint64_t psn = 0)
    {
        At(tick,
           [this, source, destination, count, bytes, trafficClass, psn]()
           {
               for (uint32_t i = 0; i < count; ++i)
               {
                   Frame* frame = network->GetPool().Take();
                   *frame = Frame();
                   frame->kind = FrameKind::DATA;
                   frame->source = source;
                   frame->destination = destination;
                   frame->wireBytes = static_cast<uint16_t>(bytes);
                   frame->trafficClass = trafficClass;
                   frame->psn = psn + i;
                   frame->identity = static_cast<uint32_t>(MixHash(source, psn + i));
                   Port(source).Enqueue(frame);
               }
           });
    }

    /** A terminal stops its switch, or has it go on. @param tick when @param terminal it @param stop
     * whether it stops @param trafficClass which class */
    void Pause(uint64_t tick, uint32_t terminal, bool stop, uint8_t trafficClass = 3)
    {
        At(tick,
           [this, terminal, stop, trafficClass]()
           { Port(terminal).SendPause(trafficClass, stop); });
    }

    /** @param terminal a terminal @return its port */
    FrameTransmitter& Port(uint32_t terminal)
    {
        return network->GetTerminalPort(terminal)->GetTransmitter();
    }

    /** @param terminal a terminal @return the port at the other end */
    FrameTransmitter& ToTerminal(uint32_t terminal)
    {
        return *Port(terminal).GetPeer();
    }

    Ptr<FrameClock> clock;             //!< the clock
    Ptr<FabricNetwork> network;        //!< the network
    std::vector<Arrival> arrivals;     //!< at terminals, in order
    std::function<void()> beforeBuild; //!< called when all is connected; set first

  private:
    /** What owns the port of a terminal. */
    class Terminal : public FrameSink
    {
      public:
        /** @param bench whose it is @param number its number */
        Terminal(SwitchBench& bench, uint32_t number)
            : m_bench(bench),
              m_number(number)
        {
        }

        void ReceiveFrame(uint16_t, const TransitFrame& transit) override
        {
            const Frame& frame = *transit.Store();
            m_bench.arrivals.push_back({m_bench.clock->NowTicks(),
                                        m_number,
                                        frame.psn,
                                        frame.trafficClass,
                                        (frame.flags & Frame::MARKED) != 0});
            m_bench.network->GetPool().Give(transit.frame);
        }

        void BufferReleased() override
        {
        }

        void PortReady(uint16_t) override
        {
        }

      private:
        SwitchBench& m_bench; //!< whose it is
        uint32_t m_number;    //!< its number
    };

    /** Do what is due. @param object the bench */
    static void HandleTest(void* object)
    {
        auto self = static_cast<SwitchBench*>(object);
        const auto due = self->m_jobs.equal_range(self->clock->NowTicks());
        for (auto it = due.first; it != due.second; ++it)
        {
            it->second();
        }
        self->m_jobs.erase(due.first, due.second);
    }

    uint32_t m_object;                                     //!< number at the clock
    std::multimap<uint64_t, std::function<void()>> m_jobs; //!< by tick
    std::vector<std::unique_ptr<Terminal>> m_terminals;    //!< owners, by number
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SWITCH_BENCH_H
