// SPDX-License-Identifier: GPL-2.0-only

#include "accelerator.h"

#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <boost/tokenizer.hpp>

#include <cmath>
#include <fstream>
#include <map>

namespace ns3::llm
{

namespace
{

/** A line of a CSV file, by column name. */
class CsvRow
{
  public:
    /**
     * @param place file and line, for messages
     * @param header names of the columns
     * @param line the text
     */
    CsvRow(const std::string& place,
           const std::vector<std::string>& header,
           const std::string& line)
        : m_place(place)
    {
        const auto fields = Split(line);
        if (fields.size() != header.size())
        {
            RefuseInput(place + ": " + std::to_string(fields.size()) +
                        " fields, but the header has " + std::to_string(header.size()) +
                        " columns");
        }
        for (std::size_t i = 0; i < header.size(); ++i)
        {
            m_fields[header[i]] = fields[i];
        }
    }

    /**
     * @param line a line
     * @return its fields; commas inside double quotes do not separate
     */
    static std::vector<std::string> Split(const std::string& line)
    {
        boost::tokenizer<boost::escaped_list_separator<char>> fields(line);
        return {fields.begin(), fields.end()};
    }

    /**
     * @param column its name
     * @return the text of the field
     */
    const std::string& GetText(const std::string& column) const
    {
        const auto found = m_fields.find(column);
        if (found == m_fields.end())
        {
            RefuseInput(m_place + ": the header has no column '" + column + "'");
        }
        return found->second;
    }

    /**
     * @param column its name
     * @param required whether an empty field is refused
     * @return the number, 0 when empty
     */
    double GetNumber(const std::string& column, bool required = false) const
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

  private:
    std::string m_place;                         //!< file and line
    std::map<std::string, std::string> m_fields; //!< by column
};

/**
 * @param row a line of the file
 * @return the accelerator
 */
Accelerator
MakeAccelerator(const CsvRow& row)
{
    constexpr double TERA = 1e12;
    constexpr double GIGA = 1e9;
    Accelerator result;
    result.name = row.GetText("accelerator");
    result.matrixFlopsPerSecond = TERA * row.GetNumber("fp16_bf16_tflops", true);
    result.matrixFlopsPerSecond8 = TERA * row.GetNumber("fp8_tflops");
    result.vectorFlopsPerSecond = TERA * row.GetNumber("fp32_vector_tflops");
    result.memoryBytes = static_cast<uint64_t>(std::llround(GIGA * row.GetNumber("hbm_gb", true)));
    result.memoryBytesPerSecond = GIGA * row.GetNumber("hbm_gb_per_s", true);
    result.scaleUpRate = DataRate(static_cast<uint64_t>(
        std::llround(8 * GIGA * row.GetNumber("scale_up_gb_per_s_per_direction", true))));
    result.scaleUpDomain = static_cast<uint32_t>(row.GetNumber("scale_up_domain", true));
    result.nicRate =
        DataRate(static_cast<uint64_t>(std::llround(GIGA * row.GetNumber("nic_gbps_per_gpu"))));
    result.system = row.GetText("common_system");
    result.source = row.GetText("source");
    return result;
}

} // namespace

std::vector<Accelerator>
Accelerator::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        RefuseInput("cannot read the accelerator file '" + path + "'");
    }
    std::vector<std::string> header;
    std::vector<Accelerator> result;
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
            header = CsvRow::Split(line);
            continue;
        }
        const CsvRow row(path + ", line " + std::to_string(number), header, line);
        result.push_back(MakeAccelerator(row));
    }
    return result;
}

Accelerator
Accelerator::FromName(const std::string& name)
{
    std::vector<std::string> names;
    std::vector<std::string> similar;
    std::vector<Accelerator> matches;
    for (const auto& candidate : ReadFile(FindDataFile("accelerators.csv")))
    {
        names.push_back(candidate.name);
        if (boost::algorithm::iequals(candidate.name, name))
        {
            return candidate;
        }
        if (!name.empty() && boost::algorithm::istarts_with(candidate.name, name))
        {
            matches.push_back(candidate);
            similar.push_back(candidate.name);
        }
    }
    if (matches.size() == 1)
    {
        return matches[0];
    }
    if (matches.size() > 1)
    {
        RefuseInput("accelerator = '" + name + "' fits several" +
                    DescribeAllowedNames(name, similar));
    }
    RefuseInput("accelerator = '" + name + "' is not known" + DescribeAllowedNames(name, names));
}

} // namespace ns3::llm
