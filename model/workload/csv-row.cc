// SPDX-License-Identifier: GPL-2.0-only

#include "csv-row.h"

#include "ns3/input-error.h"

#include <boost/algorithm/string/trim.hpp>
#include <boost/tokenizer.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace ns3::llm
{

namespace
{

/**
 * @param line a line
 * @return its fields; commas inside double quotes do not separate
 */
std::vector<std::string>
SplitCsv(const std::string& line)
{
    boost::tokenizer<boost::escaped_list_separator<char>> fields(line);
    return {fields.begin(), fields.end()};
}

} // namespace

CsvRow::CsvRow(const std::string& place,
               const std::vector<std::string>& header,
               const std::string& line)
    : m_place(place)
{
    const auto fields = SplitCsv(line);
    if (fields.size() != header.size())
    {
        RefuseInput(place + ": " + std::to_string(fields.size()) + " fields, but the header has " +
                    std::to_string(header.size()) + " columns");
    }
    for (std::size_t i = 0; i < header.size(); ++i)
    {
        m_fields[header[i]] = fields[i];
    }
}

std::vector<CsvRow>
CsvRow::ReadFile(const std::string& kind, const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        RefuseInput("cannot read the " + kind + " '" + path + "'");
    }
    std::vector<std::string> header;
    std::vector<CsvRow> rows;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
    {
        boost::algorithm::trim_right(line);
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        if (header.empty())
        {
            header = SplitCsv(line);
            continue;
        }
        rows.push_back(CsvRow(path + ", line " + std::to_string(number), header, line));
    }
    return rows;
}

const std::string&
CsvRow::GetText(const std::string& column) const
{
    const auto found = m_fields.find(column);
    if (found == m_fields.end())
    {
        RefuseInput(m_place + ": the header has no column '" + column + "'");
    }
    return found->second;
}

double
CsvRow::GetNumber(const std::string& column, bool required) const
{
    const std::string& text = GetText(column);
    if (text.empty() && !required)
    {
        return 0;
    }
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(number) || number < 0)
    {
        RefuseInput(m_place + ": " + column + " = '" + text +
                    "' is not a number that is at least 0");
    }
    return number;
}

} // namespace ns3::llm
