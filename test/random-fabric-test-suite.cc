// SPDX-License-Identifier: GPL-2.0-only

// Networks, traffic and faults drawn by chance: what must hold whatever they are, in each way of
// running. LLM_FABRIC_RANDOM_CASES runs more of each shape, LLM_FABRIC_RANDOM_SEED begins elsewhere, and
// LLM_FABRIC_RANDOM_SHAPE runs one shape alone.

#include "random-fabric-plan.h"
#include "random-fabric-run.h"

#include "ns3/test.h"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param name of an environment variable @param other if there is none @return its number */
uint64_t
GetNumber(const char* name, uint64_t other)
{
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : other;
}

/** Random networks of a shape. */
class RandomFabricTestCase : public TestCase
{
  public:
    /** @param shape of the topology */
    explicit RandomFabricTestCase(const std::string& shape)
        : TestCase(shape +
                   ": each message comes once or is cut off, bytes balance, nothing beats its "
                   "bound, and each way of running is equal bit for bit"),
          m_shape(shape)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t first = GetNumber("LLM_FABRIC_RANDOM_SEED", 1);
        const uint64_t cases = GetNumber("LLM_FABRIC_RANDOM_CASES", 10);
        for (uint64_t seed = first; seed < first + cases; ++seed)
        {
            RunOne(seed);
        }
        std::cout << "    " << m_shape << ": " << cases << " cases, " << m_frames << " arrivals, "
                  << m_pauses << " pauses, " << m_losses << " frames lost, " << m_unfinished
                  << " messages cut off\n";
        NS_TEST_EXPECT_MSG_GT(m_frames, 0, "something ran");
    }

    /** @param seed of the plan */
    void RunOne(uint64_t seed)
    {
        const RandomFabricPlan plan = RandomFabricPlanner().Draw(m_shape, seed);
        RandomFabricRun run(plan);
        const auto base = run.Run({false, true});
        NS_TEST_EXPECT_MSG_EQ(base.faults, "", plan.Describe());
        const std::pair<const char*, RandomFabricRun::Way> others[] = {
            {"the same again", {false, true}},
            {"reference mode", {true, true}},
            {"ns-3's engine", {false, false}},
            {"reference mode under ns-3's engine", {true, false}}};
        for (const auto& [name, way] : others)
        {
            const auto other = run.Run(way);
            const bool isEqual = other.numbers == base.numbers && other.faults == base.faults;
            NS_TEST_EXPECT_MSG_EQ(isEqual, true, name << " differs: " << plan.Describe());
        }
        m_frames += base.arrivals;
        m_pauses += base.pauses;
        m_losses += base.losses;
        m_unfinished += base.unfinished;
    }

    std::string m_shape;       //!< of the topology
    uint64_t m_frames = 0;     //!< arrivals, first runs
    uint64_t m_pauses = 0;     //!< received
    uint64_t m_losses = 0;     //!< frames
    uint64_t m_unfinished = 0; //!< messages
};

/** The suite. */
class RandomFabricTestSuite : public TestSuite
{
  public:
    RandomFabricTestSuite()
        : TestSuite("llm-fabric-random-fabric", TestSuite::Type::SYSTEM)
    {
        const char* only = std::getenv("LLM_FABRIC_RANDOM_SHAPE");
        for (const std::string& shape : RandomFabricPlanner::GetShapes())
        {
            if (!only || shape == only)
            {
                AddTestCase(new RandomFabricTestCase(shape));
            }
        }
    }
};

RandomFabricTestSuite g_randomFabricTestSuite; //!< registers the suite

} // namespace
