// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLUID_NETWORK_H
#define LLM_FABRIC_FLUID_NETWORK_H

#include "fluid-transport.h"
#include "locality.h"
#include "rdma-transport.h"

#include "ns3/fluid-domain.h"
#include "ns3/frame-clock.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * The network between NICs as flows that share the rates of its links, max-min fairly, instead of
 * frames: what RdmaTransport would carry over the same paths with ideal sharing and no queues.
 *
 * A queue of messages takes the path that RDMA's frames with the entropy of its flow would take, and
 * its delay: propagation, and one stored frame for each switch. The path is found once. Payload has the
 * overhead of full frames; acknowledgments carry nothing. Links that fail, losses and congestion
 * control have no part in it.
 */
class FluidNetwork : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Make it; once.
     * @param clock the time
     * @param rdma tells paths and sizes of frames; installed, with accelerator a at terminal a
     * @param nodeIds of the accelerators' nodes
     */
    void
    Setup(Ptr<FrameClock> clock, Ptr<RdmaTransport> rdma, const std::vector<uint32_t>& nodeIds);

    /** @return carries the messages */
    Ptr<MessageTransport> GetTransport() const;
    /** @return the flows */
    Ptr<FluidDomain> GetDomain() const;

    /**
     * @param source accelerator @param destination another @param flow see Message
     * @return the leg; without links if there is no way
     */
    PathLeg DescribeLeg(uint32_t source, uint32_t destination, uint32_t flow) const;

    /**
     * @param link id of a link's direction, as PathLink has it
     * @param now the present time
     * @return what it has carried until then, bytes, overhead included; 0 if nothing ever used it
     */
    uint64_t GetCarriedBytes(uint64_t link, Time now) const;

  protected:
    void DoDispose() override;

  private:
    /** Where the bytes of a direction of a link are counted. */
    struct Place
    {
        uint32_t number = 0;      //!< of the port, or of the link between switches
        bool isPort = false;      //!< a NIC's
        bool isReceiving = false; //!< of a NIC's: towards it
    };

    /** Note the links of a NIC and give its port their rates. @param accelerator whose */
    void AddPort(uint32_t accelerator);
    /** @param transfer the first of a queue @return its way */
    FluidPath FindPath(const FluidTransfer& transfer);

    Ptr<RdmaTransport> m_rdma;          //!< tells paths
    Ptr<FluidDomain> m_domain;          //!< the flows
    Ptr<FluidTransport> m_transport;    //!< over them
    uint32_t m_count = 0;               //!< accelerators
    std::map<uint64_t, Place> m_places; //!< by id of a link's direction
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLUID_NETWORK_H
