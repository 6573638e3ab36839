// SPDX-License-Identifier: GPL-2.0-only

// All-to-all over relays: bytes and frames of each tier by closed forms, and times on packet networks.

#include "relay-bench.h"

#include "ns3/cluster.h"
#include "ns3/collective-runner.h"
#include "ns3/config.h"
#include "ns3/rail-only-helper.h"
#include "ns3/rail-optimized-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/time-resolution.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Bytes of an all-to-all by tier, closed forms. */
class TierBytesCase : public TestCase
{
  public:
    TierBytesCase()
        : TestCase("an all-to-all crosses each tier as often as the closed form says")
    {
    }

  private:
    static constexpr uint64_t DOMAINS = 3;  //!< G
    static constexpr uint64_t SIZE = 4;     //!< K
    static constexpr uint64_t BYTES = 5000; //!< of a pair

    void DoRun() override
    {
        const uint64_t relayed = DOMAINS * (DOMAINS - 1) * SIZE * (SIZE - 1);
        const uint64_t onRail = DOMAINS * (DOMAINS - 1) * SIZE;
        Check("source", {}, relayed + onRail, relayed);
        Check("destination", {}, relayed + onRail, relayed);
        Check("load", {}, relayed + onRail, relayed);
        // 5000 bytes are two packets
        Check("source", {{"ForwardBy", "packet"}}, 2 * relayed + onRail, 2 * relayed);
        Check("destination", {{"ForwardBy", "packet"}}, 2 * relayed + onRail, 2 * relayed);
        // each relay sends one to each other domain
        Check("source", {{"Aggregate", "true"}}, onRail, onRail);
    }

    /**
     * @param forwarding the side
     * @param settings more attributes
     * @param between data messages between domains
     * @param forwarded messages that relays send on
     */
    void Check(const std::string& forwarding,
               const std::map<std::string, std::string>& settings,
               uint64_t between,
               uint64_t forwarded)
    {
        UsePicoseconds(); // once for all cases
        RelayFixture fixture(CreateObject<GridLocality>(DOMAINS, SIZE),
                             forwarding,
                             1 << 20,
                             0,
                             settings);
        for (uint32_t a = 0; a < DOMAINS * SIZE; ++a)
        {
            for (uint32_t b = 0; b < DOMAINS * SIZE; ++b)
            {
                if (a != b)
                {
                    Message message{a, b, BYTES, 0, 0, 0, 0};
                    message.joint = SIZE;
                    fixture.SendAt(0, message);
                }
            }
        }
        Simulator::Run();
        const std::string name = forwarding + (settings.empty() ? "" : settings.begin()->second);
        std::map<bool, uint64_t> bytes;
        std::map<bool, uint64_t> messages;
        for (const Message& one : fixture.mock->sent)
        {
            const bool isInside = one.source / SIZE == one.destination / SIZE;
            bytes[isInside] += one.bytes;
            messages[isInside] += one.bytes > 0 ? 1 : 0;
        }
        const uint64_t ranks = DOMAINS * SIZE;
        NS_TEST_EXPECT_MSG_EQ(fixture.seen.size(), 2 * ranks * (ranks - 1), name);
        NS_TEST_EXPECT_MSG_EQ(bytes[false], ranks * (ranks - SIZE) * BYTES, "between, " << name);
        // what stays in the domain, and one of the legs of what changes the rail
        NS_TEST_EXPECT_MSG_EQ(bytes[true],
                              ranks * (SIZE - 1) * BYTES +
                                  ranks * (ranks - SIZE) * (SIZE - 1) / SIZE * BYTES,
                              "inside, " << name);
        NS_TEST_EXPECT_MSG_EQ(messages[false], between, "messages between, " << name);
        uint64_t counted = 0;
        for (uint32_t relay = 0; relay < ranks; ++relay)
        {
            counted += fixture.relay->GetForwardedCount(relay);
        }
        NS_TEST_EXPECT_MSG_EQ(counted, forwarded, "sent on, " << name);
    }
};

/** What came of an all-to-all on a cluster. */
struct Exchanged
{
    double microseconds = 0;             //!< time
    uint64_t nicFrames = 0;              //!< data frames between domains
    uint64_t domainFrames = 0;           //!< data frames inside
    uint64_t forwarded = 0;              //!< messages that relays sent on
    std::vector<std::string> complaints; //!< what went wrong
};

/**
 * An all-to-all among 16 accelerators in domains of 4 that are packet switches of 800 Gb/s.
 * @param isRailOnly the topology, else rail-optimized
 * @param settings of RelayTransport
 * @param bytes of a pair
 * @param algorithm its name
 * @param fidelity of domains
 * @return what came of it
 */
Exchanged
Exchange(bool isRailOnly,
         const std::map<std::string, std::string>& settings,
         uint64_t bytes,
         const std::string& algorithm = "ns3::llm::DirectAlgorithm",
         const std::string& fidelity = "packet")
{
    UsePicoseconds();
    const std::string relay = "ns3::llm::RelayTransport::";
    std::map<std::string, std::string> all{{"Forwarding", "source"},
                                           {"ForwardBy", "chunk"},
                                           {"Aggregate", "false"},
                                           {"ChunkBytes", "524288"}};
    const auto defaults = all;
    for (const auto& [name, value] : settings)
    {
        all[name] = value;
    }
    for (const auto& [name, value] : all)
    {
        Config::SetDefault(relay + name, StringValue(value));
    }
    Exchanged result;
    result.complaints = {GetRefusal(
        [&]
        {
            Ptr<TopologyHelper> helper;
            if (isRailOnly)
            {
                helper = CreateObject<RailOnlyHelper>();
            }
            else
            {
                helper = CreateObject<RailOptimizedHelper>();
            }
            helper->SetAttribute("Accelerators", UintegerValue(16));
            helper->SetAttribute("DomainSize", UintegerValue(4));
            helper->SetAttribute("DomainFidelity", StringValue(fidelity));
            helper->SetAttribute("DomainRate", StringValue("800Gbps"));
            const Ptr<Cluster> cluster = helper->Build();
            CollectiveRequest request;
            request.operation = CollectiveOperation::ALL_TO_ALL;
            request.bytes = 16 * bytes;
            const CollectiveRunner runner(cluster,
                                          {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                          request,
                                          algorithm);
            Simulator::Run();
            result.microseconds = static_cast<double>(runner.GetLastDone().GetPicoSeconds()) / 1e6;
            result.nicFrames = cluster->GetRdma()->GetCounters().dataFrames;
            result.domainFrames =
                cluster->GetDomainRdma() ? cluster->GetDomainRdma()->GetCounters().dataFrames : 0;
            for (uint32_t a = 0; cluster->GetRelays() && a < 16; ++a)
            {
                result.forwarded += cluster->GetRelays()->GetForwardedCount(a);
            }
            for (const std::string& line : runner.GetComplaints())
            {
                RefuseInput(line);
            }
        })};
    Simulator::Destroy();
    for (const auto& [name, value] : defaults)
    {
        Config::SetDefault(relay + name, StringValue(value));
    }
    return result;
}

/** Frames on a packet network. */
class ForwardedFramesCase : public TestCase
{
  public:
    ForwardedFramesCase()
        : TestCase("on a packet network each tier carries the frames of the closed form")
    {
    }

  private:
    void DoRun() override
    {
        // 16 x 12 messages of one frame between domains, of which 144 are relayed; 48 inside; a word
        // of the relay for each chunk goes the way of its first leg
        Check({}, 192, 48 + 144 + 144, 144);
        Check({{"Forwarding", "destination"}}, 192 + 144, 48 + 144, 144);
        Check({{"ForwardBy", "packet"}}, 192, 48 + 144 + 144, 144);
        // a relay sends one message of four to each of three domains, its own among them
        Check({{"Aggregate", "true"}}, 192, 48 + 144 + 144, 48);
        const Exchanged fluid =
            Exchange(true, {{"ForwardBy", "packet"}}, 4096, "ns3::llm::DirectAlgorithm", "fluid");
        NS_TEST_EXPECT_MSG_NE(fluid.complaints[0].find("HB domains are fluid"),
                              std::string::npos,
                              "no packets there");
    }

    /**
     * @param settings of RelayTransport
     * @param between frames between domains
     * @param inside frames inside
     * @param forwarded messages that relays send on
     */
    void Check(const std::map<std::string, std::string>& settings,
               uint64_t between,
               uint64_t inside,
               uint64_t forwarded)
    {
        const std::string name = settings.empty() ? "as it is" : settings.begin()->second;
        const Exchanged one = Exchange(true, settings, 4096);
        NS_TEST_ASSERT_MSG_EQ(one.complaints[0], "", name);
        NS_TEST_EXPECT_MSG_EQ(one.nicFrames, between, "between domains, " << name);
        NS_TEST_EXPECT_MSG_EQ(one.forwarded, forwarded, "sent on, " << name);
        NS_TEST_EXPECT_MSG_EQ(one.domainFrames, inside, "inside, " << name);
        const Exchanged again = Exchange(true, settings, 4096);
        NS_TEST_EXPECT_MSG_EQ(one.microseconds, again.microseconds, "the same again, " << name);
    }
};

/** Overheads on a packet network. */
class ForwardingOverheadCase : public TestCase
{
  public:
    ForwardingOverheadCase()
        : TestCase("an exchange in stages takes as long as both, one that is pipelined does not")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t bytes = 262144;
        const double bound = 12 * bytes * 8 / 400e3;  // us
        const double inside = 12 * bytes * 8 / 800e3; // of all that goes to other rails
        const double across = bound * 4178 / 4096;    // with headers
        const Exchanged baseline = Exchange(false, {}, bytes);
        NS_TEST_ASSERT_MSG_EQ(baseline.complaints[0], "", "rail-optimized");
        NS_TEST_EXPECT_MSG_GT(baseline.microseconds, across, "never faster than the line");
        const std::string staged = "ns3::llm::HierarchicalAlgorithm";
        const double stored = Exchange(true, {}, bytes, staged).microseconds;
        NS_TEST_EXPECT_MSG_EQ_TOL(stored, across + inside * 4178 / 4096, 0.1 * across, "stages");
        for (const auto& settings :
             std::vector<std::map<std::string, std::string>>{{},
                                                             {{"ForwardBy", "packet"}},
                                                             {{"Forwarding", "destination"}},
                                                             {{"Forwarding", "load"}}})
        {
            const std::string name = settings.empty() ? "as it is" : settings.begin()->second;
            const Exchanged one = Exchange(true, settings, bytes);
            NS_TEST_ASSERT_MSG_EQ(one.complaints[0], "", name);
            NS_TEST_EXPECT_MSG_GT(one.microseconds, across, "never faster than the line, " << name);
            NS_TEST_EXPECT_MSG_LT(one.microseconds, across + inside / 2, name);
        }
    }
};

/** The suite. */
class RelayNetworkTestSuite : public TestSuite
{
  public:
    RelayNetworkTestSuite()
        : TestSuite("llm-fabric-relay-network", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new TierBytesCase);
        AddTestCase(new ForwardedFramesCase);
        AddTestCase(new ForwardingOverheadCase);
    }
};

RelayNetworkTestSuite g_relayNetworkTestSuite; //!< registers the suite

} // namespace
