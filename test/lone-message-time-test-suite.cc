// SPDX-License-Identifier: GPL-2.0-only

// The time of a message alone: by hand, frame by frame, and against the packet simulation.

#include "ns3/cluster.h"
#include "ns3/lone-message-time.h"
#include "ns3/object-factory.h"
#include "ns3/topology-helper.h"
#include "ns3/transfer-time.h"

#include "ns3/test.h"

#include "flow-test-support.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * @param rates of the links, Mb/s
 * @return a leg with frames of 1000 B payload, 80 B more and 20 B more in the first; 1 us a link
 */
PathLeg
MakeLeg(const std::vector<uint32_t>& rates)
{
    PathLeg leg;
    leg.mtu = 1000;
    leg.dataOverhead = 80;
    leg.firstOverhead = 20;
    leg.ackSize = 100;
    for (const uint32_t rate : rates)
    {
        leg.links.push_back({leg.links.size(), DataRate(rate * 1000000ull), MicroSeconds(1)});
    }
    leg.ackLinks.assign(leg.links.rbegin(), leg.links.rend());
    return leg;
}

/**
 * Frame by frame: each leaves when it has come and the one before it has left.
 * @param leg the way
 * @param bytes payload
 * @return ps until the last has come
 */
int64_t
FollowFrames(const PathLeg& leg, uint64_t bytes)
{
    std::vector<int64_t> free(leg.links.size(), 0);
    int64_t at = 0;
    uint64_t frames = 0;
    do
    {
        const uint64_t payload = std::min<uint64_t>(bytes, leg.mtu);
        const bool isFirst = frames % leg.framesPerWrite == 0;
        const uint64_t wire = payload + leg.dataOverhead + (isFirst ? leg.firstOverhead : 0);
        at = 0;
        for (std::size_t i = 0; i < leg.links.size(); ++i)
        {
            free[i] =
                std::max(at, free[i]) + GetTransferTime(wire, leg.links[i].rate).GetPicoSeconds();
            at = free[i] + leg.links[i].delay.GetPicoSeconds();
        }
        bytes -= payload;
        ++frames;
    } while (bytes > 0);
    return at;
}

/** By hand. */
class HandTestCase : public TestCase
{
  public:
    HandTestCase()
        : TestCase("Times by hand: one frame, three frames, a fluid domain, a relay")
    {
    }

  private:
    /** @param path a path @param bytes payload @param delivered ps @param acknowledged ps */
    void Expect(const Path& path, uint64_t bytes, int64_t delivered, int64_t acknowledged)
    {
        const LoneMessageTime time = GetLoneMessageTime(path, bytes);
        NS_TEST_EXPECT_MSG_EQ(time.delivered.GetPicoSeconds(), delivered, bytes << " B delivered");
        NS_TEST_EXPECT_MSG_EQ(time.acknowledged.GetPicoSeconds(),
                              acknowledged,
                              bytes << " B acknowledged");
    }

    void DoRun() override
    {
        // 100 Gb/s: 80 ps a byte. An ACK of 100 B takes 2 x (8,000 + 1,000,000) ps back.
        Path path;
        path.legs.push_back(MakeLeg({100000, 100000}));
        Expect(path, 0, 2 * (100 * 80 + 1000000), 2016000 + 2016000);
        Expect(path, 1000, 2 * (1100 * 80 + 1000000), 2176000 + 2016000);
        // 1100, 1080 and 580 B; the first goes ahead: (1100 + 1100 + 1080 + 580) x 80 ps
        Expect(path, 2500, 3860 * 80 + 2000000, 2308800 + 2016000);
        // over a slow second link its three frames follow each other: 1100 x 80 + 2760 x 320 ps
        path.legs[0] = MakeLeg({100000, 25000});
        Expect(path, 2500, 88000 + 883200 + 2000000, 2971200 + 2000000 + 100 * 320 + 8000);

        PathLeg fluid;
        fluid.isFluid = true;
        fluid.wireOverhead = 1.5;
        fluid.fluidDelay = NanoSeconds(300);
        fluid.links = {{7, DataRate("200Gbps"), Time(0)}, {8, DataRate("100Gbps"), Time(0)}};
        path.legs[0] = fluid;
        Expect(path, 1001, 1502 * 80 + 300000, 420160 + 300000); // 1501.5 rounded up
        // two writes of two frames, 1100, 1080, 1100, 580 B, at one rate and over a slow second link
        path.legs[0] = MakeLeg({100000, 100000});
        path.legs[0].framesPerWrite = 2;
        Expect(path, 3500, (3860 + 1100) * 80 + 2000000, 2396800 + 2016000);
        path.legs[0] = fluid;
        // the relay stores all
        path.legs.push_back(MakeLeg({100000, 100000}));
        path.relays = {1};
        Expect(path, 1000, 420000 + 2176000, 2596000 + 300000 + 2016000);
    }
};

/** Against following each frame. */
class FrameTestCase : public TestCase
{
  public:
    FrameTestCase()
        : TestCase("What following each frame gives, over random links, with one write and several")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(1);
        for (int trial = 0; trial < 2000; ++trial)
        {
            std::vector<uint32_t> rates(1 + random() % 6);
            for (uint32_t& rate : rates)
            {
                rate = 1000 + random() % 400000;
            }
            PathLeg leg = MakeLeg(rates);
            leg.framesPerWrite = trial % 3 == 0 ? UINT64_MAX : 1 + random() % 30;
            leg.firstOverhead = trial % 5 == 0 ? 2000 : 20; // longer than a full frame, too
            const uint64_t bytes = random() % (trial % 2 == 0 ? 5000 : 60000);
            Path path;
            path.legs.push_back(leg);
            NS_TEST_ASSERT_MSG_EQ(GetLoneMessageTime(path, bytes).delivered.GetPicoSeconds(),
                                  FollowFrames(leg, bytes),
                                  bytes << " B in trial " << trial);
        }
    }
};

/** Against packets. */
class PacketTestCase : public TestCase
{
  public:
    PacketTestCase()
        : TestCase("A message alone takes that time, and two ticks for the calls at its ends")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string trunk : {"400Gbps", "100Gbps", "30Gbps"})
        {
            for (const uint64_t bytes : {0u, 1u, 4096u, 4097u, 8192u, 100000u, 5000000u})
            {
                SmallNetwork net;
                Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                                   StringValue("ns3::llm::NoCongestionControl"));
                net.MakeDumbbell(1, 1, "100Gbps", trunk);
                net.Send(0, 1, bytes);
                Simulator::Run();
                const auto locality = CreateObject<SmallLocality>(&net);
                const auto ideal = GetLoneMessageTime(locality->GetPath(0, 1, 0, 0), bytes);
                NS_TEST_ASSERT_MSG_EQ(net.delivered.size(), 1, "it has come");
                NS_TEST_EXPECT_MSG_EQ(static_cast<int64_t>(net.delivered[0].tick),
                                      ideal.delivered.GetPicoSeconds() + 2,
                                      bytes << " B over " << trunk << ", delivered");
                // the last frame of 4097 B is shorter than the acknowledgment before its own, which
                // holds that up
                const bool isHeldUp = bytes == 4097;
                const auto excess = static_cast<int64_t>(net.acknowledged[0].tick) -
                                    ideal.acknowledged.GetPicoSeconds();
                NS_TEST_EXPECT_MSG_EQ((excess > 2),
                                      isHeldUp,
                                      bytes << " B over " << trunk << ", acknowledged");
                NS_TEST_EXPECT_MSG_LT(excess,
                                      (isHeldUp ? 86 * 320 : 3),
                                      bytes << " B over " << trunk);
            }
        }
    }
};

/** The suite. */
class LoneMessageTimeTestSuite : public TestSuite
{
  public:
    LoneMessageTimeTestSuite()
        : TestSuite("llm-fabric-lone-message-time", TestSuite::Type::UNIT)
    {
        AddTestCase(new HandTestCase);
        AddTestCase(new FrameTestCase);
        AddTestCase(new PacketTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_loneMessageTimeTestSuite; //!< registers the suite

} // namespace
