// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SINGLE_SWITCH_HELPER_H
#define LLM_FABRIC_SINGLE_SWITCH_HELPER_H

#include "topology-helper.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * One non-blocking switch between all NICs: the network against which others are held.
 */
class SingleSwitchHelper : public TopologyHelper
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
};

} // namespace ns3::llm

#endif // LLM_FABRIC_SINGLE_SWITCH_HELPER_H
