// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_INTERNET_HELPER_H
#define LLM_FABRIC_FABRIC_INTERNET_HELPER_H

#include "cluster.h"

#include "ns3/fabric-addresses.h"
#include "ns3/rdma-transport.h"

#include "ns3/ipv4-interface-container.h"
#include "ns3/net-device-container.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Gives all accelerators ns-3's IPv4 stack over the ports of the fabric, so that any application of
 * ns-3 runs beside RDMA. The cost of an accelerator does not grow with their number.
 *
 * Accelerator a has 10.0.0.1 + a. Nodes that have a stack already, from another network, keep it; its
 * routing must be an Ipv4ListRouting, which is ns-3's default. Queue discs may be installed with
 * ns-3's TrafficControlHelper; without one, packets wait at the port alone (`TcpIpQueueSize`).
 */
class FabricInternetHelper
{
  public:
    /**
     * @param cluster a cluster; packet HB domains are used for traffic inside them, and between rails
     *   that the NIC network does not join. Inside fluid ones traffic takes the NICs
     * @return the interfaces of the NICs, by accelerator
     */
    static Ipv4InterfaceContainer Install(Ptr<Cluster> cluster);

    /**
     * @param transport a network without a cluster; accelerator t is at terminal t
     * @return the interfaces, by accelerator
     */
    static Ipv4InterfaceContainer Install(Ptr<RdmaTransport> transport);

    /** @param network a network @return the ports of its terminals, e.g. for TrafficControlHelper */
    static NetDeviceContainer GetDevices(Ptr<FabricNetwork> network);

  private:
    /**
     * Have the ports of a network carry packets.
     * @param transport the RDMA that uses the network
     * @param addresses of all accelerators
     * @param isDomain the network is that of the HB domains
     */
    static void
    CarryPackets(Ptr<RdmaTransport> transport, const FabricAddresses& addresses, bool isDomain);
    /**
     * Give a node a stack.
     * @param addresses of all accelerators
     * @param accelerator an accelerator
     * @param nic port of its NIC
     * @param domain port in its HB domain, or null
     * @return the stack and its interface at the NIC
     */
    static std::pair<Ptr<Ipv4>, uint32_t> InstallStack(const FabricAddresses& addresses,
                                                       uint32_t accelerator,
                                                       Ptr<NetDevice> nic,
                                                       Ptr<NetDevice> domain);
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_INTERNET_HELPER_H
