// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CLUSTER_H
#define LLM_FABRIC_CLUSTER_H

#include "ns3/fabric-network.h"
#include "ns3/fluid-domain.h"
#include "ns3/fluid-network.h"
#include "ns3/frame-clock.h"
#include "ns3/locality.h"
#include "ns3/message-transport.h"
#include "ns3/node-container.h"
#include "ns3/rdma-transport.h"
#include "ns3/relay-transport.h"
#include "ns3/tcp-transport.h"
#include "ns3/training-report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Accelerators in HB domains with a NIC network between them: what a TopologyHelper builds, and all
 * that a job needs of it.
 *
 * Accelerator a is in domain a / K, on rail a mod K. Messages inside a domain cross the domain, all
 * others the NIC network; where rails are not joined by it, an accelerator of the domain relays.
 */
class Cluster : public Locality
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** What a helper has built. */
    struct Parts
    {
        std::string name;                           //!< of the topology: "rail-only"
        uint32_t domainSize = 0;                    //!< K
        bool joinsRails = true;                     //!< the NIC network leads from rail to rail
        Ptr<FrameClock> clock;                      //!< time
        NodeContainer nodes;                        //!< of the accelerators
        Ptr<FabricNetwork> network;                 //!< between NICs
        Ptr<RdmaTransport> rdma;                    //!< over the NIC network
        Ptr<FabricNetwork> domainNetwork;           //!< the packet HB domains, or null
        Ptr<RdmaTransport> domainRdma;              //!< over them, or null
        std::vector<Ptr<FluidDomain>> fluidDomains; //!< the fluid HB domains, or none
        Ptr<MessageTransport> scaleUp;              //!< within domains
        Ptr<MessageTransport> scaleOut;             //!< between domains; null: rdma
        Ptr<TcpTransport> tcp;                      //!< if it is TCP
        Ptr<FluidNetwork> fluidNetwork;             //!< if it is fluid
        bool domainsReduce = false;                 //!< switches of fluid domains reduce for groups
    };

    /** @param parts the parts; once */
    void Setup(const Parts& parts);

    /** @return name of the topology */
    std::string GetName() const;
    /** @return carries messages between any two accelerators */
    Ptr<MessageTransport> GetTransport() const;
    /** @return nodes of the accelerators, in their order */
    NodeContainer GetNodes() const;
    /** @return the network between NICs */
    Ptr<FabricNetwork> GetNetwork() const;
    /** @return the packet HB domains (one network, not connected between domains), or null */
    Ptr<FabricNetwork> GetDomainNetwork() const;
    /** @return the fluid HB domains, by number, or none */
    const std::vector<Ptr<FluidDomain>>& GetFluidDomains() const;
    /** @return the RDMA transport over the NIC network */
    Ptr<RdmaTransport> GetRdma() const;
    /** @return the RDMA transport inside packet HB domains, or null */
    Ptr<RdmaTransport> GetDomainRdma() const;
    /** @return TCP between HB domains, or null */
    Ptr<TcpTransport> GetTcp() const;
    /** @return flows between HB domains, or null */
    Ptr<FluidNetwork> GetFluidNetwork() const;
    /** @return the relays, or null where rails are joined */
    Ptr<RelayTransport> GetRelays() const;
    /** @return K, accelerators per HB domain */
    uint32_t GetDomainSize() const;
    /** @return the clock */
    Ptr<FrameClock> GetClock() const;

    /**
     * @param duration simulated time so far
     * @return what each direction of each link, and each port of each fluid domain, has carried
     */
    std::vector<LinkUse> GetLinkUses(Time duration) const;
    /** @return counters of ports, switches and NICs, summed over the cluster */
    std::vector<NamedCounter> GetCounters() const;
    /** @return frames x links so far */
    uint64_t GetHops() const;
    /** @return what went wrong, one sentence each: what ended the run (a deadlock, a drop in a lossless
     * class), queue pairs that gave up */
    std::vector<std::string> GetFaults() const;
    /** @param observer sees every arrival on every link from here on; nullptr: none */
    void SetObserver(FrameTransmitter::Observer* observer);

    uint32_t GetAcceleratorCount() const override;
    uint32_t GetDomain(uint32_t accelerator) const override;
    uint32_t GetRail(uint32_t accelerator) const override;
    uint32_t GetNodeId(uint32_t accelerator) const override;
    Path GetPath(uint32_t source,
                 uint32_t destination,
                 uint32_t owner = 0,
                 uint32_t flow = 0) const override;
    InSwitchReduction GetInSwitchReduction(const std::vector<uint32_t>& members) const override;
    GroupPath GetGroupPath(const std::vector<uint32_t>& members,
                           uint32_t source,
                           uint32_t destination,
                           uint32_t owner = 0) const override;

  private:
    void DoDispose() override;
    /**
     * @param source accelerator
     * @param destination accelerator, in the same domain or reached over NICs without a relay
     * @param flow see Message
     * @return the leg
     */
    PathLeg MakeLeg(uint32_t source, uint32_t destination, uint32_t flow) const;
    /** @param source accelerator @param destination of another domain @param flow see Message
     * @return the leg */
    PathLeg MakeScaleOutLeg(uint32_t source, uint32_t destination, uint32_t flow) const;
    /** @param source accelerator @param destination of the same domain @return the leg */
    PathLeg MakeFluidLeg(uint32_t source, uint32_t destination) const;

    /** @param members accelerators @return whether they are of one HB domain that carries messages */
    bool IsInDomain(const std::vector<uint32_t>& members) const;

    Parts m_parts;                     //!< what a helper has built
    Ptr<RelayTransport> m_relays;      //!< between rails
    Ptr<MessageTransport> m_transport; //!< between any two
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CLUSTER_H
