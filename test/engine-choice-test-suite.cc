// SPDX-License-Identifier: GPL-2.0-only

#include "engine-test-support.h"

#include "ns3/command-line.h"
#include "ns3/frame-clock.h"
#include "ns3/frame-engine.h"
#include "ns3/frame-simulator-impl.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/time-resolution.h"

#include <cstdlib>
#include <string>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return whether the simulator starts with the module's engine */
bool
IsOurs()
{
    Simulator::Now();
    return FrameSimulatorImpl::Get() != nullptr;
}

/** @return whether the simulator starts with another engine */
bool
IsOther()
{
    Simulator::Now();
    return FrameSimulatorImpl::Get() == nullptr;
}

} // namespace

/**
 * @ingroup llm-fabric-test
 * The resolution of time. Every part runs in a process of its own, because a resolution can be set
 * only once; the parts that need one that has never been set are left out if that is not so.
 */
class ResolutionTest : public TestCase
{
  public:
    ResolutionTest()
        : TestCase("picoseconds can be asked for again and again, but not once it is too late")
    {
    }

  private:
    void DoRun() override
    {
        const bool isUnset = IsTrueElsewhere(
            []()
            {
                const Time early = NanoSeconds(3);
                UsePicoseconds();
                UsePicoseconds();
                RequirePicoseconds("the test");
                return Time::GetResolution() == Time::PS && early == PicoSeconds(3000) &&
                       !IsSimulatorStarted();
            });
        if (Time::GetResolution() == Time::NS && isUnset)
        {
            CheckInTime();
            CheckTooLate();
        }
        UsePicoseconds();
        UsePicoseconds();
        RequirePicoseconds("the test");
        NS_TEST_EXPECT_MSG_EQ((Time::GetResolution() == Time::PS), true, "picoseconds");
    }

    /** Where it is still possible. */
    void CheckInTime()
    {
        const bool isPossible = IsTrueElsewhere(
            []()
            {
                Simulator::Now(); // starts the engine, but nothing happens in it
                UsePicoseconds();
                return Time::GetResolution() == Time::PS;
            });
        NS_TEST_EXPECT_MSG_EQ(isPossible, true, "an idle simulator is no obstacle");
    }

    /** Where it is refused. */
    void CheckTooLate()
    {
        Check("simulation has run",
              []()
              {
                  Simulator::Run();
                  Simulator::Destroy();
                  UsePicoseconds();
              });
        Check("another time resolution was set",
              []()
              {
                  Time::SetResolution(Time::FS);
                  UsePicoseconds();
              });
        Check("events were scheduled",
              []()
              {
                  Simulator::Schedule(
                      NanoSeconds(1),
                      +[]() {});
                  UsePicoseconds();
              });
        Check("the test needs a time resolution of picoseconds: call ns3::llm::UsePicoseconds()",
              []() { RequirePicoseconds("the test"); });
        Check("FrameClock needs a time resolution of picoseconds", []() { FrameClock clock; });
    }

    /**
     * Check that something is refused.
     * @param part of the message
     * @param action what is refused
     */
    template <typename Action>
    void Check(const std::string& part, Action action)
    {
        const std::string words = GetDyingWords(action);
        NS_TEST_EXPECT_MSG_EQ((words.find(part) != std::string::npos), true, part << ": " << words);
    }
};

/**
 * @ingroup llm-fabric-test
 * The choice of the engine.
 */
class EngineChoiceTest : public TestCase
{
  public:
    EngineChoiceTest()
        : TestCase("the module's engine is the default, and what the user says comes first")
    {
    }

  private:
    void DoRun() override
    {
        const EngineScope scope(DEFAULT_ENGINE);
        NS_TEST_EXPECT_MSG_EQ(IsSimulatorStarted(), false, "none yet, and asking starts none");
        NS_TEST_EXPECT_MSG_EQ(IsSimulatorStarted(), false, "none yet, and asking starts none");
        CheckUnasked();
        CheckUser();
        const std::string words = GetDyingWords(
            []()
            {
                Simulator::Now();
                UseFrameEngine();
            });
        NS_TEST_EXPECT_MSG_EQ((words.find("the simulator runs already") != std::string::npos),
                              true,
                              words);
        Simulator::Now();
        NS_TEST_EXPECT_MSG_EQ(IsSimulatorStarted(), true, "started");
    }

    /** Where the user says nothing. */
    void CheckUnasked()
    {
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere(
                                  []()
                                  {
                                      UseFrameEngine();
                                      UseFrameEngine();
                                      return !IsSimulatorStarted() && IsOurs() &&
                                             IsSimulatorStarted();
                                  }),
                              true,
                              "the module's engine, not started by its choice");
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere(
                                  []()
                                  {
                                      UseFrameEngine();
                                      Simulator::Now();
                                      UseFrameEngine();
                                      Simulator::Destroy();
                                      return IsOurs();
                                  }),
                              true,
                              "again while it runs, and for the next simulator");
        NS_TEST_EXPECT_MSG_EQ(IsOtherWithEnvironment("ChecksumEnabled=true"),
                              false,
                              "an environment that names other values only");
    }

    /** Where the user chooses. */
    void CheckUser()
    {
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere(
                                  []()
                                  {
                                      UseFrameEngine();
                                      std::string program = "program";
                                      std::string option =
                                          std::string("--SimulatorImplementation") +
                                          "Type=ns3::DefaultSimulatorImpl";
                                      char* arguments[] = {program.data(), option.data(), nullptr};
                                      CommandLine command;
                                      command.Parse(2, arguments);
                                      return IsOther();
                                  }),
                              true,
                              "the command line chooses ns-3's engine");
        NS_TEST_EXPECT_MSG_EQ(
            IsOtherWithEnvironment(
                "ChecksumEnabled=true;SimulatorImplementationType=ns3::DefaultSimulatorImpl"),
            true,
            "the environment chooses ns-3's engine");
        NS_TEST_EXPECT_MSG_EQ(
            IsOtherWithEnvironment("SimulatorImplementationType=ns3::DefaultSimulatorImpl"),
            true,
            "the environment chooses ns-3's engine");
        NS_TEST_EXPECT_MSG_EQ(IsTrueElsewhere(
                                  []()
                                  {
                                      GlobalValue::Bind("SimulatorImplementationType",
                                                        StringValue("ns3::RealtimeSimulatorImpl"));
                                      UseFrameEngine();
                                      return IsOther();
                                  }),
                              true,
                              "some other engine was chosen already");
    }

    /**
     * Choose the engine with an environment.
     * @param values value of the variable NS_GLOBAL_VALUE
     * @return whether it is not the module's engine
     */
    static bool IsOtherWithEnvironment(const std::string& values)
    {
        return IsTrueElsewhere(
            [&values]()
            {
                setenv("NS_GLOBAL_VALUE", values.c_str(), 1);
                UseFrameEngine();
                return IsOther();
            });
    }
};

/**
 * @ingroup llm-fabric-test
 * The choice of resolution and engine.
 */
class EngineChoiceTestSuite : public TestSuite
{
  public:
    EngineChoiceTestSuite()
        : TestSuite("llm-fabric-engine-choice", TestSuite::Type::UNIT)
    {
        AddTestCase(new ResolutionTest);
        AddTestCase(new EngineChoiceTest);
    }
};

/** The suite. */
static EngineChoiceTestSuite g_engineChoiceTestSuite;
