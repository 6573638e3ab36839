// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

#include "ns3/input-error.h"
#include "ns3/object-factory.h"

#include <sstream>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::CollectiveAlgorithm").SetParent<Object>().SetGroupName("LlmFabric");
    return tid;
}

Ptr<const CollectiveAlgorithm>
CollectiveAlgorithm::CreateByName(const std::string& name, const std::string& user)
{
    if (name.empty() || name == "auto")
    {
        return nullptr;
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name.substr(0, name.find('[')), &tid) ||
        !tid.IsChildOf(GetTypeId()) || !tid.HasConstructor())
    {
        std::string allowed = "auto";
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId other = TypeId::GetRegistered(i);
            if (other.IsChildOf(GetTypeId()) && other.HasConstructor())
            {
                allowed += ", " + other.GetName();
            }
        }
        RefuseInput("Algorithm \"" + name + "\" of " + user +
                    " is not a collective algorithm; allowed: " + allowed);
    }
    ObjectFactory factory;
    std::istringstream(name) >> factory;
    return factory.Create<CollectiveAlgorithm>();
}

void
CollectiveAlgorithm::CheckSupport(const CollectiveRequest& request, uint32_t size) const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (size == 0)
    {
        RefuseInput(name + ": " + GetName(request.operation) +
                    " among no rank; it needs 1 or more");
    }
    if (!Supports(request))
    {
        std::string does;
        for (uint32_t i = 0; i < COLLECTIVE_OPERATION_COUNT; ++i)
        {
            CollectiveRequest other = request;
            other.operation = static_cast<CollectiveOperation>(i);
            if (Supports(other))
            {
                does += (does.empty() ? "" : ", ") + GetName(other.operation);
            }
        }
        RefuseInput(name + " does not do " + GetName(request.operation) + "; it does " + does);
    }
    CheckRequest(request, size);
}

} // namespace ns3::llm
