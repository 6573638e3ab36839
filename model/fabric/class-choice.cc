// SPDX-License-Identifier: GPL-2.0-only

#include "class-choice.h"

#include "ns3/input-error.h"

#include <sstream>

namespace ns3::llm
{

TypeId
ChooseClass(const std::string& attribute, const std::string& name, TypeId base)
{
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid) && tid.IsChildOf(base) && tid.HasConstructor())
    {
        return tid;
    }
    std::ostringstream text;
    text << attribute << " '" << name << "' is no " << base.GetName()
         << " that can be made; there are:";
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId other = TypeId::GetRegistered(i);
        if (other.IsChildOf(base) && other.HasConstructor())
        {
            text << ' ' << other.GetName();
        }
    }
    RefuseInput(text.str());
}

} // namespace ns3::llm
