// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FAT_TREE_HELPER_H
#define LLM_FABRIC_FAT_TREE_HELPER_H

#include "topology-helper.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A three-tier fat-tree of k-port switches (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008), up to k^3/4
 * NICs. Accelerator a is the a-th host in natural order, so that the NICs of a domain take
 * neighboring edge ports; hosts fill pod by pod, and only the pods and edge switches in use are built.
 */
class FatTreeHelper : public TopologyHelper
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return k in use: the attribute, or the smallest even k that fits */
    uint32_t GetK() const;

  protected:
    std::string GetTopologyName() const override;
    bool JoinsRails() const override;
    void Check() const override;
    uint32_t GetNicPlace(uint32_t accelerator) const override;
    void ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics) override;

  private:
    /** @return the smallest even k for the number of accelerators */
    uint32_t GetSmallestK() const;

    uint32_t m_k; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FAT_TREE_HELPER_H
