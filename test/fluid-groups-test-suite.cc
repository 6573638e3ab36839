// SPDX-License-Identifier: GPL-2.0-only

// Groups of ports of a fluid domain: their rates beside other transfers, their bytes, their ends.

#include "engine-test-support.h"

#include "ns3/double.h"
#include "ns3/fluid-domain.h"
#include "ns3/fluid-transport.h"
#include "ns3/frame-clock.h"
#include "ns3/input-error.h"
#include "ns3/max-min-shares.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Flows over many resources share as the rule says, whatever came and went before. */
class ManyUsesTestCase : public TestCase
{
  public:
    ManyUsesTestCase()
        : TestCase(
              "Flows over up to 30 resources get max-min fair rates, as found by plain filling")
    {
    }

  private:
    static constexpr uint32_t RESOURCES = 30; //!< of a trial

    void DoRun() override
    {
        TestRandom random(11);
        for (uint32_t trial = 0; trial < 40; ++trial)
        {
            MaxMinShares shares(RESOURCES);
            std::vector<uint64_t> capacities;
            for (uint32_t r = 0; r < RESOURCES; ++r)
            {
                capacities.push_back(1000000 + random.Below(9000000));
                shares.SetCapacity(r, capacities.back());
            }
            std::map<uint32_t, std::vector<uint32_t>> flows; // by number: uses
            for (uint32_t change = 0; change < 60; ++change)
            {
                if (!flows.empty() && random.Below(3) == 0)
                {
                    auto gone = flows.begin();
                    std::advance(gone, random.Below(flows.size()));
                    shares.RemoveFlow(gone->first);
                    flows.erase(gone);
                }
                else
                {
                    std::set<uint32_t> uses;
                    const uint64_t count = 2 + random.Below(RESOURCES - 2);
                    while (uses.size() < count)
                    {
                        uses.insert(static_cast<uint32_t>(random.Below(RESOURCES)));
                    }
                    const std::vector<uint32_t> list(uses.begin(), uses.end());
                    flows[shares.AddFlow(list)] = list;
                }
                shares.Update();
                Compare(shares, capacities, flows);
            }
        }
    }

    /** @param shares under test @param capacities of resources @param flows uses by number */
    void Compare(const MaxMinShares& shares,
                 const std::vector<uint64_t>& capacities,
                 const std::map<uint32_t, std::vector<uint32_t>>& flows)
    {
        std::vector<double> left(capacities.begin(), capacities.end());
        std::map<uint32_t, double> rates;
        while (rates.size() < flows.size())
        {
            std::vector<uint32_t> open(RESOURCES, 0);
            for (const auto& [number, uses] : flows)
            {
                for (const uint32_t use : uses)
                {
                    open[use] += rates.count(number) == 0 ? 1 : 0;
                }
            }
            double level = 1e300;
            for (uint32_t r = 0; r < RESOURCES; ++r)
            {
                level = open[r] != 0 ? std::min(level, left[r] / open[r]) : level;
            }
            std::vector<uint32_t> fixed;
            for (const auto& [number, uses] : flows)
            {
                const bool isTight =
                    std::any_of(uses.begin(),
                                uses.end(),
                                [&](uint32_t use) { return left[use] / open[use] < level + 1e-3; });
                if (rates.count(number) == 0 && isTight)
                {
                    fixed.push_back(number);
                }
            }
            for (const uint32_t number : fixed)
            {
                rates[number] = level;
                for (const uint32_t use : flows.at(number))
                {
                    left[use] -= level;
                }
            }
        }
        for (const auto& [number, rate] : rates)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(shares.GetRate(number)),
                                      rate,
                                      100.0,
                                      "rate of flow " << number);
        }
    }
};

/** What came, when and where. */
using Arrival = std::tuple<uint64_t, uint32_t, uint32_t, uint32_t>;

/** A domain of 8 Gb/s ports (1 byte a ns) under one engine, with accelerators 10, 11, ... */
class Bench
{
  public:
    /** @param engine its name @param ports so many @param efficiency of groups @param delay of it */
    Bench(const std::string& engine, uint32_t ports, double efficiency = 1, Time delay = Time(0))
        : m_scope(engine)
    {
        clock = Create<FrameClock>();
        domain = CreateObject<FluidDomain>();
        domain->SetAttribute("DataRate", DataRateValue(DataRate("8Gb/s")));
        domain->SetAttribute("WireOverhead", DoubleValue(1));
        domain->SetAttribute("ReductionEfficiency", DoubleValue(efficiency));
        domain->SetAttribute("Delay", TimeValue(delay));
        std::vector<uint32_t> nodes;
        std::vector<uint32_t> accelerators;
        for (uint32_t port = 0; port < ports; ++port)
        {
            nodes.push_back(port + 50);
            accelerators.push_back(port + 10);
        }
        domain->Setup(clock, nodes);
        transport = CreateObject<FluidTransport>();
        transport->AddDomain(domain, accelerators);
        transport->SetOwner(3,
                            MakeCallback(&Bench::Delivered, this),
                            MessageTransport::MessageCallback());
    }

    ~Bench()
    {
        Simulator::Destroy();
        domain->Dispose();
        transport->Dispose();
    }

    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    /** @param from accelerator @param to accelerator @param bytes so many @param place of it
     * @return the message */
    static Message Make(uint32_t from, uint32_t to, uint64_t bytes, uint32_t place)
    {
        Message message;
        message.source = from;
        message.destination = to;
        message.bytes = bytes;
        message.owner = 3;
        message.place = place;
        return message;
    }

    Ptr<FrameClock> clock;         //!< the time
    Ptr<FluidDomain> domain;       //!< under test
    Ptr<FluidTransport> transport; //!< over it
    std::vector<Arrival> arrivals; //!< tick, node, source and place

  private:
    /** @param message has come */
    void Delivered(const Message& message)
    {
        arrivals.emplace_back(static_cast<uint64_t>(Simulator::Now().GetTimeStep()),
                              Simulator::GetContext(),
                              message.source,
                              message.place);
    }

    EngineScope m_scope; //!< the engine
};

/** Times and bytes of groups, alone and beside others. */
class GroupTestCase : public TestCase
{
  public:
    GroupTestCase()
        : TestCase(
              "A group's transfer has one rate at all its ports, shares them, and begins when all "
              "have called")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* engine : {FRAME_ENGINE, DEFAULT_ENGINE})
        {
            ReduceBesideMessage(engine);
            Multicast(engine);
            WaitForLast(engine);
        }
        Refuse();
    }

    /** @param engine its name */
    void ReduceBesideMessage(const std::string& engine)
    {
        Bench bench(engine, 12);
        std::vector<uint32_t> members{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
        const uint32_t group = bench.transport->MakeGroup(3, members);
        for (const uint32_t member : members)
        {
            bench.transport->Reduce(group, Bench::Make(member, 12, 1000, 0));
        }
        // accelerator 13 sends 1000 to 21, which is no member: both get half of its port
        bench.transport->Send(Bench::Make(13, 21, 1000, 1));
        // and 10 sends 1000 to 11 likewise, beside the reduction at half rate: half is left for it
        bench.transport->Send(Bench::Make(10, 11, 1000, 2));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 3u, "all come");
        for (const auto& [tick, node, source, place] : bench.arrivals)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(tick, 2000u * 1000u, 5u, "half of 1 byte a ns each");
            const uint32_t to = place == 0 ? 12 : place == 1 ? 21 : 11;
            NS_TEST_EXPECT_MSG_EQ(node, to + 40, "at its node");
            NS_TEST_EXPECT_MSG_EQ((source == EVERY_MEMBER), (place == 0), "from all");
        }
        const Time end = Simulator::Now();
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(1, end).sentBytes, 1000u, "11 contributes");
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(1, end).receivedBytes, 1000u, "a message");
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(3, end).sentBytes, 2000u, "both");
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(3, end).sentWireBytes, 2000u, "carried");
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(2, end).receivedBytes, 1000u, "the result");
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetUnfinishedCount(), 0u, "nothing is left");
    }

    /** @param engine its name */
    void Multicast(const std::string& engine)
    {
        Bench bench(engine, 4, 0.5, NanoSeconds(100));
        const uint32_t group = bench.transport->MakeGroup(3, {13, 10, 12});
        for (const uint32_t member : {10u, 12u, 13u})
        {
            bench.transport->Multicast(group, Bench::Make(13, member, 1000, 4));
        }
        Simulator::Run();
        std::sort(bench.arrivals.begin(), bench.arrivals.end());
        NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 2u, "to the others");
        NS_TEST_EXPECT_MSG_EQ_TOL(std::get<0>(bench.arrivals[0]),
                                  2100u * 1000u,
                                  5u,
                                  "half the rate, and a delay");
        NS_TEST_EXPECT_MSG_EQ(std::get<1>(bench.arrivals[0]), 50u, "at 10");
        NS_TEST_EXPECT_MSG_EQ(std::get<1>(bench.arrivals[1]), 52u, "at 12");
        NS_TEST_EXPECT_MSG_EQ(std::get<2>(bench.arrivals[1]), 13u, "from 13");
        const Time end = Simulator::Now();
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(3, end).receivedBytes, 1000u, "comes back");
        NS_TEST_EXPECT_MSG_EQ(bench.domain->GetPortUse(1, end).receivedBytes, 0u, "no member");
    }

    /** @param engine its name */
    void WaitForLast(const std::string& engine)
    {
        Bench bench(engine, 3);
        const uint32_t group = bench.transport->MakeGroup(3, {10, 11, 12});
        for (const uint32_t place : {0u, 1u})
        {
            bench.transport->Reduce(group, Bench::Make(10, EVERY_MEMBER, 500, place));
            bench.transport->Reduce(group, Bench::Make(11, EVERY_MEMBER, 500, place));
        }
        // the second one first
        Simulator::ScheduleWithContext(
            52,
            NanoSeconds(700),
            [&bench, group]()
            { bench.transport->Reduce(group, Bench::Make(12, EVERY_MEMBER, 500, 1)); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 3u, "one reduction, to all");
        for (const auto& arrival : bench.arrivals)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(std::get<0>(arrival),
                                      1200u * 1000u,
                                      5u,
                                      "after the last call");
            NS_TEST_EXPECT_MSG_EQ(std::get<3>(arrival), 1u, "the one that all have called for");
        }
    }

    /** Groups that cannot be. */
    void Refuse()
    {
        Bench bench(FRAME_ENGINE, 3);
        std::string refusal;
        try
        {
            bench.transport->MakeGroup(3, {10, 99});
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(refusal.find("99 are not in one fluid"), std::string::npos, refusal);
    }
};

/** Groups of fluid domains. */
class FluidGroupsTestSuite : public TestSuite
{
  public:
    FluidGroupsTestSuite()
        : TestSuite("llm-fabric-fluid-groups", TestSuite::Type::UNIT)
    {
        AddTestCase(new ManyUsesTestCase);
        AddTestCase(new GroupTestCase);
    }
};

FluidGroupsTestSuite g_fluidGroupsTestSuite; //!< registers the suite

} // namespace
