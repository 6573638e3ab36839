// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CLUSTER_CONSERVATION_H
#define LLM_FABRIC_CLUSTER_CONSERVATION_H

#include "conservation.h"

#include "ns3/cluster.h"

#include <memory>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * What goes into the networks of a cluster comes out of them.
 */

namespace ns3::llm
{

/** Watches the NIC network and the packet HB domains of a cluster. Made before the run. */
class ClusterConservation
{
  public:
    /** @param cluster to watch */
    explicit ClusterConservation(Ptr<Cluster> cluster)
    {
        m_networks.push_back(
            std::make_unique<Conservation>(cluster->GetNetwork(), cluster->GetRdma()));
        if (cluster->GetDomainNetwork())
        {
            m_networks.push_back(std::make_unique<Conservation>(cluster->GetDomainNetwork(),
                                                                cluster->GetDomainRdma()));
        }
    }

    /** The run is over: end the program if a network does not balance. @param isOver whether all has
     * arrived */
    void Require(bool isOver = true)
    {
        for (const auto& network : m_networks)
        {
            network->Require(isOver);
        }
    }

  private:
    std::vector<std::unique_ptr<Conservation>> m_networks; //!< of the cluster
    bool m_isOver;                                         //!< all arrives
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CLUSTER_CONSERVATION_H
