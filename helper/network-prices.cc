// SPDX-License-Identifier: GPL-2.0-only

#include "network-prices.h"

#include "ns3/input-error.h"
#include "ns3/llm-fabric-data.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace ns3::llm
{

namespace
{

/**
 * @param place file and set, for messages
 * @param set of the file
 * @param key a key
 * @param required whether it must be there
 * @return its value, above 0; 0 when absent
 */
double
GetPrice(const std::string& place, const nlohmann::json& set, const char* key, bool required)
{
    if (!set.contains(key) && !required)
    {
        return 0;
    }
    if (!set.contains(key) || !set.at(key).is_number() || set.at(key).get<double>() <= 0)
    {
        RefuseInput(place + ": " + key + " = " + set.value(key, nlohmann::json()).dump() +
                    " is not a number above 0");
    }
    return set.at(key).get<double>();
}

/**
 * @param place file and set, for messages
 * @param name of the set
 * @param set of the file
 * @return the prices
 */
NetworkPrices
MakePrices(const std::string& place, const std::string& name, const nlohmann::json& set)
{
    NetworkPrices prices;
    prices.name = name;
    prices.what = set.value("what", "");
    prices.switchPortUsd = GetPrice(place, set, "switch_port_usd", true);
    prices.transceiverUsd = GetPrice(place, set, "transceiver_usd", true);
    prices.switchPortWatts = GetPrice(place, set, "switch_port_w", false);
    prices.transceiverWatts = GetPrice(place, set, "transceiver_w", false);
    prices.source = set.value("source", "");
    return prices;
}

} // namespace

bool
NetworkPrices::HasPower() const
{
    return switchPortWatts > 0 && transceiverWatts > 0;
}

std::vector<NetworkPrices>
NetworkPrices::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        RefuseInput("cannot read the price file '" + path + "'");
    }
    std::vector<NetworkPrices> all;
    try
    {
        const auto json = nlohmann::json::parse(file);
        for (const auto& [name, set] : json.at("sets").items())
        {
            all.push_back(MakePrices(path + ", set " + name, name, set));
        }
    }
    catch (const nlohmann::json::exception& error)
    {
        RefuseInput("the price file '" + path + "' cannot be read: " + error.what());
    }
    return all;
}

NetworkPrices
NetworkPrices::FromName(const std::string& name)
{
    std::vector<std::string> names;
    for (const NetworkPrices& prices : ReadFile(FindDataFile("network-prices.json")))
    {
        if (prices.name == name)
        {
            return prices;
        }
        names.push_back(prices.name);
    }
    RefuseInput("there are no prices '" + name + "'" + DescribeAllowedNames(name, names));
}

} // namespace ns3::llm
