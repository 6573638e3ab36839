// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CLASS_LIST_H
#define LLM_FABRIC_CLASS_LIST_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * The classes of a kind that can be made, a program's own ones included: all that an attribute or an
 * option can name.
 * @param base the abstract class
 * @return they, by name
 */
std::vector<TypeId> ListClasses(TypeId base);

/**
 * @ingroup llm-fabric-helper
 * @param type a class
 * @return its name without namespaces: "Dcqcn"
 */
std::string GetClassName(TypeId type);

/**
 * @ingroup llm-fabric-helper
 * Find classes by a list of short or whole names: "Dcqcn,ns3::llm::Hpcc". What is none is refused, with
 * those that exist.
 * @param option the option, for the refusal
 * @param names separated by commas; "all": all of them
 * @param base the abstract class
 * @return they, in the order given
 */
std::vector<TypeId> ParseClasses(const std::string& option, const std::string& names, TypeId base);

/**
 * @ingroup llm-fabric-helper
 * The fabrics that a program can build: each class of TopologyHelper by the name that a user gives,
 * "rail-only" for RailOnlyHelper.
 * @return they, by name
 */
std::vector<std::string> ListFabrics();

/**
 * @ingroup llm-fabric-helper
 * @param fabric one of ListFabrics(); others are refused
 * @return what makes its TopologyHelper
 */
ObjectFactory MakeFabricFactory(const std::string& fabric);

} // namespace ns3::llm

#endif // LLM_FABRIC_CLASS_LIST_H
