// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MESSAGE_TRANSPORT_H
#define LLM_FABRIC_MESSAGE_TRANSPORT_H

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * A message between two accelerators. Its payload is virtual: only sizes travel.
 */
struct Message
{
    uint32_t source = 0;      //!< sending accelerator
    uint32_t destination = 0; //!< receiving accelerator
    uint64_t bytes = 0;       //!< payload; 0 is allowed and travels as one empty frame
    uint32_t owner = 0;       //!< who gets it at both ends (a communicator's id), below 2^20
    uint32_t instance = 0;    //!< which of the owner's phases it belongs to; carried modulo 2^12
    uint32_t place = 0;       //!< its place in the phase, the same in every repetition
    uint32_t flow = 0; //!< which of the parallel queue pairs of (source, destination, owner); not
                       //!< carried: 0 at the destination
    uint32_t priority =
        0;              //!< at the sender's NIC, 0 to 7, see RdmaTransport's `Scheduler`; each has
                        //!< its own queue pairs; not carried
    uint32_t joint = 0; //!< so many accelerators of the source's HB domain send the destination one
                        //!< such message (of this owner, instance, flow and priority) each, and a
                        //!< relay may wait for all; 0: not known. Not carried
};

/** In place of an accelerator: all members of a reduction group. */
constexpr uint32_t EVERY_MEMBER = UINT32_MAX;

/** Bits of a tag that hold the instance. */
constexpr uint32_t TAG_INSTANCE_BITS = 12;
/** Bits of a tag that hold the place. */
constexpr uint32_t TAG_PLACE_BITS = 32;

/**
 * @ingroup llm-fabric-transport
 * @param message a message
 * @return its owner (20 bits), instance (12 bits) and place (32 bits), as they travel
 */
inline uint64_t
MessageTag(const Message& message)
{
    const uint64_t instance = message.instance & ((1u << TAG_INSTANCE_BITS) - 1);
    const uint64_t owner = message.owner;
    return owner << (TAG_INSTANCE_BITS + TAG_PLACE_BITS) | instance << TAG_PLACE_BITS |
           message.place;
}

/**
 * @ingroup llm-fabric-transport
 * @param tag what MessageTag() made
 * @param message gets owner, instance and place
 */
inline void
ReadMessageTag(uint64_t tag, Message& message)
{
    message.owner = static_cast<uint32_t>(tag >> (TAG_INSTANCE_BITS + TAG_PLACE_BITS));
    message.instance =
        static_cast<uint32_t>(tag >> TAG_PLACE_BITS) & ((1u << TAG_INSTANCE_BITS) - 1);
    message.place = static_cast<uint32_t>(tag);
}

/**
 * @ingroup llm-fabric-transport
 * Carries messages between accelerators.
 *
 * All calls are made in ns-3 events, in the context of the accelerator's node. Messages of the same
 * (source, destination, owner, flow) are delivered in the order of Send, those of one tick in the order
 * of (instance, place); others in any order. Every
 * message is delivered exactly once and then acknowledged exactly once.
 */
class MessageTransport : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** Called at one end of a message. */
    using MessageCallback = Callback<void, const Message&>;

    /** How many owners there may be. */
    static constexpr uint32_t MAX_OWNERS = 1u << 20;
    /** Instances are carried modulo this. */
    static constexpr uint32_t INSTANCES = 1u << 12;

    /**
     * Send a message.
     * @param message what to send; source and destination differ
     */
    virtual void Send(const Message& message) = 0;

    /**
     * Have switches reduce and multicast for a group of accelerators. Where they cannot, this is
     * refused: see Locality::GetInSwitchReduction().
     * @param owner whose messages they will be
     * @param members the group, each once
     * @return the group's handle
     */
    virtual uint32_t MakeGroup(uint32_t owner, const std::vector<uint32_t>& members);

    /**
     * Contribute to a reduction; every member calls this. The members of a group make their calls in
     * the order of (instance, place), which is the same for all of them. The delivered callback gets
     * a message from EVERY_MEMBER at each receiver, when all have contributed and all bytes are there;
     * there is no acknowledged callback.
     * @param group handle of the group
     * @param call source: the member that calls; destination: who gets the result, a member or
     *        EVERY_MEMBER; bytes: of each contribution and of the result
     */
    virtual void Reduce(uint32_t group, const Message& call);

    /**
     * Take part in a multicast; every member calls this, in the order of Reduce() and Multicast() alike.
     * The delivered callback gets a message from the source at each other member.
     * @param group handle of the group
     * @param call source: whose bytes go to all; destination: the member that calls
     */
    virtual void Multicast(uint32_t group, const Message& call);

    /**
     * Say who gets the messages of an owner.
     * @param owner the owner
     * @param delivered called at the destination when all bytes are there (may be null)
     * @param acknowledged called at the source when it knows so (may be null)
     */
    virtual void SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged);

  protected:
    /**
     * Tell the owner at the destination.
     * @param message the message
     */
    void NotifyDelivered(const Message& message) const;
    /**
     * Tell the owner at the source.
     * @param message the message
     */
    void NotifyAcknowledged(const Message& message) const;

  private:
    /** The two callbacks of an owner. */
    struct Owner
    {
        MessageCallback delivered;    //!< at the destination
        MessageCallback acknowledged; //!< at the source
    };

    std::map<uint32_t, Owner> m_owners; //!< by owner
};

} // namespace ns3::llm

#endif // LLM_FABRIC_MESSAGE_TRANSPORT_H
