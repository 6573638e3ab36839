// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_OPTIMIZED_HELPER_H
#define LLM_FABRIC_RAIL_OPTIMIZED_HELPER_H

#include "topology-helper.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Rail-optimized: the NICs of a rail hang on the same switch (or switches), and spines join all rail
 * switches with full bisection, in one tier or, where its radix does not suffice, two.
 */
class RailOptimizedHelper : public TopologyHelper
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
    /** @param radix ports of a switch @return NICs on a rail switch, as many as its uplinks */
    uint32_t GetNicsPerLeaf(uint32_t radix) const;
    /** @param radix ports of a switch @return number of switches of a rail */
    uint32_t GetLeavesPerRail(uint32_t radix) const;
    /** @param radix ports of a switch @return whether such switches can join all */
    bool Fits(uint32_t radix) const;

    uint32_t m_radix; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RAIL_OPTIMIZED_HELPER_H
