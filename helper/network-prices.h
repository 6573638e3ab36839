// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NETWORK_PRICES_H
#define LLM_FABRIC_NETWORK_PRICES_H

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * What the parts of a network cost and draw: a set of data/network-prices.json, which has the sources.
 */
struct NetworkPrices
{
    std::string name;            //!< of the set, e.g. "rail-only-v5"
    std::string what;            //!< what it is
    double switchPortUsd = 0;    //!< a port of a switch, USD
    double transceiverUsd = 0;   //!< a transceiver, USD
    double switchPortWatts = 0;  //!< a port of a switch, W; 0: unknown
    double transceiverWatts = 0; //!< a transceiver, W; 0: unknown
    std::string source;          //!< where the figures come from

    /** @return whether power is known */
    bool HasPower() const;

    /**
     * @param name a set of the data file; anything else is refused with the sets that exist
     * @return the set
     */
    static NetworkPrices FromName(const std::string& name);
    /**
     * @param path a JSON file as data/network-prices.json; a missing price or a wrong number is
     *        refused with file, set and key
     * @return all sets of it, by name
     */
    static std::vector<NetworkPrices> ReadFile(const std::string& path);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_NETWORK_PRICES_H
