// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_STAR_FRAMES_H
#define LLM_FABRIC_TEST_STAR_FRAMES_H

#include "star-network.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>

/**
 * @file
 * @ingroup llm-fabric-test
 * Accelerators around one switch, frame by frame.
 */

namespace ns3::llm
{

/**
 * Frame by frame: NICs that send acknowledgments first and data frames back to back, round robin
 * over queue pairs, and one switch with a queue per port that stores each frame.
 */
class FrameSimulation
{
  public:
    /**
     * @param program the steps
     * @param setting what the star is like
     */
    FrameSimulation(const StepProgram& program, const StarSetting& setting)
        : m_program(program),
          m_setting(setting),
          m_nics(program.GetSize()),
          m_portFree(program.GetSize(), 0)
    {
    }

    /** @return time of the last delivery, in ps */
    uint64_t Run()
    {
        for (uint32_t rank = 0; rank < m_program.GetSize(); ++rank)
        {
            m_nics[rank].next.resize(m_program.GetLaneCount(rank), 0);
            m_nics[rank].isBusy.resize(m_program.GetLaneCount(rank), false);
            At(0, STEP, [this, rank]() { Advance(rank); });
        }
        while (!m_events.empty())
        {
            const auto [time, kind, sequence] = m_events.begin()->first;
            const std::function<void()> action = std::move(m_events.begin()->second);
            m_events.erase(m_events.begin());
            m_now = time;
            action();
        }
        return m_end;
    }

    uint64_t m_steps = 0; //!< receive steps done

  private:
    /** Kinds of events, in the order within a tick. */
    enum Kind : uint32_t
    {
        ARRIVAL,
        STEP,
        WAKE,
    };

    /** A frame. */
    struct Frame
    {
        uint32_t source = 0;      //!< from
        uint32_t destination = 0; //!< to
        uint64_t wire = 0;        //!< bytes on the wire
        bool isAck = false;       //!< acknowledgment
        bool isLast = false;      //!< last of its message
        uint64_t number = 0;      //!< in its message, from 1
        Step step;                //!< whose message it is
    };

    /** A message that is being sent. */
    struct Sending
    {
        Step step;           //!< of it
        uint64_t sent = 0;   //!< payload bytes
        uint64_t frames = 0; //!< frames
    };

    /** An accelerator with its NIC. */
    struct Nic
    {
        std::deque<Frame> acks;                         //!< go first
        std::map<uint32_t, std::deque<Sending>> queues; //!< by flow
        uint32_t lastFlow = 0;                          //!< served last
        uint64_t freeAt = 0;                            //!< end of the frame being sent
        std::set<std::pair<uint32_t, uint32_t>> come;   //!< (peer, place)
        std::vector<uint32_t> next;                     //!< step by lane
        std::vector<bool> isBusy;                       //!< by lane
    };

    /**
     * @param time when
     * @param kind of event
     * @param action what
     */
    void At(uint64_t time, Kind kind, std::function<void()> action)
    {
        m_events.emplace(std::make_tuple(time, kind, m_sequence++), std::move(action));
    }

    /**
     * @param bytes on the wire
     * @return ps
     */
    uint64_t Tx(uint64_t bytes) const
    {
        return static_cast<uint64_t>(
            std::ceil(static_cast<double>(bytes) * 8e12 / static_cast<double>(m_setting.bitRate)));
    }

    /**
     * Send the next frame of a NIC, if it is free.
     * @param rank whose
     */
    void Wake(uint32_t rank)
    {
        Nic& nic = m_nics[rank];
        if (m_now < nic.freeAt)
        {
            return;
        }
        Frame frame;
        if (!nic.acks.empty())
        {
            frame = nic.acks.front();
            nic.acks.pop_front();
        }
        else if (!nic.queues.empty())
        {
            auto queue = nic.queues.upper_bound(nic.lastFlow);
            queue = queue == nic.queues.end() ? nic.queues.begin() : queue;
            nic.lastFlow = queue->first;
            frame = NextFrame(rank, queue->second.front());
            if (frame.isLast)
            {
                queue->second.pop_front();
            }
            if (queue->second.empty())
            {
                nic.queues.erase(queue);
            }
        }
        else
        {
            return;
        }
        nic.freeAt = m_now + Tx(frame.wire);
        At(nic.freeAt, WAKE, [this, rank]() { Wake(rank); });
        At(nic.freeAt + m_setting.delayPs, ARRIVAL, [this, frame]() { Switch(frame); });
    }

    /**
     * @param rank who sends
     * @param sending the message
     * @return its next frame
     */
    Frame NextFrame(uint32_t rank, Sending& sending)
    {
        const uint64_t payload =
            std::min<uint64_t>(m_setting.mtu, sending.step.bytes - sending.sent);
        sending.sent += payload;
        Frame frame;
        frame.source = rank;
        frame.destination = sending.step.peer;
        frame.wire = payload + m_setting.dataOverhead;
        frame.wire += sending.frames == 0 ? m_setting.firstOverhead : 0;
        frame.isLast = sending.sent == sending.step.bytes;
        frame.number = ++sending.frames;
        frame.step = sending.step;
        return frame;
    }

    /**
     * A frame is in the switch.
     * @param frame it
     */
    void Switch(const Frame& frame)
    {
        uint64_t& free = m_portFree[frame.destination];
        free = std::max(free, m_now) + Tx(frame.wire);
        At(free + m_setting.delayPs, ARRIVAL, [this, frame]() { Receive(frame); });
    }

    /**
     * A frame is at its destination.
     * @param frame it
     */
    void Receive(const Frame& frame)
    {
        if (frame.isAck)
        {
            return;
        }
        const uint32_t rank = frame.destination;
        if (frame.isLast || frame.number % m_setting.framesPerAck == 0)
        {
            Frame ack;
            ack.source = rank;
            ack.destination = frame.source;
            ack.wire = m_setting.ackSize;
            ack.isAck = true;
            m_nics[rank].acks.push_back(ack);
            At(m_now, WAKE, [this, rank]() { Wake(rank); });
        }
        if (frame.isLast)
        {
            m_end = std::max(m_end, m_now);
            m_nics[rank].come.insert({frame.source, frame.step.place});
            At(m_now + 2, STEP, [this, rank]() { Advance(rank); });
        }
    }

    /**
     * Do the steps that a rank can do.
     * @param rank the rank
     */
    void Advance(uint32_t rank)
    {
        Nic& nic = m_nics[rank];
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t lane = 0; lane < nic.next.size(); ++lane)
            {
                if (nic.isBusy[lane] || nic.next[lane] == m_program.GetLaneLength(rank, lane))
                {
                    continue;
                }
                const Step step = m_program.GetStep(rank, lane, nic.next[lane]);
                if (step.dependencyLane != Step::NONE &&
                    nic.next[step.dependencyLane] <= step.dependencyIndex)
                {
                    continue;
                }
                if (step.kind == Step::RECEIVE)
                {
                    const bool done = nic.come.erase({step.peer, step.place}) > 0;
                    nic.next[lane] += done ? 1 : 0;
                    m_steps += done ? 1 : 0;
                    moved |= done;
                    continue;
                }
                nic.isBusy[lane] = true;
                At(m_now + m_setting.stepLatencyPs,
                   STEP,
                   [this, rank, lane, step]()
                   {
                       m_nics[rank].isBusy[lane] = false;
                       ++m_nics[rank].next[lane];
                       m_nics[rank].queues[step.flow].push_back({step, 0, 0});
                       At(m_now, WAKE, [this, rank]() { Wake(rank); });
                       Advance(rank);
                   });
            }
        }
    }

    const StepProgram& m_program;     //!< the steps
    StarSetting m_setting;            //!< what the star is like
    std::vector<Nic> m_nics;          //!< by rank
    std::vector<uint64_t> m_portFree; //!< of the switch, by rank
    uint64_t m_now = 0;               //!< ps
    uint64_t m_end = 0;               //!< last delivery
    uint64_t m_sequence = 0;          //!< of events
    /** What is to do, by (time, kind, sequence). */
    std::map<std::tuple<uint64_t, Kind, uint64_t>, std::function<void()>> m_events;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_STAR_FRAMES_H
