// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"
#include "ns3/type-id.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Every kind of option on a command line, at its limits.
 */

namespace
{

/** Options of every kind, and what they get. */
class AllKinds
{
  public:
    AllKinds()
        : options("program", "Does things.")
    {
        options.Add("text", "any text", text);
        options.Add("choice", "one of some", choice, {"fat-tree", "rail-only"});
        options.Add("small", "a number with limits", small, 2, 64);
        options.Add("count", "a number without", count);
        options.Add("large", "a large number", large);
        options.Add("rate", "a rate", rate);
        options.Add("flag", "a flag", flag);
    }

    /** @param words the command line without the program @return the refusal, empty if none */
    std::string Parse(std::vector<std::string> words) const
    {
        words.insert(words.begin(), "program");
        std::vector<char*> pointers;
        for (std::string& word : words)
        {
            pointers.push_back(word.data());
        }
        try
        {
            options.Parse(static_cast<int>(pointers.size()), pointers.data());
        }
        catch (const InputError& error)
        {
            return error.what();
        }
        return "";
    }

    ProgramOptions options;            //!< under test
    std::string text = "nothing";      //!< gets a text
    std::string choice = "fat-tree";   //!< gets a choice
    uint32_t small = 8;                //!< gets a number from 2 to 64
    uint32_t count = 0;                //!< gets a number
    uint64_t large = 0;                //!< gets a large number
    DataRate rate = DataRate("1Gbps"); //!< gets a rate
    bool flag = false;                 //!< gets a flag
};

/** A test of options. */
class OptionsBase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @param word a word @param parts must be in the refusal */
    void ExpectRefused(const std::string& word, const std::vector<std::string>& parts)
    {
        const std::string message = AllKinds().Parse({word});
        NS_TEST_EXPECT_MSG_NE(message, "", word << " is refused");
        for (const std::string& part : parts)
        {
            NS_TEST_EXPECT_MSG_NE(message.find(part), std::string::npos, part << " in " << message);
        }
    }
};

/** Numbers. */
class NumbersTestCase : public OptionsBase
{
  public:
    NumbersTestCase()
        : OptionsBase("Whole numbers are taken up to their limits and not beyond")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t value : {2u, 64u})
        {
            AllKinds kinds;
            NS_TEST_EXPECT_MSG_EQ(kinds.Parse({"--small=" + std::to_string(value)}), "", value);
            NS_TEST_EXPECT_MSG_EQ(kinds.small, value, "at a limit");
        }
        AllKinds kinds;
        NS_TEST_EXPECT_MSG_EQ(kinds.Parse({"--count=4294967295", "--large=18446744073709551615"}),
                              "",
                              "the largest");
        NS_TEST_EXPECT_MSG_EQ(kinds.count, UINT32_MAX, "32 bits");
        NS_TEST_EXPECT_MSG_EQ(kinds.large, UINT64_MAX, "64 bits");
        ExpectRefused("--small=1", {"--small=1 ", "from 2 to 64"});
        ExpectRefused("--small=65", {"--small=65 ", "from 2 to 64"});
        ExpectRefused("--count=4294967296", {"from 0 on"});
        ExpectRefused("--large=18446744073709551616", {"--large=18446744073709551616"});
        for (const std::string text : {"", " 3", "3 ", "+3", "-3", "3.0", "1e3", "0x10", "three"})
        {
            ExpectRefused("--count=" + text, {"--count=" + text, "whole number"});
            ExpectRefused("--large=" + text, {"--large=" + text, "whole number"});
        }
    }
};

/** Rates. */
class RatesTestCase : public OptionsBase
{
  public:
    RatesTestCase()
        : OptionsBase("A rate is a number with a unit, as an option and as an attribute")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, uint64_t>> table{{"8bps", 8},
                                                                  {"3kbps", 3000},
                                                                  {"3KBps", 24000},
                                                                  {"2Mbps", 2000000},
                                                                  {"400Gbps", 400000000000},
                                                                  {"50GBps", 400000000000},
                                                                  {"1600Gbps", 1600000000000},
                                                                  {"0.5GBps", 4000000000}};
        for (const auto& [text, bps] : table)
        {
            AllKinds kinds;
            NS_TEST_EXPECT_MSG_EQ(kinds.Parse({"--rate=" + text}), "", text);
            NS_TEST_EXPECT_MSG_EQ(kinds.rate.GetBitRate(), bps, text);
        }
        const std::string attribute = "ns3::llm::TopologyHelper::NicRate";
        for (const std::string wrong : {"",
                                        "400",
                                        "4.5",
                                        "Gbps",
                                        "fast",
                                        "400gigabits",
                                        "-400Gbps",
                                        "4.0.0Gbps",
                                        "400Gbps!",
                                        "1.6Xbps"})
        {
            ExpectRefused("--rate=" + wrong, {"--rate=" + wrong + ":", "a rate"});
            ExpectRefused("--" + attribute + "=" + wrong, {attribute, "a rate"});
        }
    }
};

/** Flags. */
class FlagsTestCase : public OptionsBase
{
  public:
    FlagsTestCase()
        : OptionsBase("A flag stands alone or has true or false, and takes no word after it")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [word, expected] :
             std::vector<std::pair<std::string, bool>>{{"--flag", true},
                                                       {"--flag=true", true},
                                                       {"--flag=1", true},
                                                       {"--flag=false", false},
                                                       {"--flag=0", false}})
        {
            AllKinds kinds;
            kinds.flag = !expected;
            NS_TEST_EXPECT_MSG_EQ(kinds.Parse({word}), "", word);
            NS_TEST_EXPECT_MSG_EQ(kinds.flag, expected, word);
        }
        ExpectRefused("--flag=", {"true or false"});
        ExpectRefused("--flag=yes", {"--flag=yes", "true or false"});
        const std::string message = AllKinds().Parse({"--flag", "false"});
        NS_TEST_EXPECT_MSG_NE(message.find("'false' is no option"), std::string::npos, message);
    }
};

/** Words. */
class WordsTestCase : public OptionsBase
{
  public:
    WordsTestCase()
        : OptionsBase("A value follows = or is the next word; the last of several counts")
    {
    }

  private:
    void DoRun() override
    {
        AllKinds kinds;
        NS_TEST_EXPECT_MSG_EQ(kinds.Parse({"--small",
                                           "9",
                                           "--flag",
                                           "--text",
                                           "-x",
                                           "--count=3",
                                           "--choice",
                                           "rail-only",
                                           "--small=10",
                                           "--large=5"}),
                              "",
                              "all right");
        NS_TEST_EXPECT_MSG_EQ(kinds.small, 10, "the last");
        NS_TEST_EXPECT_MSG_EQ(kinds.flag, true, "a flag between");
        NS_TEST_EXPECT_MSG_EQ(kinds.text, "-x", "a word with one dash is a value");
        NS_TEST_EXPECT_MSG_EQ(kinds.choice, "rail-only", "a choice as a word");
        NS_TEST_EXPECT_MSG_EQ(kinds.Parse({"--text="}), "", "no text is a text");
        NS_TEST_EXPECT_MSG_EQ(kinds.text, "", "empty");
        NS_TEST_EXPECT_MSG_EQ(kinds.Parse({}), "", "nothing");
        NS_TEST_EXPECT_MSG_EQ(kinds.small, 10, "left alone");
        const std::string message = kinds.Parse({"--text", "--small=3"});
        NS_TEST_EXPECT_MSG_NE(message.find("--text needs a value: --text=nothing"),
                              std::string::npos,
                              "an option is no value: " << message);
        for (const std::string word : {"--", "-", "-flag", "", "small=3"})
        {
            ExpectRefused(word, {"'" + word + "' is no option"});
        }
    }
};

/** Names that are nearly right. */
class NearNamesTestCase : public OptionsBase
{
  public:
    NearNamesTestCase()
        : OptionsBase("A name that is nearly right is answered by the right one")
    {
    }

  private:
    void DoRun() override
    {
        ExpectRefused("--smal=3", {"option --smal is unknown", "did you mean --small?"});
        ExpectRefused("--Flag", {"did you mean --flag?"});
        ExpectRefused("--RngSed=3", {"did you mean --RngSeed?"});
        ExpectRefused("--choice=rail-onyl", {"--choice=rail-onyl", "rail-only", "fat-tree"});
        ExpectRefused("--ns3::llm::TopologyHelpr::NicRate=1Gbps", {"ns3::llm::TopologyHelper"});
        ExpectRefused("--ns3::llm::TopologyHelper::NicRat=1Gbps", {"no attribute", "NicRate"});
        const std::string message = AllKinds().Parse({"--abcdefghijklmnop=1"});
        NS_TEST_EXPECT_MSG_EQ(message.find("did you mean"), std::string::npos, message);
        NS_TEST_EXPECT_MSG_NE(message.find("--help"), std::string::npos, message);
    }
};

/** Attributes and global values. */
class ForeignTestCase : public OptionsBase
{
  public:
    ForeignTestCase()
        : OptionsBase("Attributes and global values get what fits them; what does not is refused")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t run = RngSeedManager::GetRun();
        AllKinds kinds;
        NS_TEST_EXPECT_MSG_EQ(kinds.Parse({"--RngRun=17", "--ns3::llm::Dcqcn::Gain=0.25"}),
                              "",
                              "all right");
        NS_TEST_EXPECT_MSG_EQ(RngSeedManager::GetRun(), 17, "global value");
        RngSeedManager::SetRun(run);
        TypeId::AttributeInformation info;
        TypeId::LookupByName("ns3::llm::Dcqcn").LookupAttributeByName("Gain", &info);
        const auto value = DynamicCast<const DoubleValue>(info.initialValue);
        NS_TEST_ASSERT_MSG_NE(value, nullptr, "a number");
        NS_TEST_EXPECT_MSG_EQ(value->Get(), 0.25, "attribute");
        Config::Reset();
        for (const std::string wrong : {"", "1,5", "x", "1e", "0.5s"})
        {
            ExpectRefused("--ns3::llm::Dcqcn::Gain=" + wrong, {"Gain=" + wrong, "a number"});
        }
        for (const std::string wrong : {"", "5", "5 us", "us", "5parsec"})
        {
            ExpectRefused("--ns3::llm::TopologyHelper::NicDelay=" + wrong,
                          {"NicDelay=" + wrong, "a time with a unit"});
        }
        for (const std::string wrong : {"", "-1", "1.5", "many", "99999999999999999999"})
        {
            ExpectRefused("--ns3::llm::TopologyHelper::DomainSize=" + wrong, {"DomainSize"});
            ExpectRefused("--RngSeed=" + wrong, {"--RngSeed=" + wrong});
        }
        ExpectRefused("--RngRun", {"--RngRun"});
    }
};

/** The help. */
class HelpTestCase : public TestCase
{
  public:
    HelpTestCase()
        : TestCase("The help lists all options in order, with the defaults of before")
    {
    }

  private:
    void DoRun() override
    {
        AllKinds kinds;
        kinds.Parse({"--small=9", "--flag"});
        const std::string help = kinds.options.GetHelp();
        const std::string expected = "program [options]\n\nDoes things.\n\nOptions:\n"
                                     "  --text    any text [nothing]\n"
                                     "  --choice  one of some [fat-tree]\n"
                                     "  --small   a number with limits [8]\n"
                                     "  --count   a number without [0]\n"
                                     "  --large   a large number [0]\n"
                                     "  --rate    a rate [1000000000bps]\n"
                                     "  --flag    a flag [false]\n";
        NS_TEST_EXPECT_MSG_EQ(help.substr(0, expected.size()), expected, "options");
    }
};

/** The suite. */
class ProgramOptionsTestSuite : public TestSuite
{
  public:
    ProgramOptionsTestSuite()
        : TestSuite("llm-fabric-program-options", TestSuite::Type::UNIT)
    {
        AddTestCase(new NumbersTestCase);
        AddTestCase(new RatesTestCase);
        AddTestCase(new FlagsTestCase);
        AddTestCase(new WordsTestCase);
        AddTestCase(new NearNamesTestCase);
        AddTestCase(new ForeignTestCase);
        AddTestCase(new HelpTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_programOptionsTestSuite; //!< registers the suite

} // namespace
