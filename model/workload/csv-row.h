// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CSV_ROW_H
#define LLM_FABRIC_CSV_ROW_H

#include <map>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * A line of a CSV file, by column name: '#' begins a comment line, the first other line is the header,
 * commas inside double quotes do not separate. What is wrong is refused with file, line and column.
 */
class CsvRow
{
  public:
    /**
     * @param kind what the file is, for messages: "accelerator file"
     * @param path its path
     * @return its rows
     */
    static std::vector<CsvRow> ReadFile(const std::string& kind, const std::string& path);

    /**
     * @param column its name
     * @return the text of the field
     */
    const std::string& GetText(const std::string& column) const;
    /**
     * @param column its name
     * @param required whether an empty field is refused
     * @return the number, at least 0; 0 when empty
     */
    double GetNumber(const std::string& column, bool required = false) const;

  private:
    /**
     * @param place file and line, for messages
     * @param header names of the columns
     * @param line the text
     */
    CsvRow(const std::string& place,
           const std::vector<std::string>& header,
           const std::string& line);

    std::string m_place;                         //!< file and line
    std::map<std::string, std::string> m_fields; //!< by column
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CSV_ROW_H
