// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ENGINE_TEST_RECORDER_H
#define LLM_FABRIC_ENGINE_TEST_RECORDER_H

#include "engine-test-support.h"

#include "ns3/frame-clock.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * What the suites about clocks share.
 */

/**
 * @ingroup llm-fabric-test
 * A clock whose objects write down what happens and run what the test gives them.
 */
class Recorder
{
  public:
    /** What an object does in its events. */
    using Action = void (*)(Recorder& recorder, ns3::llm::FrameEventKind kind, uint32_t object);

    /**
     * Constructor.
     * @param objects number of objects
     * @param action what they do; may be nullptr
     */
    explicit Recorder(uint32_t objects, Action action = nullptr)
        : clock(ns3::Create<ns3::llm::FrameClock>()),
          m_action(action)
    {
        clock->SetHandler(ns3::llm::FrameEventKind::DEPARTURE,
                          &Handle<ns3::llm::FrameEventKind::DEPARTURE>);
        clock->SetHandler(ns3::llm::FrameEventKind::ARRIVAL,
                          &Handle<ns3::llm::FrameEventKind::ARRIVAL>);
        clock->SetHandler(ns3::llm::FrameEventKind::NIC_WAKE,
                          &Handle<ns3::llm::FrameEventKind::NIC_WAKE>);
        clock->SetHandler(ns3::llm::FrameEventKind::TEST, &Handle<ns3::llm::FrameEventKind::TEST>);
        m_objects.reserve(objects);
        for (uint32_t i = 0; i < objects; i++)
        {
            m_objects.push_back(Object{this, i, ns3::llm::FrameClock::NEVER, 0});
            clock->AddObject(&m_objects.back());
        }
    }

    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /**
     * @param kind a kind that a recorder handles
     * @return what records call it, which other kinds do not change
     */
    static constexpr uint32_t GetLabel(ns3::llm::FrameEventKind kind)
    {
        return kind == ns3::llm::FrameEventKind::DEPARTURE  ? 1
               : kind == ns3::llm::FrameEventKind::ARRIVAL  ? 2
               : kind == ns3::llm::FrameEventKind::NIC_WAKE ? 8
                                                            : 12;
    }

    ns3::Ptr<ns3::llm::FrameClock> clock; //!< the clock
    std::ostringstream frames;            //!< what the frame events did
    std::ostringstream events;            //!< what the ns-3 events did
    uint32_t budget{0};                   //!< events that may still be scheduled
    bool isPlain{true};                   //!< write only tick, kind and object

  private:
    /** What events are about. */
    struct Object
    {
        Recorder* recorder; //!< whose it is
        uint32_t number;    //!< its number
        uint64_t lastTick;  //!< tick of its last event
        uint64_t kinds;     //!< kinds of its events in this tick, a bit each
    };

    /**
     * Handle an event; only the first one of equal ones.
     * @tparam KIND its kind
     * @param object its object
     */
    template <ns3::llm::FrameEventKind KIND>
    static void Handle(void* object)
    {
        auto& self = *static_cast<Object*>(object);
        Recorder& recorder = *self.recorder;
        const uint64_t now = recorder.clock->NowTicks();
        if (self.lastTick != now)
        {
            self.lastTick = now;
            self.kinds = 0;
        }
        const uint64_t bit = uint64_t(1) << static_cast<uint32_t>(KIND);
        if ((self.kinds & bit) != 0)
        {
            return;
        }
        self.kinds |= bit;
        recorder.frames << now << ":" << GetLabel(KIND) << "." << self.number << " ";
        if (!recorder.isPlain)
        {
            recorder.frames << "(" << ns3::Simulator::Now().GetTimeStep() << " "
                            << ns3::Simulator::GetContext() << ") ";
        }
        if (recorder.m_action)
        {
            recorder.m_action(recorder, KIND, self.number);
        }
    }

    Action m_action;               //!< what objects do
    std::vector<Object> m_objects; //!< by number
};

/**
 * Run a test under both engines.
 * @param run called with nothing, returns what happened
 * @return what happened under the module's engine, then under ns-3's
 */
template <typename Run>
std::pair<std::string, std::string>
RunBoth(Run run)
{
    std::pair<std::string, std::string> results;
    {
        const EngineScope scope(FRAME_ENGINE);
        results.first = run();
    }
    {
        const EngineScope scope(DEFAULT_ENGINE);
        results.second = run();
    }
    return results;
}

#endif // LLM_FABRIC_ENGINE_TEST_RECORDER_H
