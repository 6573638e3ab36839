// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_ONLY_HELPER_H
#define LLM_FABRIC_RAIL_ONLY_HELPER_H

#include "topology-helper.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Rail-only (arXiv 2307.12169): the NICs of a rail share a network of their own, and no link joins two
 * rails. A rail is one switch as long as its radix suffices, and a non-blocking network of two or
 * three tiers above that.
 */
class RailOnlyHelper : public TopologyHelper
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    std::string GetTopologyName() const override;
    bool JoinsRails() const override;
    void Check() const override;
    uint32_t GetNicPlace(uint32_t accelerator) const override;
    void ConnectNics(Ptr<FabricNetwork> network, const std::vector<uint32_t>& nics) override;

  private:
    /** @param radix ports of a switch @return number of leaf switches of a rail */
    uint32_t GetLeaves(uint32_t radix) const;
    /** @param radix ports of a switch @return whether such switches can join a rail */
    bool Fits(uint32_t radix) const;

    uint32_t m_radix; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RAIL_ONLY_HELPER_H
