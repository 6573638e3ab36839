// SPDX-License-Identifier: GPL-2.0-only

#include "transport-bench.h"

#include "ns3/fluid-network.h"
#include "ns3/max-min-shares.h"
#include "ns3/path-shares.h"
#include "ns3/test.h"

#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * The network between NICs as flows: times by hand, shared links, and shares held against another
 * implementation.
 */

namespace
{

/** Bytes carried per byte of payload, as a multiple of 2^-16. */
constexpr double OVERHEAD = 66848.0 / 65536;
constexpr double FRAME_PS = 4178 * 80; //!< a full frame at 100 Gb/s

/** Times. */
class ByHandTestCase : public TestCase
{
  public:
    ByHandTestCase()
        : TestCase("Messages take payload, overhead, propagation and a stored frame per switch")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 4096 * 250;
        constexpr double ALONE = BYTES * OVERHEAD * 80;
        TransportBench bench("fluid", {}, "SingleSwitch", 3);
        bench.Send(Time(0), 0, 2, BYTES);
        bench.Send(MicroSeconds(500), 0, 2, BYTES);
        bench.Send(MicroSeconds(500), 1, 2, 2 * BYTES);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.delivered.size(), 3u, "all");
        NS_TEST_ASSERT_MSG_EQ(bench.acknowledged.size(), 3u, "all");
        const double delay = 2e6 + FRAME_PS;
        const std::vector<double> expected{ALONE + delay,
                                           500e6 + 2 * ALONE + delay,
                                           500e6 + 3 * ALONE + delay};
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.delivered[i].tick),
                                      expected[i],
                                      10.0,
                                      "message " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.acknowledged[i].tick),
                                      expected[i] + delay,
                                      10.0,
                                      "and known after another delay");
        }
        NS_TEST_EXPECT_MSG_EQ(bench.cluster->GetHops(), 0u, "no frames");
        for (const LinkUse& use : bench.cluster->GetLinkUses(Simulator::Now()))
        {
            const bool isLast = use.name.find("-> accelerator 2") != std::string::npos;
            const bool isFirst =
                use.name.find("accelerator 0") == 0 || use.name.find("accelerator 1") == 0;
            const double carried = isLast ? 4 : isFirst ? 2 : 0;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(use.bytes),
                                      carried * BYTES * OVERHEAD,
                                      2.0,
                                      use.name);
        }
    }
};

/** Links between switches. */
class SharedLinkTestCase : public TestCase
{
  public:
    SharedLinkTestCase()
        : TestCase("Flows that meet between switches share, those that do not do not")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 4096 * 250;
        // links between switches as slow as a tenth of a NIC's, so that they alone limit
        const Settings slow{{"TopologyHelper::SwitchRate", "10Gbps"}};
        std::set<bool> kinds;
        for (uint32_t other = 1; other < 4; ++other)
        {
            TransportBench bench("fluid", slow, "FatTree", 16, 1);
            bench.Send(Time(0), 0, 12, BYTES);
            bench.Send(Time(0), other, 12 + other, BYTES);
            std::set<uint64_t> ids;
            uint32_t shared = 0;
            for (const uint32_t source : {0u, other})
            {
                const auto path = bench.cluster->GetPath(source, 12 + source);
                NS_TEST_EXPECT_MSG_EQ(path.legs[0].isFluid, true, "a fluid leg");
                NS_TEST_EXPECT_MSG_EQ(path.legs[0].links.size(), 6u, "over six links");
                for (const PathLink& link : path.legs[0].links)
                {
                    shared += ids.insert(link.id).second ? 0 : 1;
                }
            }
            kinds.insert(shared > 0);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(bench.delivered.size(), 2u, "all");
            // six links of 1 or 0.5 us; frames stored at two NIC rates and four slow ones
            const double alone = BYTES * OVERHEAD * 800;
            const double expected = shared > 0 ? 2 * alone : alone;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bench.delivered[1].tick),
                                      expected + 4e6 + 4 * 10 * FRAME_PS + FRAME_PS,
                                      10.0,
                                      "to the tick, shared " << shared);
        }
        NS_TEST_EXPECT_MSG_EQ(kinds.size(), 2u, "both kinds were there");
    }
};

/** Shares over paths. */
class PathsTestCase : public TestCase
{
  public:
    PathsTestCase()
        : TestCase("Shares of flows over many links are those of another implementation")
    {
    }

  private:
    static constexpr uint32_t LINKS = 12; //!< resources

    void DoRun() override
    {
        TestRandom random(7);
        MaxMinShares shares(2);
        PathShares reference;
        for (uint32_t link = 0; link < LINKS; ++link)
        {
            const uint64_t capacity = 1'000'000 + random.Next() % 1'000'000;
            if (link >= 2)
            {
                NS_TEST_EXPECT_MSG_EQ(shares.AddResource(), link, "numbers in order");
            }
            shares.SetCapacity(link, capacity);
            reference.AddLink(capacity);
        }
        std::vector<std::pair<uint32_t, uint32_t>> live; // numbers in both
        for (uint32_t round = 0; round < 300; ++round)
        {
            const bool isGoing = live.size() > 20 || (!live.empty() && random.Next() % 3 == 0);
            if (isGoing)
            {
                const std::size_t which = random.Next() % live.size();
                shares.RemoveFlow(live[which].first);
                reference.SetActive(live[which].second, false);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
            }
            else
            {
                std::set<uint32_t> used;
                const std::size_t count = 1 + random.Next() % MaxMinShares::MAX_USES;
                while (used.size() < count)
                {
                    used.insert(static_cast<uint32_t>(random.Next() % LINKS));
                }
                std::vector<PathShares::Use> uses;
                for (const uint32_t link : used)
                {
                    uses.push_back({link, PathShares::UNIT});
                }
                const uint32_t own =
                    shares.AddFlow(std::vector<uint32_t>(used.begin(), used.end()));
                live.emplace_back(own, reference.AddFlow(uses));
                reference.SetActive(live.back().second, true);
            }
            shares.Update();
            reference.Update();
            for (const auto& [own, other] : live)
            {
                NS_TEST_EXPECT_MSG_EQ(shares.GetRate(own), reference.GetRate(other), "rate");
            }
        }
    }
};

/** Suite. */
class FluidNetworkTestSuite : public TestSuite
{
  public:
    FluidNetworkTestSuite()
        : TestSuite("llm-fabric-fluid-network", TestSuite::Type::UNIT)
    {
        AddTestCase(new ByHandTestCase);
        AddTestCase(new SharedLinkTestCase);
        AddTestCase(new PathsTestCase);
    }
};

FluidNetworkTestSuite g_fluidNetworkTestSuite; //!< registers itself

} // namespace
