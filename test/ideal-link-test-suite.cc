// SPDX-License-Identifier: GPL-2.0-only

// A link behind a queue, as the ideal time sees it, by hand.

#include "ns3/ideal-link.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A message that comes in at one rate. */
struct Input
{
    double begin; //!< ps
    double end;   //!< ps
    double rate;  //!< bits per ps
};

/** What came of a message. */
struct Output
{
    double end = -1; //!< ps: when it had left as a whole
    double bits = 0; //!< that have left
};

/** Carries messages over a link. */
class LinkRun
{
  public:
    /** @param capacity of the link, bits per ps */
    explicit LinkRun(double capacity)
    {
        m_link.SetCapacity(0, capacity);
    }

    /** @param inputs messages, numbered from 1 @return what came of each */
    std::vector<Output> Run(const std::vector<Input>& inputs)
    {
        std::vector<double> times;
        for (const Input& input : inputs)
        {
            times.push_back(input.begin);
            times.push_back(input.end);
        }
        std::sort(times.begin(), times.end());
        std::vector<Output> outputs(inputs.size());
        for (const double time : times)
        {
            RunUntil(time, outputs);
            for (std::size_t i = 0; i < inputs.size(); ++i)
            {
                if (inputs[i].begin == time)
                {
                    m_link.SetInput(time, i + 1, inputs[i].rate);
                }
                if (inputs[i].end == time && outputs[i].end < 0 && m_begun.insert(i).second)
                {
                    m_link.EndInput(time, i + 1);
                }
            }
            Take(time, outputs);
        }
        RunUntil(1e9, outputs);
        return outputs;
    }

    /** @return whether the link has nothing to do */
    bool IsIdle() const
    {
        return m_link.IsIdle();
    }

  private:
    /** @param time until when @param outputs get what leaves */
    void RunUntil(double time, std::vector<Output>& outputs)
    {
        for (double next = m_link.GetNextChange(); next <= time; next = m_link.GetNextChange())
        {
            m_link.Settle(next);
            Take(next, outputs);
        }
    }

    /** @param now the time @param outputs get what has left */
    void Take(double now, std::vector<Output>& outputs)
    {
        for (const auto& [message, rate] : m_rates)
        {
            outputs[message - 1].bits += rate * (now - m_last);
        }
        m_last = now;
        m_link.Settle(now);
        for (const uint64_t message : m_link.TakeEnded())
        {
            outputs[message - 1].end = now;
            m_rates.erase(message);
        }
        for (const auto& [message, rate] : m_link.TakeChanges())
        {
            m_rates[message] = rate;
        }
    }

    IdealLink m_link;                   //!< the link
    std::map<uint64_t, double> m_rates; //!< at which messages leave
    std::set<std::size_t> m_begun;      //!< inputs at their end
    double m_last = 0;                  //!< ps: until when bits are counted
};

/** Messages at constant rates. */
class ByHandTestCase : public TestCase
{
  public:
    ByHandTestCase()
        : TestCase("Messages leave a link in the order in which they came, mixed as they came")
    {
    }

  private:
    void DoRun() override
    {
        // alone, at half the link's rate and at all of it: as they come
        Expect({{0, 100, 0.5}}, {100});
        Expect({{10, 110, 1}}, {110});
        // twice what the link carries: half of it waits
        Expect({{0, 100, 2}}, {200});
        // the second comes when the first is half through: 50 bits of each, then 50 of the second
        Expect({{0, 100, 1}, {50, 150, 1}}, {150, 200});
        // two thirds and one third until 150, when the last of the first has left
        Expect({{0, 100, 1}, {0, 200, 0.5}}, {150, 200});
        // what comes while others wait waits behind them; the link is never idle before 300
        Expect({{0, 100, 2}, {150, 250, 1}}, {200, 300});
        // and after a gap begins anew
        Expect({{0, 100, 2}, {300, 400, 1}}, {200, 400});
        // three at once, of different length: 30 bits of each, then 30 of two, then 40 of one
        Expect({{0, 30, 1}, {0, 60, 1}, {0, 100, 1}}, {90, 150, 190});
    }

    /** @param inputs messages @param ends when each is to have left as a whole */
    void Expect(const std::vector<Input>& inputs, const std::vector<double>& ends)
    {
        LinkRun run(1);
        const std::vector<Output> outputs = run.Run(inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(outputs[i].end, ends[i], 0.01, "end of message " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(outputs[i].bits,
                                      inputs[i].rate * (inputs[i].end - inputs[i].begin),
                                      0.01,
                                      "bits of message " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(run.IsIdle(), true, "nothing is left");
    }
};

/** The link's rate changes, as acknowledgments come and go. */
class CapacityTestCase : public TestCase
{
  public:
    CapacityTestCase()
        : TestCase("A link that gets slower lets messages wait, and carries them when it can")
    {
    }

  private:
    void DoRun() override
    {
        IdealLink link;
        link.SetCapacity(0, 1);
        link.SetInput(0, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(std::isfinite(link.GetNextChange()), false, "goes on for ever");
        auto changes = link.TakeChanges();
        NS_TEST_ASSERT_MSG_EQ(changes.size(), 1u, "it leaves");
        NS_TEST_EXPECT_MSG_EQ_TOL(changes[0].second, 1, 1e-9, "as it comes");
        // half the rate for 100 ps: 50 bits wait
        link.SetCapacity(100, 0.5);
        changes = link.TakeChanges();
        NS_TEST_ASSERT_MSG_EQ(changes.size(), 1u, "it leaves");
        NS_TEST_EXPECT_MSG_EQ_TOL(changes[0].second, 0.5, 1e-9, "more slowly");
        link.SetCapacity(200, 1);
        link.EndInput(200, 1);
        NS_TEST_EXPECT_MSG_EQ(link.TakeEnded().empty(), true, "50 bits wait");
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetNextChange(), 250, 1e-6, "until 250 ps");
        link.Settle(250);
        NS_TEST_EXPECT_MSG_EQ(link.TakeEnded().size(), 1u, "it has left");
        NS_TEST_EXPECT_MSG_EQ(link.TakeChanges().empty(), true, "and needs no rate");
        NS_TEST_EXPECT_MSG_EQ(link.IsIdle(), true, "nothing is left");
    }
};

/** All of them. */
class IdealLinkTestSuite : public TestSuite
{
  public:
    IdealLinkTestSuite()
        : TestSuite("llm-fabric-ideal-link", TestSuite::Type::UNIT)
    {
        AddTestCase(new ByHandTestCase);
        AddTestCase(new CapacityTestCase);
    }
};

IdealLinkTestSuite g_idealLinkTestSuite; //!< registers the suite

} // namespace
