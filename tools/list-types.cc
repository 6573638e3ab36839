// SPDX-License-Identifier: GPL-2.0-only
// Lists the classes of one kind that can be chosen, each with its attributes: what
// `./llm-fabric list KIND` prints. A kind is a base class; its children are found by TypeId alone.
// With --rst before the kind it prints the attributes as tables for the documents instead, which
// tools/attribute-tables puts there.

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using ns3::TypeId;

namespace
{

/// What a user may ask for, and the base class that stands for it.
struct Kind
{
    const char* name; //!< word on the command line
    const char* base; //!< TypeId name of the abstract class
};

/// All kinds.
constexpr Kind KINDS[] = {
    {"congestion-controls", "ns3::llm::RdmaCongestionControl"},
    {"loss-recoveries", "ns3::llm::RdmaLossRecovery"},
    {"frame-losses", "ns3::llm::FrameLoss"},
    {"load-balancers", "ns3::llm::LoadBalancer"},
    {"send-entropies", "ns3::llm::SendEntropy"},
    {"algorithms", "ns3::llm::CollectiveAlgorithm"},
    {"cost-models", "ns3::llm::OperatorCostModel"},
    {"transports", "ns3::llm::MessageTransport"},
    {"schedules", "ns3::llm::PipelineSchedule"},
    {"topologies", "ns3::llm::TopologyHelper"},
    {"engines", "ns3::SimulatorImpl"},
    {"schedulers", "ns3::Scheduler"},
};

/// A name of a unit and how many of the smallest one it has.
using Unit = std::pair<const char*, double>;

/**
 * @param value a value, in the smallest unit
 * @param units from large to small
 * @return it in the largest unit of which it is a whole number
 */
std::string
FormatWithUnit(double value, const std::vector<Unit>& units)
{
    const auto found =
        std::find_if(units.begin(),
                     units.end(),
                     [value](const Unit& unit) { return std::fmod(value, unit.second) == 0; });
    const Unit& unit = found == units.end() ? units.back() : *found;
    std::ostringstream text;
    text.precision(12);
    text << value / unit.second << ' ' << unit.first;
    return text.str();
}

/**
 * @param attribute an attribute
 * @return its default as a reader writes it: "55 us", "40 Mb/s", "1/256"
 */
std::string
FormatDefault(const TypeId::AttributeInformation& attribute)
{
    const ns3::AttributeValue* value = ns3::PeekPointer(attribute.initialValue);
    if (const auto time = dynamic_cast<const ns3::TimeValue*>(value))
    {
        return FormatWithUnit(static_cast<double>(time->Get().GetFemtoSeconds()),
                              {{"s", 1e15}, {"ms", 1e12}, {"us", 1e9}, {"ns", 1e6}, {"ps", 1e3}});
    }
    if (const auto rate = dynamic_cast<const ns3::DataRateValue*>(value))
    {
        return FormatWithUnit(static_cast<double>(rate->Get().GetBitRate()),
                              {{"Gb/s", 1e9}, {"Mb/s", 1e6}, {"kb/s", 1e3}, {"b/s", 1}});
    }
    const std::string text = attribute.initialValue->SerializeToString(attribute.checker);
    const auto number = dynamic_cast<const ns3::DoubleValue*>(value);
    const double inverse = number ? 1 / number->Get() : 0;
    int power = 0;
    const bool isFraction = text.size() > 5 && std::frexp(inverse, &power) == 0.5;
    return isFraction ? "1/" + std::to_string(std::lround(inverse)) : text;
}

/**
 * @param type a class
 * @return its attributes, its own and those that it inherits from the module's classes
 */
std::vector<TypeId::AttributeInformation>
GetAttributes(TypeId type)
{
    std::vector<TypeId::AttributeInformation> attributes;
    for (TypeId t = type; t.GetGroupName() == "LlmFabric"; t = t.GetParent())
    {
        for (std::size_t i = 0; i < t.GetAttributeN(); ++i)
        {
            attributes.push_back(t.GetAttribute(i));
        }
        if (!t.HasParent())
        {
            break;
        }
    }
    return attributes;
}

/**
 * Print a class and its attributes.
 * @param type the class
 */
void
PrintType(TypeId type)
{
    std::cout << type.GetName() << "\n";
    for (const auto& attribute : GetAttributes(type))
    {
        std::string kind = attribute.checker->GetValueTypeName();
        kind = kind.substr(kind.rfind(':') + 1);
        const std::size_t ending = kind.rfind("Value");
        std::cout << "    " << attribute.name << " = " << FormatDefault(attribute) << "  ("
                  << kind.substr(0, ending) << ") " << attribute.help << "\n";
    }
}

/**
 * Print a cell of a table in a document, in lines of at most 100 columns.
 * @param begin what stands before it
 * @param text the cell
 */
void
PrintCell(const std::string& begin, const std::string& text)
{
    constexpr std::size_t WIDTH = 100;
    std::string line = begin;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        if (line.size() + 1 + word.size() > WIDTH)
        {
            std::cout << line << "\n";
            line = "      ";
        }
        line += " " + word;
    }
    std::cout << line << "\n";
}

/**
 * Print the attributes of a class as a table of a document.
 * @param type the class
 */
void
PrintTable(TypeId type)
{
    const auto attributes = GetAttributes(type);
    if (attributes.empty())
    {
        return;
    }
    std::cout << ".. attributes of " << type.GetName() << "\n\n.. list-table::\n"
              << "   :header-rows: 1\n   :widths: 20 12 68\n\n"
              << "   * - attribute\n     - default\n     - meaning\n";
    for (const auto& attribute : attributes)
    {
        PrintCell("   * -", "``" + attribute.name + "``");
        PrintCell("     -", FormatDefault(attribute));
        PrintCell("     -", attribute.help);
    }
    std::cout << "\n";
}

/**
 * Print the classes of a kind.
 * @param kind the kind
 * @param asTables as tables of a document
 */
void
PrintKind(const Kind& kind, bool asTables)
{
    if (!asTables)
    {
        std::cout << "# " << kind.name << ": children of " << kind.base << "\n";
    }
    TypeId base;
    if (!TypeId::LookupByNameFailSafe(kind.base, &base))
    {
        return;
    }
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.HasConstructor() && (type == base || type.IsChildOf(base)))
        {
            types.push_back(type);
        }
    }
    // the registry has the order of linking
    std::sort(types.begin(),
              types.end(),
              [](TypeId a, TypeId b) { return a.GetName() < b.GetName(); });
    for (const TypeId& type : types)
    {
        asTables ? PrintTable(type) : PrintType(type);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    const bool asTables = argc > 1 && argv[1] == std::string("--rst");
    const std::string wanted = argc > 1 + asTables ? argv[1 + asTables] : "";
    bool known = wanted.empty();
    for (const Kind& kind : KINDS)
    {
        if (wanted.empty() || kind.name == wanted)
        {
            known = true;
            PrintKind(kind, asTables);
        }
    }
    if (known)
    {
        return 0;
    }
    std::cerr << "error: no kind '" << wanted << "'; there are: examples";
    for (const Kind& kind : KINDS)
    {
        std::cerr << ", " << kind.name;
    }
    std::cerr << "\n";
    return 2;
}
