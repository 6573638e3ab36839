// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LINE_FIELDS_H
#define LLM_FABRIC_LINE_FIELDS_H

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Reads a text file line by line: fields between blanks, "#" begins a comment, empty lines do not
 * count. What is wrong is refused with the file, the line, the field, its value and what is allowed.
 */
class LineFields
{
  public:
    /**
     * @param kind what the file is, for messages: "flow file"
     * @param path its path
     */
    LineFields(const std::string& kind, const std::string& path);

    /**
     * Go to the next line that has fields.
     * @return whether there is one
     */
    bool Next();
    /**
     * Refuse the line if it has not these fields.
     * @param names their names, in order
     */
    void Expect(std::vector<std::string> names);
    /**
     * @param index a field
     * @param min least value allowed
     * @param max greatest value allowed
     * @return its value, a whole number
     */
    uint64_t GetWhole(std::size_t index, uint64_t min, uint64_t max) const;
    /**
     * @param index a field
     * @param min least value allowed
     * @param max greatest value allowed
     * @return its value
     */
    double GetNumber(std::size_t index, double min, double max) const;
    /**
     * Refuse a field, or the file.
     * @param index the field
     * @param allowed what is allowed
     */
    [[noreturn]] void Refuse(std::size_t index, const std::string& allowed) const;
    /** @param problem what is wrong with the file or the line */
    [[noreturn]] void Refuse(const std::string& problem) const;

  private:
    std::string m_path;                //!< of the file
    std::ifstream m_file;              //!< the file
    uint32_t m_line = 0;               //!< number of the line, from 1
    std::vector<std::string> m_words;  //!< of the line
    std::vector<std::string> m_fields; //!< names
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LINE_FIELDS_H
