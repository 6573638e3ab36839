// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_IPV4_ROUTING_H
#define LLM_FABRIC_FABRIC_IPV4_ROUTING_H

#include "fabric-addresses.h"

#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * The types that ns-3's RouteInput() takes its callbacks as: values to 3.38, then references.
 * @tparam F type of a pointer to the function
 */
template <typename F>
struct RouteInputTypes;

/** @copydoc RouteInputTypes
 * @tparam U forwards @tparam M forwards to many @tparam L delivers @tparam E reports errors */
template <typename U, typename M, typename L, typename E>
struct RouteInputTypes<bool (
    Ipv4RoutingProtocol::*)(Ptr<const Packet>, const Ipv4Header&, Ptr<const NetDevice>, U, M, L, E)>
{
    using Unicast = U;   //!< forwards
    using Multicast = M; //!< forwards to many
    using Local = L;     //!< delivers
    using Error = E;     //!< reports errors
};

/**
 * @ingroup llm-fabric-fabric
 * Routes of an accelerator's IP stack: to the accelerators of its HB domain over the domain's device,
 * to all others over the NIC. Where the NIC network does not join the rails, a packet for another rail
 * goes to the accelerator of the domain that is on it, which forwards it.
 */
class FabricIpv4Routing : public Ipv4RoutingProtocol
{
  public:
    /** Types of the callbacks. */
    using Types = RouteInputTypes<decltype(&Ipv4RoutingProtocol::RouteInput)>;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param addresses of the cluster
     * @param accelerator whose stack it is
     * @param nic the NIC
     * @param domain the device in the HB domain, or null
     */
    void Setup(const FabricAddresses& addresses,
               uint32_t accelerator,
               Ptr<NetDevice> nic,
               Ptr<NetDevice> domain);

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> p,
                               const Ipv4Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr) override;
    /**
     * A packet has come in.
     * @param p the packet
     * @param header its header
     * @param idev by which device
     * @param ucb forwards it
     * @param mcb not used
     * @param lcb delivers it here; null if that is done
     * @param ecb reports errors
     * @return whether it is dealt with
     */
    bool RouteInput(Ptr<const Packet> p,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> idev,
                    Types::Unicast ucb,
                    Types::Multicast mcb,
                    Types::Local lcb,
                    Types::Error ecb) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  private:
    void DoDispose() override;
    /** @param destination an address @return the route there, or null */
    Ptr<Ipv4Route> FindRoute(Ipv4Address destination) const;

    FabricAddresses m_addresses{0, 1, true, false}; //!< of the cluster
    uint32_t m_accelerator = 0;                     //!< whose stack it is
    Ptr<NetDevice> m_nic;                           //!< the NIC
    Ptr<NetDevice> m_domain;                        //!< in the HB domain, or null
    Ptr<Ipv4> m_ipv4;                               //!< the stack
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_IPV4_ROUTING_H
