// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/ns3-compat.h"
#include "ns3/object.h"
#include "ns3/string.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// An object with an attribute of an enum type.
class Painted : public Object
{
  public:
    /// What the attribute can be.
    enum Color
    {
        RED = 3,
        BLUE = 7
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    Color m_color; //!< the attribute
};

TypeId
Painted::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::test::Painted")
            .SetParent<Object>()
            .SetGroupName("LlmFabricTest")
            .AddConstructor<Painted>()
            .AddAttribute("Color",
                          "The color",
                          EnumValue(BLUE),
                          compat::MakeEnumAttributeAccessor<Color>(&Painted::m_color),
                          MakeEnumChecker(RED, "Red", BLUE, "Blue"));
    return tid;
}

/**
 * @ingroup llm-fabric-test
 * An enum attribute has its default, and is set and read by name.
 */
class EnumAttributeTest : public TestCase
{
  public:
    EnumAttributeTest()
        : TestCase("An enum attribute is set and read by name")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<Painted> painted = CreateObject<Painted>();
        NS_TEST_ASSERT_MSG_EQ(painted->m_color, Painted::BLUE, "the default");
        painted->SetAttribute("Color", StringValue("Red"));
        NS_TEST_ASSERT_MSG_EQ(painted->m_color, Painted::RED, "set by name");
        StringValue name;
        painted->GetAttribute("Color", name);
        NS_TEST_ASSERT_MSG_EQ(name.Get(), "Red", "read by name");
    }
};

/**
 * @ingroup llm-fabric-test
 * The duration of a long test is one that a quick run leaves out: it is beyond the default one.
 */
class LongTestTest : public TestCase
{
  public:
    LongTestTest()
        : TestCase("A long test is marked as longer than a quick one")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_GT(static_cast<int>(compat::LONG_TEST), 1, "1 is QUICK");
    }
};

/**
 * @ingroup llm-fabric-test
 * What hides the differences between ns-3 releases.
 */
class CompatTestSuite : public TestSuite
{
  public:
    CompatTestSuite()
        : TestSuite("llm-fabric-compat", TestSuite::Type::UNIT)
    {
        AddTestCase(new EnumAttributeTest);
        AddTestCase(new LongTestTest, compat::LONG_TEST);
    }
};

CompatTestSuite g_compatTestSuite; //!< the suite

} // namespace
