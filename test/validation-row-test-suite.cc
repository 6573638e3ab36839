// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/test.h"
#include "ns3/validation-row.h"

#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Published figures beside the module's.
 */

namespace
{

/** Errors and the table. */
class ValidationRowCase : public TestCase
{
  public:
    ValidationRowCase()
        : TestCase("an error is relative, that of a share is in points, and the table says so")
    {
    }

  private:
    void DoRun() override
    {
        const ValidationRow time{"a time", 2, 2.05, "s"};
        const ValidationRow share{"a share", 40, 38.75, "%"};
        NS_TEST_EXPECT_MSG_EQ_TOL(time.GetErrorPercent(), 2.5, 1e-12, "0.05 of 2");
        NS_TEST_EXPECT_MSG_EQ_TOL(share.GetErrorPercent(), -1.25, 1e-12, "38.75 - 40");
        std::ostringstream out;
        WriteValidationRows(out, {time, share, {"a count", 7168, 7168, "switches"}});
        std::istringstream lines(out.str());
        std::string text;
        for (const std::string expected : {"against published computed unit error",
                                           "a time 2 2.05 s 2.50 %",
                                           "a share 40 38.75 % -1.25 points",
                                           "a count 7168 7168 switches 0.00 %"})
        {
            // a line of lines and the header's may stand between
            while (std::getline(lines, text) &&
                   text.find(expected.substr(0, 7)) == std::string::npos)
            {
            }
            std::istringstream words(text);
            std::string joined;
            for (std::string word; words >> word;)
            {
                joined += (joined.empty() ? "" : " ") + word;
            }
            NS_TEST_EXPECT_MSG_EQ(joined, expected, "line");
        }
    }
};

/** The suite. */
class ValidationRowTestSuite : public TestSuite
{
  public:
    ValidationRowTestSuite()
        : TestSuite("llm-fabric-validation-row", TestSuite::Type::UNIT)
    {
        AddTestCase(new ValidationRowCase);
    }
};

ValidationRowTestSuite g_validationRowTestSuite; //!< registers itself

} // namespace
