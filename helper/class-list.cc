// SPDX-License-Identifier: GPL-2.0-only

#include "class-list.h"

#include "topology-helper.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ns3::llm
{

namespace
{

/**
 * @param type a class of TopologyHelper: RailOnlyHelper
 * @return what a user calls it: "rail-only"
 */
std::string
GetFabricName(TypeId type)
{
    static const std::string ENDING = "Helper";
    std::string name = GetClassName(type);
    if (name.size() > ENDING.size() &&
        name.compare(name.size() - ENDING.size(), ENDING.size(), ENDING) == 0)
    {
        name.resize(name.size() - ENDING.size());
    }
    std::string words;
    for (const char c : name)
    {
        const auto letter = static_cast<unsigned char>(c);
        words += std::isupper(letter) && !words.empty() ? "-" : "";
        words += static_cast<char>(std::tolower(letter));
    }
    return words;
}

} // namespace

std::vector<TypeId>
ListClasses(TypeId base)
{
    std::vector<TypeId> classes;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.HasConstructor() && (type == base || type.IsChildOf(base)))
        {
            classes.push_back(type);
        }
    }
    std::sort(classes.begin(),
              classes.end(),
              [](TypeId a, TypeId b) { return a.GetName() < b.GetName(); });
    return classes;
}

std::string
GetClassName(TypeId type)
{
    const std::string name = type.GetName();
    const std::size_t colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

std::vector<TypeId>
ParseClasses(const std::string& option, const std::string& names, TypeId base)
{
    const std::vector<TypeId> all = ListClasses(base);
    if (names == "all")
    {
        return all;
    }
    std::vector<TypeId> classes;
    std::istringstream words(names);
    for (std::string word; std::getline(words, word, ',');)
    {
        const auto found = std::find_if(
            all.begin(),
            all.end(),
            [&word](TypeId type) { return GetClassName(type) == word || type.GetName() == word; });
        if (found == all.end())
        {
            std::string known;
            for (const TypeId& type : all)
            {
                known += ' ' + GetClassName(type);
            }
            RefuseInput("--" + option + ": there is no '" + word + "'; there are: all" + known);
        }
        if (std::find(classes.begin(), classes.end(), *found) == classes.end())
        {
            classes.push_back(*found);
        }
    }
    if (classes.empty())
    {
        RefuseInput("--" + option + " names nothing");
    }
    return classes;
}

std::vector<std::string>
ListFabrics()
{
    std::vector<std::string> names;
    for (const TypeId& type : ListClasses(TopologyHelper::GetTypeId()))
    {
        names.push_back(GetFabricName(type));
    }
    std::sort(names.begin(), names.end());
    return names;
}

ObjectFactory
MakeFabricFactory(const std::string& fabric)
{
    std::string known;
    for (const TypeId& type : ListClasses(TopologyHelper::GetTypeId()))
    {
        if (GetFabricName(type) == fabric)
        {
            return ObjectFactory(type.GetName());
        }
        known += ' ' + GetFabricName(type);
    }
    RefuseInput("there is no fabric '" + fabric + "'; there are:" + known);
}

} // namespace ns3::llm
