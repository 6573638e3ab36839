// SPDX-License-Identifier: GPL-2.0-only

// Ideal times against a small simulator of frames that shares no code with them, and by hand.

#include "ns3/collective-bound.h"
#include "ns3/collective-operation.h"
#include "ns3/ideal-time.h"
#include "ns3/locality.h"
#include "ns3/point-to-point-algorithm.h"
#include "ns3/ring-algorithm.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <sstream>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What a star of accelerators around one switch is like. */
struct StarSetting
{
    uint32_t size = 2;          //!< accelerators
    uint64_t bitRate = 0;       //!< of each link, bits per second
    uint64_t delayPs = 0;       //!< of each link
    uint32_t mtu = 4096;        //!< payload of a full frame
    uint32_t dataOverhead = 82; //!< wire bytes of a data frame beyond payload
    uint32_t ackSize = 86;      //!< wire bytes of an acknowledgment
    uint32_t framesPerAck = 1;  //!< data frames per acknowledgment
    uint64_t stepLatencyPs = 0; //!< software latency of a send
    bool isFluid = false;       //!< over rates instead of frames
    double wireOverhead = 1;    //!< fluid: bytes carried per payload byte
    uint64_t fluidDelayPs = 0;  //!< fluid: once per message
    uint64_t trunkBitRate = 0;  //!< of a link between two switches, each with half the star; 0 none
    bool isRelayed = false;     //!< odd to even goes through accelerator 0
    uint32_t firstOverhead = 16; //!< more of dataOverhead in the first frame of a message
};

/** Accelerators around one switch. */
class StarLocality : public Locality
{
  public:
    /** @param setting what it is like */
    explicit StarLocality(const StarSetting& setting)
        : m_setting(setting)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return m_setting.size;
    }

    uint32_t GetDomain(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return accelerator;
    }

    Path GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t) const override
    {
        Path path;
        if (m_setting.isRelayed && source != 0 && destination != 0)
        {
            path.legs = {MakeLeg(source, 0), MakeLeg(0, destination)};
            path.relays = {0};
        }
        else
        {
            path.legs = {MakeLeg(source, destination)};
        }
        return path;
    }

  private:
    /**
     * @param source an accelerator
     * @param destination another
     * @return the way through the switch
     */
    PathLeg MakeLeg(uint32_t source, uint32_t destination) const
    {
        PathLeg leg;
        leg.isFluid = m_setting.isFluid;
        leg.wireOverhead = m_setting.wireOverhead;
        leg.fluidDelay = PicoSeconds(m_setting.fluidDelayPs);
        leg.mtu = m_setting.mtu;
        leg.dataOverhead = m_setting.dataOverhead;
        leg.firstOverhead = m_setting.firstOverhead;
        leg.ackSize = m_setting.ackSize;
        leg.framesPerAck = m_setting.framesPerAck;
        const DataRate rate(m_setting.bitRate);
        const Time delay = PicoSeconds(m_setting.delayPs);
        leg.links = {{2ULL * source, rate, delay}, {2ULL * destination + 1, rate, delay}};
        if (m_setting.trunkBitRate > 0)
        {
            const PathLink trunk{1000 + source, DataRate(m_setting.trunkBitRate), delay};
            leg.links.insert(leg.links.begin() + 1, trunk);
        }
        leg.ackLinks = {{2ULL * destination, rate, delay}, {2ULL * source + 1, rate, delay}};
        return leg;
    }

    StarSetting m_setting; //!< what it is like
};

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

/**
 * @param operation what
 * @param bytes S
 * @param size N
 * @param channels number of rings
 * @return its steps
 */
std::shared_ptr<const StepProgram>
MakeProgram(CollectiveOperation operation, uint64_t bytes, uint32_t size, uint32_t channels = 1)
{
    std::vector<uint32_t> accelerators(size);
    if (operation == CollectiveOperation::POINT_TO_POINT)
    {
        return CreateObject<PointToPointAlgorithm>()->MakeProgram({operation, bytes, 0},
                                                                  accelerators,
                                                                  nullptr);
    }
    Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>();
    ring->SetAttribute("Channels", UintegerValue(channels));
    return ring->MakeProgram({operation, bytes, 0}, accelerators, nullptr);
}

/**
 * @param program the steps
 * @param setting what the star is like
 * @return the ideal time, in ps
 */
double
GetIdeal(const StepProgram& program, const StarSetting& setting)
{
    std::vector<uint32_t> accelerators(program.GetSize());
    std::iota(accelerators.begin(), accelerators.end(), 0);
    StarSetting sized = setting;
    sized.size = program.GetSize();
    StepCosts costs;
    costs.latency = PicoSeconds(setting.stepLatencyPs);
    return static_cast<double>(
        EvaluateIdealTime(program, accelerators, CreateObject<StarLocality>(sized), costs)
            .GetPicoSeconds());
}

/**
 * @param program the steps
 * @param setting what the star is like
 * @return the bound, in ps
 */
double
GetBound(const StepProgram& program, const StarSetting& setting)
{
    std::vector<uint32_t> accelerators(program.GetSize());
    std::iota(accelerators.begin(), accelerators.end(), 0);
    return static_cast<double>(
        GetBandwidthBound(program, accelerators, CreateObject<StarLocality>(setting))
            .GetPicoSeconds());
}

/** Ideal time and frame simulation agree. */
class FramesTestCase : public TestCase
{
  public:
    FramesTestCase()
        : TestCase("Ideal times are within 0.2 % of a simulation of every frame")
    {
    }

  private:
    /** One comparison. */
    struct Case
    {
        CollectiveOperation operation; //!< what
        uint64_t bytes;                //!< S
        uint32_t channels;             //!< rings
        StarSetting setting; //!< size, bit/s, delay (ps), MTU, overhead, ACK, per ACK, latency (ps)
    };

    void DoRun() override
    {
        constexpr auto REDUCE = CollectiveOperation::ALL_REDUCE;
        constexpr auto GATHER = CollectiveOperation::ALL_GATHER;
        constexpr auto SCATTER = CollectiveOperation::REDUCE_SCATTER;
        constexpr auto POINT = CollectiveOperation::POINT_TO_POINT;
        constexpr uint64_t G = 1'000'000'000;
        const Case cases[] = {
            {POINT, 256'000'000, 1, {2, 400 * G, 500'000, 4096, 82, 86, 1, 0}},
            {POINT, 1'000'000, 1, {2, 400 * G, 500'000, 1024, 82, 86, 1, 6'000'000}},
            {SCATTER, 256'000'000, 1, {2, 400 * G, 500'000, 4096, 82, 86, 1, 0}},
            {REDUCE, 32'000'000, 1, {2, 100 * G, 1'000, 4096, 82, 86, 1, 0}},
            {REDUCE, 3'000'000, 1, {3, 100 * G, 1'000'000, 1000, 48, 84, 1, 0}},
            {GATHER, 16'000'000, 1, {8, 400 * G, 500'000, 4096, 82, 86, 1, 0}},
            {REDUCE, 16'777'216, 1, {8, 400 * G, 1'000, 9000, 82, 86, 1, 6'000'000}},
            {GATHER, 1'000'000, 1, {8, 100 * G, 5'000, 256, 82, 86, 1, 0}},
            {GATHER, 4'000'000, 1, {16, 800 * G, 20'000, 4096, 82, 86, 1, 1'000'000}},
            {REDUCE, 4'000'000, 1, {16, 100 * G, 5'000'000, 1024, 82, 86, 1, 0}},
            {GATHER, 1'000'000, 1, {64, 100 * G, 5'000, 4096, 82, 86, 1, 0}},
            {SCATTER, 1'000'000, 1, {64, 400 * G, 500'000, 1024, 82, 86, 1, 0}},
            {GATHER, 3'333'333, 1, {64, 100 * G, 5'000, 4096, 82, 86, 1, 0}},
            {SCATTER, 1'000'003, 1, {64, 100 * G, 5'000, 1500, 82, 86, 1, 6'000'000}},
            {GATHER, 2'000'000, 1, {5, 100 * G, 100'000, 1024, 82, 86, 4, 0}},
            {REDUCE, 4'000'000, 2, {4, 400 * G, 200'000, 4096, 82, 86, 1, 0}},
            {GATHER, 8'000'000, 4, {8, 400 * G, 500'000, 4096, 82, 86, 1, 1'000'000}},
        };
        for (const Case& c : cases)
        {
            const auto program = MakeProgram(c.operation, c.bytes, c.setting.size, c.channels);
            FrameSimulation simulation(*program, c.setting);
            const double simulated = static_cast<double>(simulation.Run());
            const double ideal = GetIdeal(*program, c.setting);
            const double bound = GetBound(*program, c.setting);
            std::ostringstream name;
            name << llm::GetName(c.operation) << " of " << c.bytes << " B, " << c.setting.size
                 << " ranks, MTU " << c.setting.mtu << ", delay " << c.setting.delayPs << " ps";
            NS_TEST_EXPECT_MSG_EQ_TOL(ideal / simulated, 1, 0.002, name.str());
            NS_TEST_EXPECT_MSG_LT(bound, simulated, "bound of " << name.str());
            NS_TEST_EXPECT_MSG_LT(bound, ideal, "bound of " << name.str());
        }
    }
};

/** A program written down step by step. */
class ScriptProgram : public StepProgram
{
  public:
    using Lanes = std::vector<std::vector<Step>>; //!< of a rank

    /** @param ranks lanes of each rank */
    explicit ScriptProgram(std::vector<Lanes> ranks)
        : m_ranks(std::move(ranks))
    {
    }

    uint32_t GetSize() const override
    {
        return static_cast<uint32_t>(m_ranks.size());
    }

    uint32_t GetLaneCount(uint32_t rank) const override
    {
        return static_cast<uint32_t>(m_ranks[rank].size());
    }

    uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const override
    {
        return static_cast<uint32_t>(m_ranks[rank][lane].size());
    }

    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override
    {
        return m_ranks[rank][lane][index];
    }

  private:
    std::vector<Lanes> m_ranks; //!< by rank
};

/**
 * @param kind of step
 * @param peer its peer
 * @param bytes its bytes
 * @param place its place
 * @return the step
 */
Step
MakeStep(Step::Kind kind, uint32_t peer, uint64_t bytes, uint32_t place = 0)
{
    Step step;
    step.kind = kind;
    step.peer = peer;
    step.bytes = bytes;
    step.place = place;
    return step;
}

/** Single messages and fluid domains, by hand. */
class ByHandTestCase : public TestCase
{
  public:
    ByHandTestCase()
        : TestCase("Ideal times of single messages and of fluid domains are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        // 100 Gb/s: 80 ps a byte. 10,000 B are 3 frames: 4194, 4178 and 1890 B on the wire; the
        // switch stores the first one: (10262 + 4194) x 80 ps and two delays of 1 us.
        StarSetting star;
        star.bitRate = 100'000'000'000;
        star.delayPs = 1'000'000;
        const auto message = MakeProgram(CollectiveOperation::POINT_TO_POINT, 10'000, 2);
        constexpr double ALONE = (10'262 + 4'194) * 80 + 2'000'000;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(*message, star), ALONE, 1, "three frames");
        const auto empty = MakeProgram(CollectiveOperation::POINT_TO_POINT, 0, 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(*empty, star), 2 * 98 * 80 + 2'000'000, 1, "no payload");

        // Over a trunk of half the rate the two full frames follow each other at its rate, and the
        // short last one, soon done there, waits for the second of them behind it.
        star.trunkBitRate = 50'000'000'000;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(*message, star),
                                  4'194 * (80 + 160) + 4'178 * (160 + 80) + 1'890 * 80 + 3'000'000,
                                  1,
                                  "slow trunk");
        star.trunkBitRate = 400'000'000'000;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(*message, star),
                                  10'262 * 80 + 4'194 * 20 + 4'194 * 80 + 3'000'000,
                                  1,
                                  "fast trunk");
        star.trunkBitRate = 0;

        // Through a relay: twice, and the relay's acknowledgment of the last frame goes first.
        star.isRelayed = true;
        const ScriptProgram relayed(
            {{}, {{MakeStep(Step::SEND, 2, 12'288)}}, {{MakeStep(Step::RECEIVE, 1, 12'288)}}});
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(relayed, star),
                                  2 * ((2 * 4'194 + 2 * 4'178) * 80 + 2'000'000) + 86 * 80,
                                  1,
                                  "relayed");
        // The relay's links carry the message too.
        NS_TEST_EXPECT_MSG_EQ_TOL(GetBound(relayed, star), 12'288 * 80, 1, "bound of it");
    }
};

/** Fluid domains, by hand. */
class FluidTestCase : public TestCase
{
  public:
    FluidTestCase()
        : TestCase("Ideal times over fluid domains are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        // 8 Gb/s: 1 B/ns. At first all three share two by two: 1000 B take 2 us; then 2000 B and
        // 9000 B are left with a link each.
        StarSetting fluid;
        fluid.isFluid = true;
        fluid.bitRate = 8'000'000'000;
        fluid.fluidDelayPs = 300'000;
        const ScriptProgram shared(
            {{{MakeStep(Step::SEND, 2, 1'000)}, {MakeStep(Step::SEND, 1, 10'000)}},
             {{MakeStep(Step::SEND, 2, 3'000)}, {MakeStep(Step::RECEIVE, 0, 10'000)}},
             {{MakeStep(Step::RECEIVE, 0, 1'000)}, {MakeStep(Step::RECEIVE, 1, 3'000)}}});
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(shared, fluid), 11'300'000, 1, "10 kB end last");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetBound(shared, fluid), 11'000'000, 1, "11 kB leave rank 0");
        // Without the 10 kB: 1000 B still get half of rank 2's link, until 2 us; 3000 B until 4 us.
        const ScriptProgram incast(
            {{{MakeStep(Step::SEND, 2, 1'000)}},
             {{MakeStep(Step::SEND, 2, 3'000)}},
             {{MakeStep(Step::RECEIVE, 0, 1'000), MakeStep(Step::RECEIVE, 1, 3'000)}}});
        fluid.wireOverhead = 1.5;
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(incast, fluid), 6'300'000, 1, "incast, 6000 B carried");

        // Two layers: 8 accelerators at 2400 Gb/s, 6 us of software latency a step, all-reduce of
        // 16 MiB and of 64 MiB: 14 (6 us + S / 8 / rate) each. With 556 us of compute a layer the
        // published alpha-beta figure is 1769 us.
        StarSetting domain;
        domain.isFluid = true;
        domain.bitRate = 2'400'000'000'000;
        domain.stepLatencyPs = 6'000'000;
        double total = 2 * 556e6;
        for (const uint64_t mebibytes : {16, 64})
        {
            const auto program = MakeProgram(CollectiveOperation::ALL_REDUCE, mebibytes << 20, 8);
            const double ideal = GetIdeal(*program, domain);
            NS_TEST_EXPECT_MSG_EQ_TOL(ideal,
                                      14 * (6e6 + mebibytes * 1048576.0 / 8 * 8 / 2.4),
                                      20,
                                      mebibytes << " MiB");
            total += ideal;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(total, 1769.3e6, 0.05e6, "two layers");
    }
};

/** Bytes and bandwidths as nccl-tests defines them. */
class BandwidthTestCase : public TestCase
{
  public:
    BandwidthTestCase()
        : TestCase("Bytes per rank, bounds and bus bandwidth follow their closed forms")
    {
    }

  private:
    void DoRun() override
    {
        using Op = CollectiveOperation;
        const uint64_t bytes = 840'000;
        const std::pair<Op, double> factors[] = {{Op::ALL_REDUCE, 2 * 6.0 / 7},
                                                 {Op::ALL_GATHER, 6.0 / 7},
                                                 {Op::REDUCE_SCATTER, 6.0 / 7}};
        StarSetting star;
        star.bitRate = 100'000'000'000;
        for (const auto& [operation, factor] : factors)
        {
            const CollectiveRequest request{operation, bytes, 0};
            const auto program = MakeProgram(operation, bytes, 7);
            NS_TEST_EXPECT_MSG_EQ_TOL(GetBytesPerRank(request, 7), factor * bytes, 1e-6, "bytes");
            NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*program, 3),
                                  static_cast<uint64_t>(std::llround(factor * bytes)),
                                  "exactly");
            NS_TEST_EXPECT_MSG_EQ_TOL(GetBound(*program, star), factor * bytes * 80, 1, "bound");
            // at the bound, bus bandwidth is the line rate
            NS_TEST_EXPECT_MSG_EQ_TOL(
                static_cast<double>(
                    GetBusBandwidth(request, 7, PicoSeconds(std::llround(factor * bytes * 80)))
                        .GetBitRate()),
                1e11,
                1e6,
                "bus bandwidth");
        }
        // 1 GB in 10 ms among 8 is 100 GB/s and 175 GB/s
        const CollectiveRequest request{Op::ALL_REDUCE, 1'000'000'000, 0};
        NS_TEST_EXPECT_MSG_EQ(GetAlgorithmBandwidth(request, MilliSeconds(10)),
                              DataRate("800Gbps"),
                              "algorithm bandwidth");
        NS_TEST_EXPECT_MSG_EQ(GetBusBandwidth(request, 8, MilliSeconds(10)),
                              DataRate("1400Gbps"),
                              "bus bandwidth");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetBytesPerRank({Op::POINT_TO_POINT, 5, 0}, 2), 5, 0, "sender");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetBytesPerRank({Op::ALL_REDUCE, 5, 0}, 1), 0, 0, "alone");
    }
};

/** All of them. */
class CollectiveIdealTestSuite : public TestSuite
{
  public:
    CollectiveIdealTestSuite()
        : TestSuite("llm-fabric-collective-ideal", TestSuite::Type::UNIT)
    {
        AddTestCase(new ByHandTestCase);
        AddTestCase(new FluidTestCase);
        AddTestCase(new BandwidthTestCase);
        AddTestCase(new FramesTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveIdealTestSuite g_collectiveIdealTestSuite; //!< registers the suite

} // namespace
