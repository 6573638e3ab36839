// SPDX-License-Identifier: GPL-2.0-only

#include "class-fields.h"

#include "class-weights.h"

#include "ns3/input-error.h"

#include <cctype>
#include <cstdlib>
#include <sstream>

namespace ns3::llm
{

namespace
{

/** @param text to be split @param separator between parts @return the parts, without blanks */
std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text)
    {
        if (c == separator)
        {
            parts.emplace_back();
        }
        else if (std::isspace(static_cast<unsigned char>(c)) == 0)
        {
            parts.back() += c;
        }
    }
    return parts;
}

} // namespace

ClassFields::ClassFields(const std::string& attribute,
                         const std::string& text,
                         const std::string& example)
    : m_attribute(attribute),
      m_text(text),
      m_example(example)
{
    if (text.empty())
    {
        return;
    }
    for (const std::string& entry : Split(text, ','))
    {
        std::vector<std::string> fields = Split(entry, ':');
        const auto trafficClass =
            static_cast<uint8_t>(ReadNumber(fields[0], "class", TRAFFIC_CLASSES - 1));
        fields.erase(fields.begin());
        if (fields.empty())
        {
            Refuse("class " + std::to_string(trafficClass) + " has no value");
        }
        if (!m_fields.emplace(trafficClass, fields).second)
        {
            Refuse("class " + std::to_string(trafficClass) + " is there twice");
        }
    }
}

void
ClassFields::Refuse(const std::string& what) const
{
    RefuseInput(m_attribute + "=\"" + m_text + "\": " + what + "; a list such as \"" + m_example +
                "\" was expected");
}

uint64_t
ClassFields::ReadNumber(const std::string& text, const std::string& name, uint64_t max) const
{
    const bool isNumber = !text.empty() && text.size() < 18 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    const uint64_t value = isNumber ? std::stoull(text) : 0;
    if (!isNumber || value > max)
    {
        Refuse(name + " \"" + text + "\" is no whole number from 0 to " + std::to_string(max));
    }
    return value;
}

double
ClassFields::ReadShare(const std::string& text, const std::string& name) const
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0 || !(value >= 0 && value <= 1))
    {
        Refuse(name + " \"" + text + "\" is no number from 0 to 1");
    }
    return value;
}

ClassWeights
ClassWeights::Parse(const std::string& attribute, const std::string& text, uint32_t quantumBytes)
{
    const ClassFields list(attribute, text, "4:2,3:1");
    ClassWeights result;
    result.quantumBytes = quantumBytes;
    for (const auto& [trafficClass, fields] : list.Get())
    {
        if (fields.size() != 1)
        {
            list.Refuse("class " + std::to_string(trafficClass) + " has more than a weight");
        }
        const uint64_t weight = list.ReadNumber(fields[0], "weight", 1000);
        if (weight == 0)
        {
            list.Refuse(
                "class " + std::to_string(trafficClass) +
                " has weight 0: it would never be served; leave it out for strict priority");
        }
        result.weights[trafficClass] = static_cast<uint16_t>(weight);
    }
    return result;
}

} // namespace ns3::llm
