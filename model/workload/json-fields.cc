// SPDX-License-Identifier: GPL-2.0-only

#include "json-fields.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

JsonFields::JsonFields(const nlohmann::json& json, const std::string& source)
    : m_json(json),
      m_source(source)
{
}

const nlohmann::json*
JsonFields::Find(const char* key) const
{
    const auto found = m_json.find(key);
    return found == m_json.end() || found->is_null() ? nullptr : &*found;
}

bool
JsonFields::IsGiven(const char* key) const
{
    return m_json.contains(key);
}

void
JsonFields::Refuse(const std::string& key, const std::string& why) const
{
    const auto found = m_json.find(key);
    const std::string value = found == m_json.end() ? "absent" : found->dump();
    RefuseInput(m_source + ": " + key + " = " + value + " " + why);
}

uint64_t
JsonFields::GetCount(const char* name, uint64_t least) const
{
    const nlohmann::json& value = *Find(name);
    if (!value.is_number_integer() || value < least)
    {
        Refuse(name, "must be a whole number of at least " + std::to_string(least));
    }
    const auto number = value.get<uint64_t>();
    if (number > MAX_COUNT)
    {
        Refuse(name, "is too large: at most " + std::to_string(MAX_COUNT) + " is allowed");
    }
    return number;
}

std::optional<uint64_t>
JsonFields::FindCount(const Names& names, uint64_t least) const
{
    std::optional<uint64_t> result;
    const char* first = nullptr;
    for (const char* name : names)
    {
        if (!Find(name))
        {
            continue;
        }
        const uint64_t number = GetCount(name, least);
        if (result && *result != number)
        {
            Refuse(name,
                   std::string("contradicts ") + first + " = " + std::to_string(*result) +
                       ", which means the same");
        }
        if (!result)
        {
            result = number;
            first = name;
        }
    }
    return result;
}

uint64_t
JsonFields::RequireCount(const Names& names, uint64_t least) const
{
    const auto found = FindCount(names, least);
    if (found)
    {
        return *found;
    }
    std::string others;
    for (std::size_t i = 1; i < names.size(); ++i)
    {
        others += (i > 1 ? ", " : "; other names of it: ") + std::string(names[i]);
    }
    Refuse(names[0], "but is required" + others);
}

std::vector<uint64_t>
JsonFields::GetNumbers(const char* key, uint64_t most) const
{
    const nlohmann::json* list = Find(key);
    std::vector<uint64_t> numbers;
    if (!list)
    {
        return numbers;
    }
    const std::string allowed = "must be a list of whole numbers from 0 to " + std::to_string(most);
    if (!list->is_array())
    {
        Refuse(key, allowed);
    }
    for (const auto& number : *list)
    {
        if (!number.is_number_integer() || number < 0 || number > most)
        {
            Refuse(key, allowed);
        }
        numbers.push_back(number);
    }
    return numbers;
}

const char*
JsonFields::FindName(const Names& names) const
{
    for (const char* name : names)
    {
        if (Find(name))
        {
            return name;
        }
    }
    return names[0];
}

bool
JsonFields::GetFlag(const char* key, bool otherwise) const
{
    const nlohmann::json* value = Find(key);
    if (value && !value->is_boolean())
    {
        Refuse(key, "must be true or false");
    }
    return value ? value->get<bool>() : otherwise;
}

} // namespace ns3::llm
