// SPDX-License-Identifier: GPL-2.0-only

#include "program-options.h"

#include "ns3/input-error.h"
#include "ns3/llm-fabric-data.h"

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>

namespace ns3::llm
{

namespace
{

/**
 * @param text a number as text
 * @param value gets it
 * @return whether it is a whole number that fits
 */
bool
ParseNumber(const std::string& text, uint64_t& value)
{
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    {
        return false;
    }
    errno = 0;
    value = std::strtoull(text.c_str(), nullptr, 10);
    return errno == 0;
}

/**
 * @param text what should be a rate
 * @return an empty text, or why it is none: ns-3 alone would take "400" as 400 bit/s
 */
std::string
FindRateProblem(const std::string& text)
{
    const std::string units = "units: bps, kbps, Mbps, Gbps and Bps, kBps, MBps, GBps";
    if (!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos)
    {
        return "a rate needs a unit; did you mean " + text + "Gbps? " + units;
    }
    // ns-3 alone would take "Gbps" as 0 and "4.0.0Gbps" as 4 Gb/s
    DataRateValue value;
    return std::regex_match(text, std::regex("[0-9]*\\.?[0-9]+[A-Za-z].*")) &&
                   value.DeserializeFromString(text, MakeDataRateChecker())
               ? ""
               : "this is no rate; a rate is a number with a unit: 400Gbps, 50GBps; " + units;
}

/**
 * Find what ns-3 would abort on, or take for something else, when it reads a value.
 * @param type TypeId name of the value's class
 * @param text what should be a value
 * @return an empty text, or what is wrong
 */
std::string
FindValueProblem(std::string type, const std::string& text)
{
    // ns-3 names some of them with their namespace and others without
    if (type.rfind("ns3::", 0) == 0)
    {
        type.erase(0, 5);
    }
    if (type == "DataRateValue")
    {
        return FindRateProblem(text);
    }
    static const std::map<std::string, std::pair<const char*, const char*>> forms = {
        {"UintegerValue", {"[0-9]+", "a whole number, 0 or more"}},
        {"IntegerValue", {"[-+]?[0-9]+", "a whole number"}},
        {"DoubleValue", {"[-+]?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?", "a number"}},
        {"BooleanValue", {"true|false|0|1|t|f", "true or false"}},
        {"TimeValue",
         {"[-+]?[0-9]*\\.?[0-9]+(s|ms|us|ns|ps|fs|min|h|d|y)", "a time with a unit, as 500ns"}}};
    const auto form = forms.find(type);
    if (form == forms.end() || std::regex_match(text, std::regex(form->second.first)))
    {
        return "";
    }
    return "'" + text + "' is no value for it; it takes " + form->second.second;
}

/**
 * @param name "ns3::llm::Dcqcn::G"
 * @param value its value
 * @return an empty text, or why the attribute cannot be set
 */
std::string
SetAttributeDefault(const std::string& name, const std::string& value)
{
    const std::size_t colons = name.rfind("::");
    TypeId tid;
    const std::string typeName = name.substr(0, colons);
    if (!TypeId::LookupByNameFailSafe(typeName, &tid))
    {
        std::vector<std::string> types;
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            types.push_back(TypeId::GetRegistered(i).GetName());
        }
        const std::string nearest = FindNearestName(typeName, types);
        return "there is no type " + typeName +
               (nearest.empty() ? "" : "; did you mean " + nearest + "?");
    }
    std::vector<std::string> attributes;
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        attributes.push_back(tid.GetAttribute(i).name);
    }
    const std::string attribute = name.substr(colons + 2);
    for (TypeId parent = tid.GetParent(); parent != parent.GetParent(); parent = parent.GetParent())
    {
        for (std::size_t i = 0; i < parent.GetAttributeN(); ++i)
        {
            if (parent.GetAttribute(i).name == attribute)
            {
                return "the default of an inherited attribute is set where it is declared; did you "
                       "mean --" +
                       parent.GetName() + "::" + attribute + "=" + value + "?";
            }
        }
    }
    if (std::find(attributes.begin(), attributes.end(), attribute) == attributes.end())
    {
        return typeName + " has no attribute " + attribute +
               DescribeAllowedNames(attribute, attributes);
    }
    TypeId::AttributeInformation info;
    tid.LookupAttributeByName(attribute, &info);
    const std::string problem = FindValueProblem(info.checker->GetValueTypeName(), value);
    if (!problem.empty())
    {
        return problem;
    }
    if (!Config::SetDefaultFailSafe(name, StringValue(value)))
    {
        return "'" + value + "' is no value for it; it takes " +
               (info.checker->HasUnderlyingTypeInformation()
                    ? info.checker->GetUnderlyingTypeInformation()
                    : info.checker->GetValueTypeName());
    }
    return "";
}

/**
 * Options with which ns-3 prints what it knows and exits.
 * @param name an option, without dashes
 * @return whether it is one
 */
bool
IsPrintOption(const std::string& name)
{
    return name.rfind("Print", 0) == 0;
}

} // namespace

ProgramOptions::ProgramOptions(std::string program, std::string description)
    : m_program(std::move(program)),
      m_description(std::move(description))
{
}

void
ProgramOptions::Add(const std::string& name, const std::string& help, std::string& value)
{
    m_options.push_back({name,
                         help,
                         value,
                         false,
                         [&value](const std::string& text)
                         {
                             value = text;
                         }});
}

void
ProgramOptions::Add(const std::string& name,
                    const std::string& help,
                    std::string& value,
                    const std::vector<std::string>& allowed)
{
    m_options.push_back({name,
                         help,
                         value,
                         false,
                         [&value, name, allowed](const std::string& text)
                         {
                             if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
                             {
                                 RefuseInput("--" + name + "=" + text + " is not allowed" +
                                             DescribeAllowedNames(text, allowed));
                             }
                             value = text;
                         }});
}

void
ProgramOptions::Add(const std::string& name,
                    const std::string& help,
                    uint32_t& value,
                    uint32_t min,
                    uint32_t max)
{
    const auto set = [&value, name, min, max](const std::string& text)
    {
        uint64_t number = 0;
        if (!ParseNumber(text, number) || number < min || number > max)
        {
            std::ostringstream message;
            message << "--" << name << "=" << text << " is not allowed; it must be a whole number "
                    << "from " << min << (max == UINT32_MAX ? " on" : " to " + std::to_string(max));
            RefuseInput(message.str());
        }
        value = static_cast<uint32_t>(number);
    };
    m_options.push_back({name, help, std::to_string(value), false, set});
}

void
ProgramOptions::Add(const std::string& name, const std::string& help, uint64_t& value)
{
    const auto set = [&value, name](const std::string& text)
    {
        if (!ParseNumber(text, value))
        {
            RefuseInput("--" + name + "=" + text + " is not allowed; it must be a whole number");
        }
    };
    m_options.push_back({name, help, std::to_string(value), false, set});
}

void
ProgramOptions::Add(const std::string& name, const std::string& help, DataRate& value)
{
    const auto set = [&value, name](const std::string& text)
    {
        const std::string problem = FindRateProblem(text);
        if (!problem.empty())
        {
            RefuseInput("--" + name + "=" + text + ": " + problem);
        }
        value = DataRate(text);
    };
    std::ostringstream original;
    original << value;
    m_options.push_back({name, help, original.str(), false, set});
}

void
ProgramOptions::Add(const std::string& name, const std::string& help, bool& value)
{
    const auto set = [&value, name](const std::string& text)
    {
        if (text != "true" && text != "false" && text != "1" && text != "0")
        {
            RefuseInput("--" + name + "=" + text + " is not allowed; it must be true or false");
        }
        value = text == "true" || text == "1";
    };
    m_options.push_back({name, help, value ? "true" : "false", true, set});
}

const ProgramOptions::Option*
ProgramOptions::Find(const std::string& name) const
{
    const auto found = std::find_if(m_options.begin(),
                                    m_options.end(),
                                    [&](const Option& option) { return option.name == name; });
    return found == m_options.end() ? nullptr : &*found;
}

void
ProgramOptions::SetForeign(const std::string& name, const std::string& value, bool hasValue) const
{
    const bool isAttribute = name.find("::") != std::string::npos;
    if (isAttribute && hasValue)
    {
        const std::string problem = SetAttributeDefault(name, value);
        if (!problem.empty())
        {
            RefuseInput("--" + name + "=" + value + ": " + problem);
        }
        return;
    }
    std::vector<std::string> names;
    for (const Option& option : m_options)
    {
        names.push_back(option.name);
    }
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        names.push_back((*global)->GetName());
        if (names.back() != name)
        {
            continue;
        }
        const std::string type = (*global)->GetChecker()->GetValueTypeName();
        if (!hasValue || !FindValueProblem(type, value).empty() ||
            !Config::SetGlobalFailSafe(name, StringValue(value)))
        {
            RefuseInput("--" + name + "=" + value + " is no value for this global value of ns-3");
        }
        return;
    }
    if (isAttribute)
    {
        RefuseInput("--" + name + " needs a value: --" + name + "=VALUE");
    }
    const std::string nearest = FindNearestName(name, names);
    RefuseInput("option --" + name + " is unknown" +
                (nearest.empty() ? "" : "; did you mean --" + nearest + "?") +
                " --help lists all options");
}

void
ProgramOptions::Parse(int argc, char* argv[]) const
{
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        if (word == "-h" || word == "--help")
        {
            std::cout << GetHelp() << std::flush;
            std::exit(0);
        }
        if (word.rfind("--", 0) != 0 || word.size() < 3)
        {
            RefuseInput("'" + word + "' is no option; options are --name=value, --help lists them");
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
        const Option* option = Find(name);
        bool hasValue = equals != std::string::npos;
        std::string value = hasValue ? word.substr(equals + 1) : "";
        if (!hasValue && option && option->isFlag)
        {
            hasValue = true;
            value = "true";
        }
        else if (!hasValue && option && i + 1 < argc &&
                 std::string(argv[i + 1]).rfind("--", 0) != 0)
        {
            hasValue = true;
            value = argv[++i];
        }
        if (IsPrintOption(name) && !option)
        {
            CommandLine command;
            std::string wordCopy = word;
            char* words[] = {argv[0], wordCopy.data(), nullptr};
            command.Parse(2, words);
            continue;
        }
        if (!option)
        {
            SetForeign(name, value, hasValue);
            continue;
        }
        if (!hasValue)
        {
            RefuseInput("--" + name + " needs a value: --" + name + "=" + option->original);
        }
        option->set(value);
    }
}

std::string
ProgramOptions::GetHelp() const
{
    std::ostringstream text;
    text << m_program << " [options]\n\n" << m_description << "\n\nOptions:\n";
    std::size_t width = 0;
    for (const Option& option : m_options)
    {
        width = std::max(width, option.name.size());
    }
    for (const Option& option : m_options)
    {
        text << "  --" << option.name << std::string(width + 2 - option.name.size(), ' ')
             << option.help << " [" << option.original << "]\n";
    }
    text << "\nAny attribute and global value of ns-3 can be set too: "
            "--ns3::llm::Dcqcn::NAME=VALUE,\n"
            "--RngRun=2. --PrintTypeIds, --PrintAttributes=TYPE and --PrintGlobals list them.\n";
    return text.str();
}

} // namespace ns3::llm
