// SPDX-License-Identifier: GPL-2.0-only

// Ideal times against a small simulator of frames that shares no code with them.

#include "star-frames.h"

#include "ns3/test.h"

#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Ideal time and frame simulation agree. */
class FramesTestCase : public TestCase
{
  public:
    FramesTestCase()
        : TestCase("Ideal times are within 0.2 % of a simulation of every frame")
    {
    }

  private:
    /** One comparison. */
    struct Case
    {
        CollectiveOperation operation; //!< what
        uint64_t bytes;                //!< S
        uint32_t channels;             //!< rings
        StarSetting setting; //!< size, bit/s, delay (ps), MTU, overhead, ACK, per ACK, latency (ps)
    };

    void DoRun() override
    {
        constexpr auto REDUCE = CollectiveOperation::ALL_REDUCE;
        constexpr auto GATHER = CollectiveOperation::ALL_GATHER;
        constexpr auto SCATTER = CollectiveOperation::REDUCE_SCATTER;
        constexpr auto POINT = CollectiveOperation::POINT_TO_POINT;
        constexpr uint64_t G = 1'000'000'000;
        const Case cases[] = {
            {POINT, 256'000'000, 1, {2, 400 * G, 500'000, 4096, 82, 86, 1, 0}},
            {POINT, 1'000'000, 1, {2, 400 * G, 500'000, 1024, 82, 86, 1, 6'000'000}},
            {SCATTER, 256'000'000, 1, {2, 400 * G, 500'000, 4096, 82, 86, 1, 0}},
            {REDUCE, 32'000'000, 1, {2, 100 * G, 1'000, 4096, 82, 86, 1, 0}},
            {REDUCE, 3'000'000, 1, {3, 100 * G, 1'000'000, 1000, 48, 84, 1, 0}},
            {GATHER, 16'000'000, 1, {8, 400 * G, 500'000, 4096, 82, 86, 1, 0}},
            {REDUCE, 16'777'216, 1, {8, 400 * G, 1'000, 9000, 82, 86, 1, 6'000'000}},
            {GATHER, 1'000'000, 1, {8, 100 * G, 5'000, 256, 82, 86, 1, 0}},
            {GATHER, 4'000'000, 1, {16, 800 * G, 20'000, 4096, 82, 86, 1, 1'000'000}},
            {REDUCE, 4'000'000, 1, {16, 100 * G, 5'000'000, 1024, 82, 86, 1, 0}},
            {GATHER, 1'000'000, 1, {64, 100 * G, 5'000, 4096, 82, 86, 1, 0}},
            {SCATTER, 1'000'000, 1, {64, 400 * G, 500'000, 1024, 82, 86, 1, 0}},
            {GATHER, 3'333'333, 1, {64, 100 * G, 5'000, 4096, 82, 86, 1, 0}},
            {SCATTER, 1'000'003, 1, {64, 100 * G, 5'000, 1500, 82, 86, 1, 6'000'000}},
            {GATHER, 2'000'000, 1, {5, 100 * G, 100'000, 1024, 82, 86, 4, 0}},
            {REDUCE, 4'000'000, 2, {4, 400 * G, 200'000, 4096, 82, 86, 1, 0}},
            {GATHER, 8'000'000, 4, {8, 400 * G, 500'000, 4096, 82, 86, 1, 1'000'000}},
        };
        for (const Case& c : cases)
        {
            const auto program = MakeProgram(c.operation, c.bytes, c.setting.size, c.channels);
            FrameSimulation simulation(*program, c.setting);
            const double simulated = static_cast<double>(simulation.Run());
            const double ideal = GetIdeal(*program, c.setting);
            const double bound = GetBound(*program, c.setting);
            std::ostringstream name;
            name << llm::GetName(c.operation) << " of " << c.bytes << " B, " << c.setting.size
                 << " ranks, MTU " << c.setting.mtu << ", delay " << c.setting.delayPs << " ps";
            NS_TEST_EXPECT_MSG_EQ_TOL(ideal / simulated, 1, 0.002, name.str());
            NS_TEST_EXPECT_MSG_LT(bound, simulated, "bound of " << name.str());
            NS_TEST_EXPECT_MSG_LT(bound, ideal, "bound of " << name.str());
        }
    }
};

/** All of them. */
class CollectiveFramesTestSuite : public TestSuite
{
  public:
    CollectiveFramesTestSuite()
        : TestSuite("llm-fabric-collective-frames", TestSuite::Type::UNIT)
    {
        AddTestCase(new FramesTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveFramesTestSuite g_collectiveFramesTestSuite; //!< registers the suite

} // namespace
