// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CLASS_CHOICE_H
#define LLM_FABRIC_CLASS_CHOICE_H

#include "ns3/type-id.h"

#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Find a class that a user has named in an attribute. A name that is no such class is refused, with
 * a list of those that exist.
 * @param attribute the attribute, for the refusal
 * @param name TypeId name of the class
 * @param base what the class must derive from
 * @return the class
 */
TypeId ChooseClass(const std::string& attribute, const std::string& name, TypeId base);

} // namespace ns3::llm

#endif // LLM_FABRIC_CLASS_CHOICE_H
