// SPDX-License-Identifier: GPL-2.0-only

// Ideal times, bounds and bandwidths by hand.

#include "star-network.h"

#include "ns3/point-to-point-algorithm.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

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
        CollectiveRequest asked{CollectiveOperation::POINT_TO_POINT, 10'000, 0};
        asked.rendezvous = true;
        const auto rendezvous =
            CreateObject<PointToPointAlgorithm>()->MakeProgram(asked, {0, 1}, nullptr);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(*rendezvous, star),
                                  ALONE + (2 * 98 + 86) * 80 + 2'000'000,
                                  1,
                                  "after an empty message the other way and its acknowledgment");

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

/** Messages that share a link behind a switch, by hand. */
class QueueTestCase : public TestCase
{
  public:
    QueueTestCase()
        : TestCase("Ideal times of messages that share a receiver's link are as computed by hand")
    {
    }

  private:
    void DoRun() override
    {
        // 8 Gb/s: 1 B/ns, and frames so small that storing one takes no time. A message M of 1 MB
        // takes 1 ms alone. Rank 0 sends M to 2, rank 1 sends M to 2 and to 3, half of its rate each.
        // At 1 ms M from 0 and half of M from 1 have come to the switch; both have left it at 1.5 ms,
        // when rank 2 answers rank 0. (Even shares of rank 2's link would end M at 2 ms.)
        StarSetting star;
        star.bitRate = 8'000'000'000;
        star.mtu = 100;
        star.dataOverhead = 0;
        star.firstOverhead = 0;
        star.ackSize = 0;
        constexpr uint64_t M = 1'000'000;
        const ScriptProgram answered(
            {{{MakeStep(Step::SEND, 2, M)}, {MakeStep(Step::RECEIVE, 2, M)}},
             {{MakeStep(Step::SEND, 2, M)}, {MakeStep(Step::SEND, 3, M)}},
             {{MakeStep(Step::RECEIVE, 0, M), MakeStep(Step::SEND, 0, M)},
              {MakeStep(Step::RECEIVE, 1, M)}},
             {{MakeStep(Step::RECEIVE, 1, M)}}});
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(answered, star), 2.5e9, 1e6, "answered at 1.5 ms");
        // All three to rank 2: its link carries 3 MB without a pause.
        const ScriptProgram incast({{{MakeStep(Step::SEND, 2, M)}},
                                    {{MakeStep(Step::SEND, 2, M), MakeStep(Step::SEND, 2, M, 1)}},
                                    {{MakeStep(Step::RECEIVE, 0, M)},
                                     {MakeStep(Step::RECEIVE, 1, M)},
                                     {MakeStep(Step::RECEIVE, 1, M, 1)}}});
        NS_TEST_EXPECT_MSG_EQ_TOL(GetIdeal(incast, star), 3e9, 1e6, "incast");
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
        AddTestCase(new QueueTestCase);
        AddTestCase(new FluidTestCase);
        AddTestCase(new BandwidthTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveIdealTestSuite g_collectiveIdealTestSuite; //!< registers the suite

} // namespace
