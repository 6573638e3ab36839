// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEXT_TABLE_H
#define LLM_FABRIC_TEXT_TABLE_H

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * A table of text for a terminal: the first column is aligned left, the others right.
 */
class TextTable
{
  public:
    /** @param header names of the columns, with units */
    explicit TextTable(std::vector<std::string> header);
    /** @param cells the row, one cell per column */
    void AddRow(std::vector<std::string> cells);
    /** @return whether there is no row */
    bool IsEmpty() const;
    /**
     * @param out where to print
     * @param indent number of spaces before each line
     */
    void Print(std::ostream& out, std::size_t indent = 2) const;

  private:
    std::vector<std::vector<std::string>> m_rows; //!< the header first
};

/**
 * @param value a number
 * @param decimals digits after the point
 * @return it as text, never in scientific form
 */
std::string FormatNumber(double value, int decimals);

/**
 * @param value a count
 * @return it with a comma between thousands: "28,901,376"
 */
std::string FormatCount(uint64_t value);

/**
 * @param bytes a size
 * @return it in the largest binary unit that divides it: "16 MiB", else in bytes: "1,000 B"
 */
std::string FormatBytes(uint64_t bytes);

} // namespace ns3::llm

#endif // LLM_FABRIC_TEXT_TABLE_H
