// SPDX-License-Identifier: GPL-2.0-only

#include "text-table.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ns3::llm
{

TextTable::TextTable(std::vector<std::string> header)
{
    m_rows.push_back(std::move(header));
}

void
TextTable::AddRow(std::vector<std::string> cells)
{
    NS_ABORT_MSG_UNLESS(cells.size() == m_rows.front().size(),
                        "a row of " << cells.size() << " cells in a table of "
                                    << m_rows.front().size() << " columns");
    m_rows.push_back(std::move(cells));
}

bool
TextTable::IsEmpty() const
{
    return m_rows.size() == 1;
}

void
TextTable::Print(std::ostream& out, std::size_t indent) const
{
    std::vector<std::size_t> widths(m_rows.front().size());
    for (const auto& row : m_rows)
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    for (const auto& row : m_rows)
    {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const std::string padding(widths[i] - row[i].size(), ' ');
            line += i == 0 ? row[i] + padding : "  " + padding + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << "\n";
    }
}

std::string
FormatNumber(double value, int decimals)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    return text;
}

std::string
FormatCount(uint64_t value)
{
    std::string text = std::to_string(value);
    for (std::size_t end = text.size(); end > 3; end -= 3)
    {
        text.insert(end - 3, ",");
    }
    return text;
}

std::string
FormatBytes(uint64_t bytes)
{
    static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
    const char* unit = nullptr;
    for (const char* next : units)
    {
        if (bytes == 0 || bytes % 1024 != 0)
        {
            break;
        }
        bytes /= 1024;
        unit = next;
    }
    return FormatCount(bytes) + " " + (unit ? unit : "B");
}

} // namespace ns3::llm
