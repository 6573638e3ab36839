// SPDX-License-Identifier: GPL-2.0-only

#include "run-manifest.h"

#include "ns3/application.h"
#include "ns3/channel.h"
#include "ns3/global-value.h"
#include "ns3/net-device.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <nlohmann/json.hpp>

// The build says which releases these are; a build that does not is still a build.
#ifndef LLM_FABRIC_VERSION
#define LLM_FABRIC_VERSION "unknown"
#endif
#ifndef LLM_FABRIC_NS3_VERSION
#define LLM_FABRIC_NS3_VERSION "unknown"
#endif

namespace ns3::llm
{

void
RunManifest::SetCommand(int argc, const char* const* argv)
{
    m_command.assign(argv, argv + argc);
}

void
RunManifest::AddFact(const std::string& name, const std::string& value)
{
    m_facts.emplace_back(name, value);
}

void
RunManifest::AddObject(Ptr<Object> object)
{
    if (!object)
    {
        return;
    }
    Visit(object);
    auto iterator = object->GetAggregateIterator();
    while (iterator.HasNext())
    {
        Visit(ConstCast<Object>(iterator.Next()));
    }
}

void
RunManifest::AddNodes()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        AddObject(*node);
        for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i)
        {
            AddObject((*node)->GetDevice(i));
            AddObject((*node)->GetDevice(i)->GetChannel());
        }
        for (uint32_t i = 0; i < (*node)->GetNApplications(); ++i)
        {
            AddObject((*node)->GetApplication(i));
        }
    }
}

void
RunManifest::Visit(Ptr<Object> object)
{
    if (!m_seen.insert(object).second)
    {
        return;
    }
    for (TypeId tid = object->GetInstanceTypeId(); tid != Object::GetTypeId();
         tid = tid.GetParent())
    {
        VisitType(object, tid);
    }
}

void
RunManifest::VisitType(Ptr<Object> object, TypeId tid)
{
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation info = tid.GetAttribute(i);
        if (!(info.flags & TypeId::ATTR_GET) || !info.accessor->HasGetter())
        {
            continue;
        }
        const Ptr<AttributeValue> value = info.checker->Create();
        if (!info.accessor->Get(PeekPointer(object), *value))
        {
            continue;
        }
        if (const auto pointer = DynamicCast<PointerValue>(value))
        {
            AddObject(pointer->GetObject());
            continue;
        }
        if (const auto container = DynamicCast<ObjectPtrContainerValue>(value))
        {
            for (auto item = container->Begin(); item != container->End(); ++item)
            {
                AddObject(item->second);
            }
            continue;
        }
        const std::string text = value->SerializeToString(info.checker);
        const std::string original = info.originalInitialValue->SerializeToString(info.checker);
        if (text == original || !(info.flags & (TypeId::ATTR_SET | TypeId::ATTR_CONSTRUCT)))
        {
            continue;
        }
        Change& change = m_changes[tid.GetAttributeFullName(i)];
        change.original = original;
        if (change.values.count(text) || change.values.size() < MAX_VALUES)
        {
            ++change.values[text];
        }
        else
        {
            ++change.moreObjects;
        }
    }
}

std::map<std::string, std::pair<std::string, std::string>>
RunManifest::FindChangedDefaults()
{
    std::map<std::string, std::pair<std::string, std::string>> changed;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (std::size_t j = 0; j < tid.GetAttributeN(); ++j)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(j);
            // the same value object unless somebody has set another
            if (info.initialValue == info.originalInitialValue)
            {
                continue;
            }
            const std::string value = info.initialValue->SerializeToString(info.checker);
            const std::string original = info.originalInitialValue->SerializeToString(info.checker);
            if (value != original)
            {
                changed[tid.GetAttributeFullName(j)] = {value, original};
            }
        }
    }
    return changed;
}

const std::map<std::string, RunManifest::Change>&
RunManifest::GetChanges() const
{
    return m_changes;
}

std::string
RunManifest::ToJson() const
{
    nlohmann::ordered_json json;
    json["command"] = m_command;
    json["seed"] = RngSeedManager::GetSeed();
    json["run_number"] = RngSeedManager::GetRun();
    json["versions"] = {{"llm-fabric", LLM_FABRIC_VERSION},
                        {"ns-3", LLM_FABRIC_NS3_VERSION},
                        {"compiler", __VERSION__},
                        {"cplusplus", __cplusplus}};
    json["facts"] = nlohmann::ordered_json::object();
    for (const auto& fact : m_facts)
    {
        json["facts"][fact.first] = fact.second;
    }
    json["global_values"] = nlohmann::ordered_json::object();
    for (auto value = GlobalValue::Begin(); value != GlobalValue::End(); ++value)
    {
        StringValue text;
        (*value)->GetValue(text);
        json["global_values"][(*value)->GetName()] = text.Get();
    }
    json["changed_defaults"] = nlohmann::ordered_json::object();
    for (const auto& change : FindChangedDefaults())
    {
        json["changed_defaults"][change.first] = {{"value", change.second.first},
                                                  {"default", change.second.second}};
    }
    json["changed_in_objects"] = nlohmann::ordered_json::object();
    for (const auto& item : m_changes)
    {
        nlohmann::ordered_json entry;
        entry["default"] = item.second.original;
        entry["objects_by_value"] = item.second.values;
        if (item.second.moreObjects > 0)
        {
            entry["objects_with_other_values"] = item.second.moreObjects;
        }
        json["changed_in_objects"][item.first] = entry;
    }
    return json.dump(2);
}

} // namespace ns3::llm
