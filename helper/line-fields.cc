// SPDX-License-Identifier: GPL-2.0-only

#include "line-fields.h"

#include "ns3/input-error.h"
#include "ns3/text-table.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace ns3::llm
{

LineFields::LineFields(const std::string& kind, const std::string& path)
    : m_path(path),
      m_file(path)
{
    if (!m_file)
    {
        RefuseInput("cannot read the " + kind + " '" + path + "'");
    }
}

bool
LineFields::Next()
{
    std::string line;
    while (std::getline(m_file, line))
    {
        ++m_line;
        std::istringstream words(line.substr(0, line.find('#')));
        m_words.clear();
        for (std::string word; words >> word;)
        {
            m_words.push_back(word);
        }
        if (!m_words.empty())
        {
            return true;
        }
    }
    return false;
}

void
LineFields::Expect(std::vector<std::string> names)
{
    m_fields = std::move(names);
    if (m_words.size() != m_fields.size())
    {
        std::string text;
        for (const std::string& name : m_fields)
        {
            text += (text.empty() ? "" : ", ") + name;
        }
        Refuse(std::to_string(m_words.size()) + " fields; a line has " +
               std::to_string(m_fields.size()) + ": " + text);
    }
}

uint64_t
LineFields::GetWhole(std::size_t index, uint64_t min, uint64_t max) const
{
    const std::string& word = m_words[index];
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < min || value > max)
    {
        Refuse(index,
               "a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
                   " is allowed");
    }
    return value;
}

double
LineFields::GetNumber(std::size_t index, double min, double max) const
{
    char* end = nullptr;
    const double value = std::strtod(m_words[index].c_str(), &end);
    // written so that "nan" is refused, too
    if (*end != '\0' || !(value >= min && value <= max))
    {
        Refuse(index,
               "a number from " + FormatNumber(min, 0) + " to " + FormatNumber(max, 0) +
                   " is allowed");
    }
    return value;
}

void
LineFields::Refuse(std::size_t index, const std::string& allowed) const
{
    Refuse(m_fields[index] + " '" + m_words[index] + "': " + allowed);
}

void
LineFields::Refuse(const std::string& problem) const
{
    RefuseInput(m_path + ", line " + std::to_string(m_line) + ": " + problem);
}

} // namespace ns3::llm
