// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_TRANSPORT_H
#define LLM_FABRIC_RELAY_TRANSPORT_H

#include "message-transport.h"
#include "relay-map.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Decorates another transport: carries messages between rails over an accelerator that shares the
 * domain of one end and the rail of the other (RelayMap). All others go straight through.
 *
 * A message is cut into chunks of at most `ChunkBytes`; each is stored by the relay as a whole and
 * then sent on. A sender takes a credit for a chunk before its first leg, and gets it back by an empty
 * message from the relay once the second leg is acknowledged; so a full relay holds up senders at
 * home and never the fabric. The empty message of the last chunk acknowledges the whole message at
 * its source. `RelayBuffer` is divided evenly among all accelerators that may send over a relay, as
 * NCCL has buffers per connection: no two nodes share a credit, and no one waits for a stranger.
 *
 * Whoever waits for credit is served in the order of the ticks of Send(), within a tick in the order
 * of (destination, owner, flow), each message to its end. So that the order of simultaneous calls
 * does not matter, what Send() hands over leaves one tick later, and so does what a relay sends on.
 *
 * Legs belong to the message's owner + OWNERS and carry its instance and place; its flow f becomes
 * 2 f for data and 2 f + 1 for the empty messages. A leg is known again by its ends, owner, instance,
 * place and size, so the other transport may deliver legs in any order and forget their flow. What a
 * leg is about is kept in this object, so all accelerators that relay live in one process.
 */
class RelayTransport : public MessageTransport
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** Owners must be below this; the legs have the owners from here on. */
    static constexpr uint32_t OWNERS = MAX_OWNERS / 2;
    /** Least credit of a sender, bytes. */
    static constexpr uint64_t MIN_CREDIT_BYTES = 4096;

    RelayTransport();
    ~RelayTransport() override;

    /**
     * Set what is decorated; once, before owners are set. Attributes are read here: a `RelayBuffer`
     * that is too small for the number of senders is refused.
     * @param locality tells domains and rails
     * @param transport carries the legs and all other messages
     */
    void Setup(Ptr<const Locality> locality, Ptr<MessageTransport> transport);

    /**
     * Send a message. One that has no path is refused, naming both accelerators and the reason.
     * @param message the message
     */
    void Send(const Message& message) override;
    void SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged) override;
    // nothing of a group is relayed
    uint32_t MakeGroup(uint32_t owner, const std::vector<uint32_t>& members) override;
    void Reduce(uint32_t group, const Message& call) override;
    void Multicast(uint32_t group, const Message& call) override;

    /** @return who relays for whom */
    const RelayMap& GetRelayMap() const;
    /** @return what is decorated */
    Ptr<MessageTransport> GetTransport() const;
    /**
     * @param relay an accelerator
     * @return credit of each accelerator that may send over it, bytes
     */
    uint64_t GetCreditBytes(uint32_t relay) const;
    /**
     * @param relay an accelerator
     * @return payload that it has relayed so far, bytes
     */
    uint64_t GetRelayedBytes(uint32_t relay) const;
    /**
     * @param relay an accelerator
     * @return most that it has stored at one time, bytes
     */
    uint64_t GetPeakStoredBytes(uint32_t relay) const;
    /** @return number of messages that wait for credit, in part or as a whole */
    uint64_t GetWaitingCount() const;

  protected:
    void DoDispose() override;

  private:
    /** What a leg is for. */
    enum LegKind : uint8_t
    {
        FIRST,  //!< to the relay
        SECOND, //!< from the relay
        DONE,   //!< empty, from the relay back to the source
    };

    /** A message under way. */
    struct Relayed
    {
        Message message;             //!< as it was sent
        uint64_t undelivered = 0;    //!< parts that are not at the destination
        uint64_t unacknowledged = 0; //!< parts of which the source knows nothing
    };

    /** A part of a message, on one leg. */
    struct Leg
    {
        LegKind kind = FIRST;             //!< which leg
        std::shared_ptr<Relayed> relayed; //!< the whole message
        uint64_t bytes = 0;               //!< payload of the part
        bool isDelivered = false;         //!< at the end of the leg
    };

    /** The ends of a leg and its owner. */
    using LegKey = std::tuple<uint32_t, uint32_t, uint32_t>;
    /** Legs under way, not yet acknowledged, in the order of sending. */
    using LegQueue = std::deque<Leg>;
    /** A sender and a relay. */
    using LaneKey = std::pair<uint32_t, uint32_t>;

    /** A message that has not left as a whole. */
    struct Waiting
    {
        std::shared_ptr<Relayed> relayed; //!< the message
        uint64_t sent = 0;                //!< how much has left
    };

    /** What a sender has to do with a relay. */
    struct Lane
    {
        uint64_t credit = 0;         //!< free, bytes
        std::vector<Message> posted; //!< by Send(), not yet ordered
        std::deque<Waiting> waiting; //!< in the order of service
        bool isScheduled = false;    //!< whether Serve() is scheduled
    };

    /** What a relay has done. */
    struct Store
    {
        uint64_t held = 0;       //!< stored now, bytes
        uint64_t peak = 0;       //!< most ever stored, bytes
        uint64_t relayed = 0;    //!< sent on and acknowledged, bytes
        std::vector<Leg> posted; //!< legs that leave the relay in the next tick
    };

    /**
     * Serve a lane in the next tick, when everything of this tick is known.
     * @param key the lane
     * @param lane the same
     */
    void ScheduleServe(const LaneKey& key, Lane& lane);
    /**
     * ns-3 event at the sender: send what the credit allows.
     * @param sender the sender
     * @param relay the relay
     */
    void Serve(uint32_t sender, uint32_t relay);
    /**
     * Send a leg.
     * @param from its source
     * @param to its destination
     * @param leg what it is
     */
    void SendLeg(uint32_t from, uint32_t to, const Leg& leg);
    /**
     * Send a leg from a relay in the next tick, when everything of this tick is known.
     * @param relay the relay
     * @param leg what it is
     */
    void Post(uint32_t relay, const Leg& leg);
    /**
     * ns-3 event at a relay: send what was posted.
     * @param relay the relay
     */
    void Forward(uint32_t relay);
    /**
     * A leg is delivered.
     * @param message the other transport's message
     */
    void OnDelivered(const Message& message);
    /**
     * A leg is acknowledged.
     * @param message the other transport's message
     */
    void OnAcknowledged(const Message& message);
    /**
     * @param message the other transport's message
     * @return its ends and owner
     */
    static LegKey GetLegKey(const Message& message);
    /**
     * @param leg a leg
     * @return its payload in the other transport
     */
    static uint64_t GetLegBytes(const Leg& leg);
    /**
     * Find the first leg that a message of the other transport can be; aborts if there is none.
     * @param message the message
     * @param isDelivered whether the leg was delivered before
     * @return the leg
     */
    LegQueue::iterator FindLeg(const Message& message, bool isDelivered);

    std::string m_forwarding; //!< attribute
    uint64_t m_buffer;        //!< attribute
    uint64_t m_chunk;         //!< attribute

    RelayMap m_map;                    //!< who relays for whom
    Ptr<MessageTransport> m_transport; //!< what is decorated
    std::map<LaneKey, Lane> m_lanes;   //!< by sender and relay
    std::map<LegKey, LegQueue> m_legs; //!< by ends and owner
    std::vector<Store> m_stores;       //!< by accelerator
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_TRANSPORT_H
