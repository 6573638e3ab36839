// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_SCALE_OUT_TRANSPORT_H
#define LLM_FABRIC_SCALE_OUT_TRANSPORT_H

#include "cluster.h"

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * @return what may carry messages between HB domains: the values of TopologyHelper's `Transport`
 */
std::vector<std::string> ListTransports();

/**
 * @ingroup llm-fabric-helper
 * Have clusters that are built from now on use a transport, as a program's option says it.
 * @param name one of ListTransports(), or "" to leave the attribute as it is
 */
void UseTransport(const std::string& name);

/**
 * @ingroup llm-fabric-helper
 * Make what carries messages between HB domains.
 * @param name one of ListTransports(); others are refused
 * @param parts all parts but this one, which they get; their network is built
 */
void MakeScaleOut(const std::string& name, Cluster::Parts& parts);

/**
 * @ingroup llm-fabric-helper
 * Set up what needs the whole cluster: the IP stacks of TCP.
 * @param cluster of these parts
 */
void FinishScaleOut(Ptr<Cluster> cluster);

} // namespace ns3::llm

#endif // LLM_FABRIC_SCALE_OUT_TRANSPORT_H
