// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LOCALITY_H
#define LLM_FABRIC_LOCALITY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * One direction of a link that a message crosses.
 */
struct PathLink
{
    uint64_t id = 0; //!< the same for every path over this direction of this link, and for no other
    DataRate rate;   //!< line rate
    Time delay;      //!< propagation
};

/**
 * @ingroup llm-fabric-transport
 * A stretch of a path without a relay: over frames and switches, or over a fluid domain.
 */
struct PathLeg
{
    bool isFluid = false;                 //!< shared by rate instead of carried in frames
    double wireOverhead = 1;              //!< fluid: bytes carried per payload byte
    Time fluidDelay;                      //!< fluid: added once per message
    uint32_t mtu = 4096;                  //!< frames: payload bytes of a full frame
    uint32_t dataOverhead = 82;           //!< frames: wire bytes of a data frame beyond its payload
    uint32_t firstOverhead = 16;          //!< frames: further wire bytes of a write's first frame
    uint64_t framesPerWrite = UINT64_MAX; //!< frames: a longer message is several writes
    uint32_t parallel =
        1; //!< frames: as many equal ways, of which this is one, take turns by message
    uint32_t ackSize = 86;          //!< frames: wire bytes of an acknowledgment
    uint32_t framesPerAck = 1;      //!< frames: data frames per acknowledgment
    std::vector<PathLink> links;    //!< from source to destination
    std::vector<PathLink> ackLinks; //!< the way of the acknowledgments, destination to source
};

/**
 * @ingroup llm-fabric-transport
 * The way of a message: one leg, or several with an accelerator between each two that stores the
 * message and sends it on.
 */
struct Path
{
    std::vector<PathLeg> legs;    //!< at least one
    std::vector<uint32_t> relays; //!< accelerators between the legs, one fewer than legs
};

/**
 * @ingroup llm-fabric-transport
 * What algorithms, bounds and relays may know of the cluster.
 *
 * Accelerators are numbered from 0; the domains are blocks of consecutive numbers.
 */
class Locality : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return number of accelerators */
    virtual uint32_t GetAcceleratorCount() const = 0;
    /**
     * @param accelerator an accelerator
     * @return its HB domain, counted from 0
     */
    virtual uint32_t GetDomain(uint32_t accelerator) const = 0;
    /**
     * @param accelerator an accelerator
     * @return its rail: its place in its HB domain
     */
    virtual uint32_t GetRail(uint32_t accelerator) const = 0;
    /**
     * @param accelerator an accelerator
     * @return id of its ns-3 node, the context of calls for it
     */
    virtual uint32_t GetNodeId(uint32_t accelerator) const = 0;
    /**
     * The way that a message takes now. Aborts with a message that names both accelerators and the
     * reason when there is none.
     * @param source sending accelerator
     * @param destination receiving accelerator, not the source
     * @param owner the message's owner (enters the choice among equal-cost links)
     * @param flow the message's flow (likewise)
     * @return the path
     */
    virtual Path
    GetPath(uint32_t source, uint32_t destination, uint32_t owner = 0, uint32_t flow = 0) const = 0;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LOCALITY_H
