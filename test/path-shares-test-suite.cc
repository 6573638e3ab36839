// SPDX-License-Identifier: GPL-2.0-only

// Max-min fair shares of the links of paths.

#include "ns3/identity-hash.h"
#include "ns3/path-shares.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Sharing by hand. */
class SharesTestCase : public TestCase
{
  public:
    SharesTestCase()
        : TestCase("Links are shared max-min fairly, each use by its weight")
    {
    }

  private:
    void DoRun() override
    {
        using Uses = std::vector<PathShares::Use>;
        constexpr uint32_t ONE = PathShares::UNIT;
        PathShares shares;
        const uint32_t narrow = shares.AddLink(100);
        const uint32_t wide = shares.AddLink(1000);
        const uint32_t a = shares.AddFlow(Uses{{narrow, ONE}, {wide, ONE}});
        const uint32_t b = shares.AddFlow(Uses{{narrow, ONE}});
        const uint32_t c = shares.AddFlow(Uses{{wide, ONE}});
        const uint32_t d = shares.AddFlow(Uses{{wide, ONE / 2}});
        const uint32_t free = shares.AddFlow(Uses{});
        for (const uint32_t flow : {a, b, c, d, free})
        {
            shares.SetActive(flow, true);
        }
        shares.Update();
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(a), 50u, "half of the narrow link");
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(b), 50u, "half of the narrow link");
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(c), 633u, "950 over 1 + 1/2, rounded down");
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(d), 633u, "the same rate, half the load");
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(free), PathShares::UNLIMITED, "nothing limits it");
        shares.SetActive(a, false);
        shares.SetActive(d, false);
        shares.SetActive(d, false);
        shares.Update();
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(b), 100u, "alone");
        NS_TEST_EXPECT_MSG_EQ(shares.GetRate(c), 1000u, "alone");
        NS_TEST_EXPECT_MSG_EQ(shares.GetActive().size(), 3u, "two have left");
    }
};

/** Against the definition. */
class MaxMinTestCase : public TestCase
{
  public:
    MaxMinTestCase()
        : TestCase("No rate can grow but at the cost of one that is not larger")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t random = 1;
        const auto draw = [&random](uint32_t below)
        {
            random = MixHash(random, 1);
            return static_cast<uint32_t>(random % below);
        };
        for (uint32_t round = 0; round < 200; ++round)
        {
            PathShares shares;
            std::vector<uint64_t> capacity;
            for (uint32_t link = 0; link < 12; ++link)
            {
                capacity.push_back(1000000000ull * (1 + draw(4)));
                shares.AddLink(capacity.back());
            }
            std::vector<std::vector<uint32_t>> links;
            for (uint32_t flow = 0; flow < 20; ++flow)
            {
                std::vector<PathShares::Use> uses;
                links.emplace_back();
                for (uint32_t i = 0; i < 1 + draw(4); ++i)
                {
                    const uint32_t link = (flow + i * 5) % 12;
                    uses.push_back({link, PathShares::UNIT});
                    links.back().push_back(link);
                }
                shares.SetActive(shares.AddFlow(uses), true);
            }
            shares.Update();
            Check(shares, capacity, links);
        }
    }

    /** Each flow has a link that is full and on which none has more. @param shares the rates
     * @param capacity of the links @param links of the flows */
    void Check(const PathShares& shares,
               const std::vector<uint64_t>& capacity,
               const std::vector<std::vector<uint32_t>>& links)
    {
        std::vector<uint64_t> load(capacity.size());
        std::vector<uint64_t> most(capacity.size());
        for (uint32_t flow = 0; flow < links.size(); ++flow)
        {
            for (const uint32_t link : links[flow])
            {
                load[link] += shares.GetRate(flow);
                most[link] = std::max(most[link], shares.GetRate(flow));
            }
        }
        for (uint32_t flow = 0; flow < links.size(); ++flow)
        {
            bool hasBottleneck = false;
            for (const uint32_t link : links[flow])
            {
                NS_TEST_ASSERT_MSG_EQ((load[link] <= capacity[link]), true, "overcommitted");
                hasBottleneck = hasBottleneck || (load[link] + links.size() >= capacity[link] &&
                                                  most[link] == shares.GetRate(flow));
            }
            NS_TEST_EXPECT_MSG_EQ(hasBottleneck, true, "its rate could grow");
        }
    }
};

/** The suite. */
class PathSharesTestSuite : public TestSuite
{
  public:
    PathSharesTestSuite()
        : TestSuite("llm-fabric-path-shares", TestSuite::Type::UNIT)
    {
        AddTestCase(new SharesTestCase);
        AddTestCase(new MaxMinTestCase);
    }
};

PathSharesTestSuite g_pathSharesTestSuite; //!< registers the suite

} // namespace
