// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RANDOM_FABRIC_PLAN_H
#define LLM_FABRIC_RANDOM_FABRIC_PLAN_H

#include "ns3/frame-loss.h"
#include "ns3/load-balancer.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-loss-recovery.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A network, its traffic and its faults, all drawn from a seed.
 */

namespace ns3::llm
{

/** What a random run is made of. */
struct RandomFabricPlan
{
    /** A link. Vertices are hosts, then switches. */
    struct Link
    {
        uint32_t a;         //!< vertex
        uint32_t b;         //!< vertex
        uint64_t rateMbps;  //!< line rate
        uint64_t delayTick; //!< propagation, ps
    };

    /** A message; its place is its number in the plan. */
    struct Send
    {
        uint64_t tick;        //!< when, ps
        uint32_t source;      //!< host
        uint32_t destination; //!< host
        uint64_t bytes;       //!< payload
        uint32_t flow;        //!< see Message
    };

    /** A link goes down or comes up. */
    struct Change
    {
        uint32_t link; //!< which
        uint64_t tick; //!< when, ps
        bool isUp;     //!< comes up
    };

    uint64_t seed = 0;                                         //!< of all this
    std::string shape;                                         //!< kind of topology
    uint32_t hosts = 0;                                        //!< number
    std::vector<uint32_t> tiers;                               //!< of each switch
    std::vector<Link> links;                                   //!< all
    std::vector<Send> sends;                                   //!< messages
    std::vector<Change> changes;                               //!< of links
    std::vector<std::pair<std::string, std::string>> settings; //!< attribute defaults
    bool hasPfc = true;                                        //!< data are lossless
    bool hasLoss = false;                                      //!< links corrupt frames
    uint64_t spareBytes = 0; //!< buffer of a switch beyond its reserves and headrooms
    uint32_t maxFrame = 0;   //!< wire bytes, for the headroom

    /** @return one line */
    std::string Describe() const
    {
        std::string text = shape + ", seed " + std::to_string(seed) + ": " + std::to_string(hosts) +
                           " hosts, " + std::to_string(tiers.size()) + " switches, " +
                           std::to_string(sends.size()) + " messages, " +
                           std::to_string(changes.size()) + " link changes";
        for (const auto& [name, value] : settings)
        {
            text += ", " + name.substr(name.rfind("::", name.rfind("::") - 1) + 2) + " " + value;
        }
        return text;
    }
};

/** Draws plans. */
class RandomFabricPlanner
{
  public:
    /** @return the kinds of topologies */
    static std::vector<std::string> GetShapes()
    {
        return {"star", "leaf-spine", "fat-tree", "rail-only", "rail-optimized", "tree", "mesh"};
    }

    /** @param shape one of GetShapes() @param seed of all draws @return the plan */
    RandomFabricPlan Draw(const std::string& shape, uint64_t seed)
    {
        m_random.seed(seed);
        m_plan = RandomFabricPlan();
        m_plan.seed = seed;
        m_plan.shape = shape;
        m_isMixed = Below(100) < 60;
        m_rate = Any<uint64_t>({25000, 100000, 100000, 400000, 33333});
        m_delay = Any<uint64_t>({1, 1000, 500000, 1000000, 3333333});
        DrawTopology();
        DrawFrames();
        DrawFaults();
        DrawBuffers();
        DrawTraffic();
        return m_plan;
    }

  private:
    /** @param limit above 0 @return a number below it */
    uint64_t Below(uint64_t limit)
    {
        return m_random() % limit;
    }

    /** @param low least @param high most @return a number between */
    uint32_t Between(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(Below(high - low + 1));
    }

    /** @param values some @return one of them */
    template <typename T>
    T Any(const std::vector<T>& values)
    {
        return values[Below(values.size())];
    }

    /** @param base a class @return a class derived from it that can be made and is no test's */
    std::string AnyClass(TypeId base)
    {
        std::vector<std::string> names;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId type = TypeId::GetRegistered(i);
            const std::string name = type.GetName();
            if (type.IsChildOf(base) && type.HasConstructor() && name.find("::Test") == name.npos)
            {
                names.push_back(name);
            }
        }
        std::sort(names.begin(), names.end());
        return Any(names);
    }

    /** @param name attribute without "ns3::llm::" @param value text or a number */
    template <typename T>
    void Set(const std::string& name, const T& value)
    {
        std::ostringstream text;
        text << value;
        m_plan.settings.emplace_back("ns3::llm::" + name, text.str());
    }

    /** @param a vertex @param b vertex */
    void Link(uint32_t a, uint32_t b)
    {
        const uint64_t rate =
            m_isMixed ? Any<uint64_t>({25000, 40000, 100000, 200000, 400000}) : m_rate;
        const uint64_t delay = Below(100) < 20 ? 1 + Below(2000000) : m_delay;
        m_plan.links.push_back({a, b, rate, delay});
    }

    /** Draw switches and links. */
    void DrawTopology()
    {
        const std::string shape = m_plan.shape;
        if (shape == "star")
        {
            m_plan.hosts = Between(2, 16);
            LinkHosts(AddSwitches(0, 1), m_plan.hosts);
        }
        else if (shape == "leaf-spine")
        {
            const uint32_t each = Between(1, 4);
            const uint32_t leaves = Between(2, 4);
            m_plan.hosts = each * leaves;
            const auto lower = AddSwitches(0, leaves);
            LinkHosts(lower, each);
            LinkAll(lower, AddSwitches(1, Between(1, 3)), Between(1, 2));
        }
        else if (shape == "fat-tree")
        {
            DrawFatTree(Any<uint32_t>({2, 4, 4}));
        }
        else if (shape == "tree" || shape == "mesh")
        {
            DrawGraph(shape == "mesh");
        }
        else
        {
            DrawRails(shape == "rail-optimized");
        }
    }

    /** @param tier of all @param count so many, after all hosts @return their vertices */
    std::vector<uint32_t> AddSwitches(uint32_t tier, uint32_t count)
    {
        std::vector<uint32_t> vertices;
        for (uint32_t i = 0; i < count; ++i)
        {
            vertices.push_back(m_plan.hosts + static_cast<uint32_t>(m_plan.tiers.size()));
            m_plan.tiers.push_back(tier);
        }
        return vertices;
    }

    /** @param switches get the hosts in order @param each so many each */
    void LinkHosts(const std::vector<uint32_t>& switches, uint32_t each)
    {
        for (uint32_t i = 0; i < m_plan.hosts; ++i)
        {
            Link(i, switches[i / each]);
        }
    }

    /** @param lower some @param upper all of them link to all of these @param parallel links each */
    void LinkAll(const std::vector<uint32_t>& lower,
                 const std::vector<uint32_t>& upper,
                 uint32_t parallel)
    {
        for (const uint32_t a : lower)
        {
            for (uint32_t i = 0; i < upper.size() * parallel; ++i)
            {
                Link(a, upper[i % upper.size()]);
            }
        }
    }

    /** @param k ports of a switch */
    void DrawFatTree(uint32_t k)
    {
        const uint32_t half = k / 2;
        m_plan.hosts = k * half * half;
        const auto edge = AddSwitches(0, k * half);
        const auto middle = AddSwitches(1, k * half);
        const auto core = AddSwitches(2, half * half);
        LinkHosts(edge, half);
        for (uint32_t pod = 0; pod < k; ++pod)
        {
            for (uint32_t i = 0; i < half * half; ++i)
            {
                Link(edge[pod * half + i / half], middle[pod * half + i % half]);
                Link(middle[pod * half + i / half], core[i]);
            }
        }
    }

    /** @param isJoined spines join the rails */
    void DrawRails(bool isJoined)
    {
        m_rails = Between(2, 4);
        m_plan.hosts = m_rails * Between(2, 4);
        const auto rails = AddSwitches(0, m_rails);
        for (uint32_t i = 0; i < m_plan.hosts; ++i)
        {
            Link(i, rails[i % m_rails]);
        }
        if (isJoined)
        {
            m_rails = 1; // one may send to another's
            LinkAll(rails, AddSwitches(1, Between(1, 2)), 1);
        }
    }

    /** @param hasCycles links beyond a spanning tree */
    void DrawGraph(bool hasCycles)
    {
        m_plan.hosts = Between(2, 12);
        const auto switches = AddSwitches(0, Between(3, 8));
        for (uint32_t i = 0; i < m_plan.hosts; ++i)
        {
            Link(i, Any(switches));
        }
        for (std::size_t i = 1; i < switches.size(); ++i)
        {
            Link(switches[i], switches[Below(i)]);
        }
        const uint64_t more = hasCycles ? 1 + Below(2 * switches.size()) : 0;
        for (uint64_t i = 0; i < more; ++i)
        {
            const uint64_t a = Below(switches.size());
            const uint64_t b = (a + 1 + Below(switches.size() - 1)) % switches.size();
            Link(switches[a], switches[b]);
        }
    }

    /** Draw what frames look like and what governs them. */
    void DrawFrames()
    {
        const auto mtu = Any<uint32_t>({256, 1000, 1000, 4096});
        const std::string recovery = AnyClass(RdmaLossRecovery::GetTypeId());
        m_plan.maxFrame = mtu + 500; // overheads and telemetry
        const std::string control = AnyClass(RdmaCongestionControl::GetTypeId());
        Set("RdmaTransport::CongestionControl", control);
        Set("RdmaTransport::LossRecovery", recovery);
        Set("RdmaTransport::Mtu", mtu);
        Set("RdmaTransport::FramesPerAck", Any<uint64_t>({1, 1, 1, 3}));
        Set("RdmaTransport::RetransmissionTimeout", Any<std::string>({"100us", "400us"}));
        Set("RdmaTransport::MaxTimeouts", 20); // where nobody gives up for bad luck
        Set("FabricSwitch::MaxFrameSize", m_plan.maxFrame);
        if (Below(100) < 50)
        {
            Set("FabricSwitch::EcnMinThreshold", 4000);
            Set("FabricSwitch::EcnMaxThreshold", 40000);
        }
        const bool knowsPaths = control == "ns3::llm::IdealFairShare"; // of each flow
        if (recovery == "ns3::llm::SelectiveRepeat" && !knowsPaths && Below(100) < 40)
        {
            Set("SelectiveRepeat::ReorderDepth", Any<uint64_t>({0, 3, 30}));
            Set("FabricSwitch::LoadBalancer", AnyClass(LoadBalancer::GetTypeId()));
        }
    }

    /** Draw losses and changes of links. */
    void DrawFaults()
    {
        // shortest paths in a graph with cycles may wait for each other in a circle
        m_plan.hasPfc = m_plan.shape != "mesh" && Below(100) < 70;
        m_plan.hasLoss = Below(100) < 35;
        if (m_plan.hasLoss)
        {
            const auto type =
                Any<std::string>({"RandomLoss", "BurstLoss", "BitErrorLoss", "ListedLoss"});
            Set("FabricNetwork::FrameLoss", "ns3::llm::" + type);
            Set("FrameLoss::Kinds", Any<uint64_t>({15, 15, 1, 2, 4, 8}));
            Set("RandomLoss::Rate", Any<std::string>({"0.001", "0.01", "0.05"}));
            Set("BurstLoss::GoodTime", "20us");
            Set("BitErrorLoss::Rate", Any<std::string>({"1e-7", "1e-6"}));
            Set("ListedLoss::Frames", "0/0 3/0 #7 #8 #40");
        }
        const uint32_t failing = Below(100) < 35 ? Between(1, 4) : 0;
        for (uint32_t i = 0; i < failing; ++i)
        {
            const auto link = static_cast<uint32_t>(Below(m_plan.links.size()));
            const uint64_t down = 1 + Below(Any<uint64_t>({1000, 50000000}));
            m_plan.changes.push_back({link, down, false});
            if (Below(100) >= 15) // else it stays so
            {
                m_plan.changes.push_back({link, down + 1 + Below(300000000), true});
            }
        }
    }

    /** Draw the sizes of buffers. */
    void DrawBuffers()
    {
        // detours may wait for each other in a circle too: no pauses then
        const bool isTree = m_plan.shape == "star" || m_plan.shape == "tree";
        const bool isAmple = m_plan.hasPfc && !m_plan.changes.empty() && !isTree;
        m_plan.spareBytes = isAmple ? 16000000 : Any<uint64_t>({20, 60, 400}) * m_plan.maxFrame;
        Set("FabricSwitch::Pfc", m_plan.hasPfc ? "true" : "false");
    }

    /** Draw messages. */
    void DrawTraffic()
    {
        const uint32_t count = Between(1, 40);
        const bool isIncast = Below(100) < 40;
        const auto target = static_cast<uint32_t>(Below(m_plan.hosts));
        const auto largest = Any<uint64_t>({5000, 60000, 200000});
        const uint64_t last = Any<uint64_t>({1, 1000000, 100000000});
        const uint64_t full = std::stoull(m_plan.settings[2].second); // Mtu
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t a = 0, b = 0;
            while (a == b || a % m_rails != b % m_rails)
            {
                a = static_cast<uint32_t>(Below(m_plan.hosts));
                b = isIncast && Below(100) < 70 ? target
                                                : static_cast<uint32_t>(Below(m_plan.hosts));
            }
            const uint64_t bytes = Below(100) < 30
                                       ? Any<uint64_t>({0, 1, full - 1, full, full + 1, 2 * full})
                                       : Below(largest);
            m_plan.sends.push_back({Below(last), a, b, bytes, Between(0, 3)});
        }
        // those of a queue pair go in the order of time, then of place
        std::stable_sort(m_plan.sends.begin(),
                         m_plan.sends.end(),
                         [](const auto& x, const auto& y) { return x.tick < y.tick; });
    }

    std::mt19937_64 m_random; //!< draws
    RandomFabricPlan m_plan;  //!< being drawn
    bool m_isMixed = false;   //!< links have different rates
    uint64_t m_rate = 0;      //!< Mb/s, if not
    uint64_t m_delay = 0;     //!< of most links, ps
    uint32_t m_rails = 1;     //!< hosts send within host modulo this
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RANDOM_FABRIC_PLAN_H
