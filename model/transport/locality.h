// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LOCALITY_H
#define LLM_FABRIC_LOCALITY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
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
 * What switches can do for a group of accelerators.
 */
struct InSwitchReduction
{
    /** How. */
    enum Style : uint8_t
    {
        NONE,    //!< not at all
        MEMBERS, //!< a member reads what all have, reduced on its way, and writes to all (NVLS)
        TREE,    //!< what all send is reduced up a tree of switches and comes down to them (SHARP)
    };

    Style style = NONE; //!< how
    std::string reason; //!< NONE: why not, in words that follow "because"
};

/**
 * @ingroup llm-fabric-transport
 * The way of a reduction or a multicast.
 */
struct GroupPath
{
    /** Its longest way as that of a message (TREE), or all links at the same rate (MEMBERS). */
    PathLeg leg;
    std::vector<PathLink> links;       //!< all that it crosses, each once
    uint32_t outstanding = UINT32_MAX; //!< a group has at most so many calls under way
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

    /**
     * @param members accelerators of a group
     * @return what switches can do for it; by default nothing
     */
    virtual InSwitchReduction GetInSwitchReduction(const std::vector<uint32_t>& members) const;

    /**
     * The way of a reduction or a multicast of a group for which switches can do that.
     * @param members accelerators of the group
     * @param source who sends: a member, or EVERY_MEMBER
     * @param destination who receives: a member, or EVERY_MEMBER
     * @param owner owner of the messages, who enters the choice among equal trees
     * @return the way
     */
    virtual GroupPath GetGroupPath(const std::vector<uint32_t>& members,
                                   uint32_t source,
                                   uint32_t destination,
                                   uint32_t owner = 0) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LOCALITY_H
