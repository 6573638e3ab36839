// SPDX-License-Identifier: GPL-2.0-only
// Lists the classes of one kind that can be chosen, each with its attributes: what
// `./llm-fabric list KIND` prints. A kind is a base class; its children are found by TypeId alone.

#include "ns3/type-id.h"

#include <iostream>
#include <string>

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

/**
 * Print a class and its attributes, its own and those that it inherits from the module's classes.
 * @param type the class
 */
void
PrintType(TypeId type)
{
    std::cout << type.GetName() << "\n";
    for (TypeId t = type; t.GetGroupName() == "LlmFabric"; t = t.GetParent())
    {
        for (std::size_t i = 0; i < t.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation& attribute = t.GetAttribute(i);
            std::cout << "    " << attribute.name << " = "
                      << attribute.initialValue->SerializeToString(attribute.checker) << "  ("
                      << attribute.checker->GetValueTypeName() << ") " << attribute.help << "\n";
        }
        if (!t.HasParent())
        {
            break;
        }
    }
}

/**
 * Print the classes of a kind.
 * @param kind the kind
 */
void
PrintKind(const Kind& kind)
{
    std::cout << "# " << kind.name << ": children of " << kind.base << "\n";
    TypeId base;
    if (!TypeId::LookupByNameFailSafe(kind.base, &base))
    {
        return;
    }
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.HasConstructor() && (type == base || type.IsChildOf(base)))
        {
            PrintType(type);
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    bool known = argc < 2;
    for (const Kind& kind : KINDS)
    {
        if (argc < 2 || kind.name == std::string(argv[1]))
        {
            known = true;
            PrintKind(kind);
        }
    }
    if (known)
    {
        return 0;
    }
    std::cerr << "error: no kind '" << argv[1] << "'; there are: examples";
    for (const Kind& kind : KINDS)
    {
        std::cerr << ", " << kind.name;
    }
    std::cerr << "\n";
    return 2;
}
