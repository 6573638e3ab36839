// SPDX-License-Identifier: GPL-2.0-only

#include "scale-out-transport.h"

#include "fabric-internet-helper.h"

#include "ns3/fluid-network.h"
#include "ns3/input-error.h"
#include "ns3/tcp-transport.h"

#include "ns3/config.h"
#include "ns3/queue-disc.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"

#include <algorithm>

namespace ns3::llm
{

namespace
{

/** Refuse a name that no transport has. @param field where it stands @param name it */
void
CheckTransport(const std::string& field, const std::string& name)
{
    const std::vector<std::string> names = ListTransports();
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        RefuseInput(field + " '" + name + "': it is rdma, tcp or fluid");
    }
}

/** Give the NICs a queue disc. @param cluster with IP stacks @param type of the queue disc */
void
InstallQueueDisc(Ptr<Cluster> cluster, const std::string& type)
{
    TypeId found;
    if (!TypeId::LookupByNameFailSafe(type, &found) || !found.IsChildOf(QueueDisc::GetTypeId()))
    {
        RefuseInput("ns3::llm::TcpTransport::QueueDisc '" + type +
                    "': no ns3::QueueDisc has this name; ns3::FqCoDelQueueDisc is one");
    }
    TypeId::AttributeInformation timer;
    if (found.LookupAttributeByName("Tupdate", &timer))
    {
        RefuseInput("ns3::llm::TcpTransport::QueueDisc '" + type +
                    "': its timer runs for ever, and so would a run; those without one, such as "
                    "ns3::FqCoDelQueueDisc, are allowed");
    }
    TrafficControlHelper control;
    control.SetRootQueueDisc(type);
    control.Install(FabricInternetHelper::GetDevices(cluster->GetNetwork()));
}

} // namespace

std::vector<std::string>
ListTransports()
{
    return {"rdma", "tcp", "fluid"};
}

void
UseTransport(const std::string& name)
{
    if (!name.empty())
    {
        CheckTransport("transport", name);
        Config::SetDefault("ns3::llm::TopologyHelper::Transport", StringValue(name));
    }
}

void
MakeScaleOut(const std::string& name, Cluster::Parts& parts)
{
    CheckTransport("Transport", name);
    if (name == "rdma")
    {
        parts.scaleOut = parts.rdma;
        return;
    }
    if (parts.network->GetTerminalCount() != parts.nodes.GetN())
    {
        RefuseInput("Transport " + name + " with NicsPerAccelerator " +
                    std::to_string(parts.network->GetTerminalCount() / parts.nodes.GetN()) +
                    ": it uses one NIC of each accelerator; 1 is allowed, as is Transport rdma");
    }
    if (name == "tcp")
    {
        parts.tcp = CreateObject<TcpTransport>();
        parts.scaleOut = parts.tcp;
        return;
    }
    std::vector<uint32_t> nodeIds;
    for (uint32_t a = 0; a < parts.nodes.GetN(); ++a)
    {
        nodeIds.push_back(parts.nodes.Get(a)->GetId());
    }
    parts.fluidNetwork = CreateObject<FluidNetwork>();
    parts.fluidNetwork->Setup(parts.clock, parts.rdma, nodeIds);
    parts.scaleOut = parts.fluidNetwork->GetTransport();
}

void
FinishScaleOut(Ptr<Cluster> cluster)
{
    const Ptr<TcpTransport> tcp = cluster->GetTcp();
    if (!tcp)
    {
        return;
    }
    FabricInternetHelper::Install(cluster);
    if (!tcp->GetQueueDisc().empty())
    {
        InstallQueueDisc(cluster, tcp->GetQueueDisc());
    }
    tcp->Setup(cluster->GetNetwork(), cluster->GetNodes());
}

} // namespace ns3::llm
