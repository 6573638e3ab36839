// SPDX-License-Identifier: GPL-2.0-only

// What can be named on a command line, and what help texts say of the constants of congestion controls.

#include "ns3/class-list.h"
#include "ns3/input-error.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/test.h"
#include "ns3/topology-helper.h"

#include <algorithm>
#include <functional>
#include <regex>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @param what is refused @return the words */
std::string
GetRefusal(const std::function<void()>& what)
{
    try
    {
        what();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "no refusal";
}

/** Names of classes. */
class NamesTestCase : public TestCase
{
  public:
    NamesTestCase()
        : TestCase("Classes are found by short and whole names, in the order given")
    {
    }

  private:
    void DoRun() override
    {
        const TypeId base = RdmaCongestionControl::GetTypeId();
        const auto some = ParseClasses("controls", "Hpcc,ns3::llm::Dcqcn,Hpcc", base);
        NS_TEST_ASSERT_MSG_EQ(some.size(), 2u, "each once");
        NS_TEST_EXPECT_MSG_EQ(some[0].GetName(), "ns3::llm::Hpcc", "first");
        NS_TEST_EXPECT_MSG_EQ(GetClassName(some[1]), "Dcqcn", "second");
        const auto all = ParseClasses("controls", "all", base);
        NS_TEST_EXPECT_MSG_EQ((all.size() >= 10), true, "all: " << all.size());
        NS_TEST_EXPECT_MSG_EQ((std::find(all.begin(), all.end(), base) == all.end()),
                              true,
                              "the abstract class cannot be made");
        const bool isSorted =
            std::is_sorted(all.begin(),
                           all.end(),
                           [](TypeId a, TypeId b) { return a.GetName() < b.GetName(); });
        NS_TEST_EXPECT_MSG_EQ(isSorted, true, "in the order of names, not of linking");
        const std::string wrong = GetRefusal([&]() { ParseClasses("controls", "Hpc", base); });
        NS_TEST_EXPECT_MSG_EQ((wrong.find("--controls: there is no 'Hpc'; there are: all") == 0 &&
                               wrong.find(" Hpcc") != std::string::npos),
                              true,
                              wrong);
        const std::string none = GetRefusal([&]() { ParseClasses("controls", "", base); });
        NS_TEST_EXPECT_MSG_EQ(none, "--controls names nothing", "nothing");
    }
};

/** Names of fabrics. */
class FabricsTestCase : public TestCase
{
  public:
    FabricsTestCase()
        : TestCase("Fabrics are called after the classes of their helpers")
    {
    }

  private:
    void DoRun() override
    {
        const auto fabrics = ListFabrics();
        for (const std::string name : {"fat-tree", "rail-only", "rail-optimized", "single-switch"})
        {
            NS_TEST_EXPECT_MSG_EQ(std::count(fabrics.begin(), fabrics.end(), name), 1, name);
        }
        NS_TEST_EXPECT_MSG_EQ(MakeFabricFactory("rail-only").GetTypeId().GetName(),
                              "ns3::llm::RailOnlyHelper",
                              "the helper");
        const std::string wrong = GetRefusal([]() { MakeFabricFactory("rail"); });
        NS_TEST_EXPECT_MSG_EQ((wrong.find("there is no fabric 'rail'; there are:") == 0),
                              true,
                              wrong);
    }
};

/** Help texts. */
class HelpTestCase : public TestCase
{
  public:
    HelpTestCase()
        : TestCase("Each constant of a congestion control says its unit and where it comes from")
    {
    }

  private:
    void DoRun() override
    {
        const std::regex source("paper|authors' simulator|HPCC's|published simulator|uet-htsim|RFC "
                                "8257|ConnectX|eRPC|\\bours\\b");
        const std::regex unit(
            "byte|frame|[Ss]hare| over |[Pp]art\\b|weight|Weight|units of|alpha|stage|update|"
            "timeout|flow|round trip|increases after|divided by|U of|beta of");
        uint32_t constants = 0;
        for (const TypeId& type : ListClasses(RdmaCongestionControl::GetTypeId()))
        {
            if (type.GetName().find("ns3::llm::Test") == 0)
            {
                continue; // of another suite
            }
            for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
            {
                const auto attribute = type.GetAttribute(i);
                const std::string name = type.GetName() + "::" + attribute.name;
                NS_TEST_EXPECT_MSG_EQ(std::regex_search(attribute.help, source),
                                      true,
                                      name << " has no source: " << attribute.help);
                const std::string kind = attribute.checker->GetValueTypeName();
                const bool isNumber = kind == "ns3::DoubleValue" || kind == "ns3::UintegerValue";
                NS_TEST_EXPECT_MSG_EQ((!isNumber || std::regex_search(attribute.help, unit)),
                                      true,
                                      name << " has no unit: " << attribute.help);
                ++constants;
            }
        }
        NS_TEST_EXPECT_MSG_EQ((constants > 80), true, "only " << constants << " constants");
    }
};

/** The suite. */
class ClassListTestSuite : public TestSuite
{
  public:
    ClassListTestSuite()
        : TestSuite("llm-fabric-class-list", TestSuite::Type::UNIT)
    {
        AddTestCase(new NamesTestCase);
        AddTestCase(new FabricsTestCase);
        AddTestCase(new HelpTestCase);
    }
};

ClassListTestSuite g_classListTestSuite; //!< registers the suite

} // namespace
