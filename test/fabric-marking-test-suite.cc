// SPDX-License-Identifier: GPL-2.0-only

// ECN thresholds by class and port, with marks counted by hand.

#include "link-bench.h"
#include "switch-bench.h"

#include "ns3/ecn-table.h"
#include "ns3/input-error.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param bytes threshold @return a profile that marks all above it, and nothing up to it */
EcnProfile
Step(uint32_t bytes)
{
    EcnProfile profile;
    profile.minBytes = bytes;
    profile.maxBytes = bytes;
    profile.maxProbability = 1;
    return profile;
}

/** Steps at different queues. */
class ClassesTestCase : public TestCase
{
  public:
    ClassesTestCase()
        : TestCase("Each class has its own step, one has none, and only data are marked")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool isReference : {false, true})
        {
            LinkBench bench("100Gbps", MicroSeconds(1), isReference);
            EcnTable table;
            table.profiles[3] = Step(5000);
            table.profiles[4] = Step(2000);
            bench.near.SetEcn(table, 1);
            for (const uint8_t c : {3, 4, 5})
            {
                for (uint64_t i = 0; i < 10; ++i)
                {
                    bench.Queue(c * 10000000, 1000, 100 * c + i, c);
                }
            }
            for (const FrameKind kind : {FrameKind::ACK, FrameKind::NACK, FrameKind::CNP})
            {
                QueueOther(bench, 80000000 + 10000000 * static_cast<uint64_t>(kind), kind);
            }
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(bench.arrivals.size(), 60u, "frames");
            for (std::size_t i = 0; i < 60; ++i)
            {
                // the first leaves at once; frame i of ten sees itself and the 9 - i behind it
                const uint64_t number = i % 10;
                const uint64_t queue = number == 0 ? 1000 : (10 - number) * 1000;
                const uint8_t c = bench.arrivals[i].trafficClass;
                const bool isWanted =
                    i < 30 && ((c == 3 && queue > 5000) || (c == 4 && queue > 2000));
                NS_TEST_EXPECT_MSG_EQ(bench.arrivals[i].isMarked,
                                      isWanted,
                                      "class " << +c << ", queue " << queue);
            }
            NS_TEST_EXPECT_MSG_EQ(bench.near.GetCounters().marks, 4u + 7u, "marks");
        }
    }

    /** Queue ten frames of class 4 that are no data. @param bench the link @param tick when @param kind
     * what they are */
    static void QueueOther(LinkBench& bench, uint64_t tick, FrameKind kind)
    {
        bench.At(tick,
                 [&bench, kind]()
                 {
                     for (uint64_t i = 0; i < 10; ++i)
                     {
                         Frame* frame = bench.MakeFrame(1000, i, 4);
                         frame->kind = kind;
                         bench.near.Enqueue(frame);
                     }
                 });
    }
};

/** Two senders at one switch. */
class PortsTestCase : public TestCase
{
  public:
    PortsTestCase()
        : TestCase("A switch marks by class and by port as its settings say, counted by hand")
    {
    }

  private:
    void DoRun() override
    {
        // Two senders at line rate into one port, ten frames each: departure k, from 0 on, sees k
        // frames in the queue for k = 1 to 10, then 20 - k. Above 5: k = 6 to 14, nine. Above 8: 9 to
        // 11, three.
        NS_TEST_EXPECT_MSG_EQ(CountMarks("", 3, false, "25Gbps"), 0u, "the default: from 400 kB");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:5000:5000:1", 3, false), 9u, "class 3");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:5000:5000:1", 4, false), 0u, "another class");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:5000:5000:1,4:8000:8000:1", 4, false), 3u, "class 4");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:5000:5000:1", 3, true), 3u, "the port's own");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:off", 3, true), 3u, "the port's own, else off");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:off", 3, false, "0bps", 5000), 0u, "off");
        NS_TEST_EXPECT_MSG_EQ(CountMarks("4:off", 3, false, "0bps", 5000), 9u, "the default");
        // thresholds grow with the rate: 2000 B at 40 Gb/s are 5000 B at 100 Gb/s
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:2000:2000:1", 3, false, "40Gbps"), 9u, "scaled");
        Config::SetDefault("ns3::llm::FabricSwitch::Ecn", BooleanValue(false));
        NS_TEST_EXPECT_MSG_EQ(CountMarks("3:5000:5000:1", 3, false), 0u, "no marks at all");
    }

    /** @param classes attribute @param trafficClass of the frames @param isOwn whether the port has a
     * step at 8000 B for class 3 @param reference rate @param step Kmin and Kmax of the rest, B
     * @return marks at the port */
    uint64_t CountMarks(const std::string& classes,
                        uint8_t trafficClass,
                        bool isOwn,
                        const std::string& reference = "0bps",
                        uint64_t step = 100000)
    {
        const std::string prefix = "ns3::llm::FabricSwitch::Ecn";
        Config::SetDefault(prefix + "Classes", StringValue(classes));
        Config::SetDefault(prefix + "ReferenceRate", StringValue(reference));
        Config::SetDefault(prefix + "MinThreshold", UintegerValue(step));
        Config::SetDefault(prefix + "MaxThreshold", UintegerValue(step));
        SwitchBench bench;
        bench.beforeBuild = [&bench, isOwn]()
        {
            if (isOwn)
            {
                bench.network->GetSwitch(0)->SetEcn(0, 3, Step(8000));
                bench.network->GetSwitch(0)->SetEcn(1, 3, Step(0)); // of another port
            }
        };
        bench.MakeStar(3, "100Gbps");
        bench.Send(1000, 1, 0, 10, 1000, trafficClass);
        bench.Send(1000, 2, 0, 10, 1000, trafficClass);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.arrivals.size(), 20u, "frames");
        uint64_t marked = 0;
        for (const auto& arrival : bench.arrivals)
        {
            marked += arrival.isMarked;
        }
        NS_TEST_EXPECT_MSG_EQ(bench.ToTerminal(0).GetCounters().marks, marked, "counted");
        return marked;
    }
};

/** Profiles that are none. */
class InputTestCase : public TestCase
{
  public:
    InputTestCase()
        : TestCase("Profiles that are none, and ports that are not there, are refused")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, std::string>> wrong = {
            {"3:1:2", "needs Kmin, Kmax and Pmax"},
            {"3:on", "or \"off\""},
            {"3:2:1:0.5", "Kmin lies above Kmax"},
            {"3:1:2:1.5", "Pmax \"1.5\""},
            {"3:1:2:x", "Pmax \"x\""},
            {"9:off", "class \"9\""},
        };
        for (const auto& [text, what] : wrong)
        {
            Config::SetDefault("ns3::llm::FabricSwitch::EcnClasses", StringValue(text));
            const std::string message = Build([](FabricSwitch&) {});
            NS_TEST_EXPECT_MSG_NE(message.find(what), std::string::npos, text << ": " << message);
            NS_TEST_EXPECT_MSG_NE(message.find("EcnClasses"), std::string::npos, message);
        }
        const std::string port = Build([](FabricSwitch& hub) { hub.SetEcn(3, 3, EcnProfile()); });
        NS_TEST_EXPECT_MSG_NE(port.find("ports 0 to 2"), std::string::npos, port);
        const std::string none = Build([](FabricSwitch& hub) { hub.SetEcn(2, 8, EcnProfile()); });
        NS_TEST_EXPECT_MSG_NE(none.find("classes 0 to 7"), std::string::npos, none);
    }

    /** @param set changes the switch before it is built @return words of the refusal */
    static std::string Build(const std::function<void(FabricSwitch&)>& set)
    {
        SwitchBench bench;
        bench.beforeBuild = [&]()
        {
            set(*bench.network->GetSwitch(0));
        };
        try
        {
            bench.MakeStar(3, "100Gbps");
        }
        catch (const InputError& error)
        {
            return error.what();
        }
        return "not refused";
    }
};

/** The suite. */
class FabricMarkingTestSuite : public TestSuite
{
  public:
    FabricMarkingTestSuite()
        : TestSuite("llm-fabric-fabric-marking", TestSuite::Type::UNIT)
    {
        AddTestCase(new ClassesTestCase);
        AddTestCase(new PortsTestCase);
        AddTestCase(new InputTestCase);
    }
};

FabricMarkingTestSuite g_fabricMarkingTestSuite; //!< registers the suite

} // namespace
