// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TOPOLOGY_HELPER_H
#define LLM_FABRIC_TOPOLOGY_HELPER_H

#include "cluster.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Builds a cluster. All topologies have the same accelerators, HB domains and NICs and differ in the
 * NIC network alone. To add one: derive, give it a TypeId, check the attributes and connect the NICs.
 */
class TopologyHelper : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Build the cluster. Settings that do not fit together are refused, with what would fit.
     * @return it
     */
    Ptr<Cluster> Build();

  protected:
    /** @return name of the topology: "rail-only" */
    virtual std::string GetTopologyName() const = 0;
    /** @return whether the NIC network leads from rail to rail */
    virtual bool JoinsRails() const = 0;
    /** Refuse attributes of this topology that do not fit together. */
    virtual void Check() const = 0;
    /** @param accelerator an accelerator @return place of its NIC in its fabric or rail */
    virtual uint32_t GetNicPlace(uint32_t accelerator) const = 0;
    /**
     * Add switches and links; with several NICs per accelerator once for each.
     * @param network the NIC network
     * @param nics vertex of each accelerator's NIC
     */
    virtual void ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics) = 0;

    /** @return number of accelerators */
    uint32_t GetAccelerators() const;
    /** @return K */
    uint32_t GetDomainSize() const;
    /** @return number of HB domains */
    uint32_t GetDomains() const;
    /** @param network the NIC network @param nic vertex @param at switch's vertex */
    void ConnectNic(Ptr<FabricNetwork> network, uint32_t nic, uint32_t at) const;
    /** @param network the NIC network @param a vertex of a switch @param b vertex of another */
    void ConnectSwitches(Ptr<FabricNetwork> network, uint32_t a, uint32_t b) const;

  private:
    /** Refuse attributes that do not fit together. */
    void CheckCommon() const;
    /** Make NICs and NIC network. @param parts gets them @return accelerator of each terminal */
    std::vector<uint32_t> BuildPlanes(Cluster::Parts& parts);
    /** Make the HB domains. @param parts gets them */
    void BuildDomains(Cluster::Parts& parts) const;
    /** @copydoc BuildDomains */
    void BuildPacketDomains(Cluster::Parts& parts) const;
    /** @copydoc BuildDomains */
    void BuildFluidDomains(Cluster::Parts& parts) const;

    uint32_t m_accelerators;       //!< attribute
    uint32_t m_domainSize;         //!< attribute
    uint32_t m_nicsPerAccelerator; //!< attribute
    DataRate m_nicRate;            //!< attribute
    Time m_nicDelay;               //!< attribute
    DataRate m_switchRate;         //!< attribute
    Time m_switchDelay;            //!< attribute
    DataRate m_domainRate;         //!< attribute
    Time m_domainDelay;            //!< attribute
    std::string m_domainFidelity;  //!< attribute
    std::string m_domainControl;   //!< attribute
    std::string m_transport;       //!< attribute
    bool m_domainReduction;        //!< attribute
    bool m_networkReduction;       //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TOPOLOGY_HELPER_H
