// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_ADDRESSES_H
#define LLM_FABRIC_FABRIC_ADDRESSES_H

#include "ns3/ipv4-address.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * The IP addresses of a cluster's accelerators, and over which device which of them is reached, by
 * arithmetic: there are no tables and no messages.
 *
 * Accelerator a has 10.0.0.1 + a, at its NIC and at the device of its HB domain alike.
 */
class FabricAddresses
{
  public:
    /** No accelerator. */
    static constexpr uint32_t NONE = UINT32_MAX;

    /** A device of an accelerator. */
    enum class Way : uint8_t
    {
        NOWHERE,     //!< no device leads there
        OVER_NIC,    //!< the NIC
        IN_HB_DOMAIN //!< the device of its HB domain
    };

    /**
     * @param count number of accelerators
     * @param domainSize K, accelerators per HB domain
     * @param joinsRails whether the NIC network leads from rail to rail
     * @param hasDevices whether accelerators have a device in their HB domain
     */
    FabricAddresses(uint32_t count, uint32_t domainSize, bool joinsRails, bool hasDevices);

    /** @param accelerator an accelerator @return its address */
    static Ipv4Address GetAddress(uint32_t accelerator);
    /** @param address an address @return whose it is, or NONE */
    uint32_t Find(Ipv4Address address) const;

    /**
     * @param from an accelerator
     * @param to an accelerator; to itself it is over the NIC, whose address it is
     * @return the device; between rails that the NIC network does not join it is the HB domain's
     */
    Way GetWay(uint32_t from, uint32_t to) const;
    /** @param from an accelerator @param to another @return the next over the NIC, or NONE */
    uint32_t GetNextOverNic(uint32_t from, uint32_t to) const;
    /**
     * @param from an accelerator
     * @param to another
     * @return the next in the HB domain, or NONE: to itself if it is there, else the one on its rail
     */
    uint32_t GetNextInDomain(uint32_t from, uint32_t to) const;

  private:
    uint32_t m_count;      //!< accelerators
    uint32_t m_domainSize; //!< K
    bool m_joinsRails;     //!< see the constructor
    bool m_hasDevices;     //!< see the constructor
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_ADDRESSES_H
