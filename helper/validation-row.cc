// SPDX-License-Identifier: GPL-2.0-only

#include "validation-row.h"

#include "ns3/text-table.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace ns3::llm
{

namespace
{

/**
 * @param value a figure
 * @return it with four significant digits, or all of a whole number
 */
std::string
FormatFigure(double value)
{
    constexpr int DIGITS = 4;
    std::ostringstream text;
    text << std::setprecision(DIGITS) << value;
    return value == std::round(value) ? FormatNumber(value, 0) : text.str();
}

} // namespace

void
WriteValidationRows(std::ostream& out, const std::vector<ValidationRow>& rows)
{
    TextTable table({"against", "published", "computed", "unit", "error"});
    for (const ValidationRow& row : rows)
    {
        const bool isShare = row.unit == "%";
        table.AddRow({row.what,
                      FormatFigure(row.published),
                      FormatFigure(row.computed),
                      row.unit,
                      FormatNumber(row.GetErrorPercent(), 2) + (isShare ? " points" : " %     ")});
    }
    table.Print(out);
}

} // namespace ns3::llm
