// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_TEST_SUPPORT_H
#define LLM_FABRIC_FLOW_TEST_SUPPORT_H

#include "ns3/input-error.h"
#include "ns3/locality.h"

#include "small-network.h"

#include <functional>
#include <string>

/**
 * @file
 * @ingroup llm-fabric-test
 * What the suites of flows share.
 */

namespace ns3::llm
{

/** What a small network looks like: each accelerator is a domain. */
class SmallLocality : public Locality
{
  public:
    /** @param network the network, which must outlive this */
    explicit SmallLocality(const SmallNetwork* network)
        : m_network(network)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return static_cast<uint32_t>(m_network->hosts.size());
    }

    uint32_t GetDomain(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetRail(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return m_network->network->GetTerminalNodeId(accelerator);
    }

    Path GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t flow) const override
    {
        Path path;
        path.legs.push_back(m_network->transport->DescribeLeg(source, destination, flow));
        return path;
    }

  private:
    const SmallNetwork* m_network; //!< the network
};

/** @param action what @return why it is refused, empty if not */
inline std::string
GetRefusal(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_TEST_SUPPORT_H
