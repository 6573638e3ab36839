// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RELAY_TRANSPORT_H
#define LLM_FABRIC_RELAY_TRANSPORT_H

#include "message-transport.h"
#include "relay-bundles.h"
#include "relay-chunk.h"
#include "relay-map.h"
#include "relay-order.h"
#include "relay-sender.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Decorates another transport: carries messages between rails over an accelerator that shares the
 * domain of one end and the rail of the other (RelayMap). All others go straight through.
 *
 * A message is cut into chunks of at most `ChunkBytes`. A sender takes a credit for a chunk before its
 * first leg, and gets it back by an empty message from the relay once the second leg is acknowledged;
 * so a full relay holds up senders at home and never the fabric. The empty message of the last chunk
 * acknowledges the whole message at its source. `RelayBuffer` is divided evenly among all accelerators
 * that may send over a relay, as NCCL has buffers per connection: no two nodes share a credit, and no
 * one waits for a stranger. A relay needs no credit to send on, so credits cannot wait for each other.
 *
 * A relay stores a chunk as a whole and then sends it on, or each packet of it (`ForwardBy`), or with
 * `Aggregate` what all accelerators of its domain have for a destination, as one message.
 *
 * Whoever waits for credit is served in the order of the ticks of Send() (RelaySender). So that the
 * order of simultaneous calls does not matter, what Send() hands over leaves one tick later, and so
 * does what a relay sends on.
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
     * that is too small for the number of senders is refused, and so are ways of forwarding that do
     * not go together, or packets where the domain has none.
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
    /**
     * @param relay an accelerator
     * @return messages in which it has sent on what it relayed: chunks, packets or aggregates
     */
    uint64_t GetForwardedCount(uint32_t relay) const;
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

    /** A part of a chunk, or several chunks, on one leg. */
    struct Leg
    {
        LegKind kind = FIRST;                                    //!< which leg
        boost::container::small_vector<RelayChunkPtr, 1> chunks; //!< what it is of
        uint64_t bytes = 0;                                      //!< payload
        bool isDelivered = false;                                //!< at the end of the leg
    };

    /** The ends of a leg and its owner. */
    using LegKey = std::tuple<uint32_t, uint32_t, uint32_t>;
    /** Legs under way, not yet acknowledged, in the order of sending. */
    using LegQueue = std::deque<Leg>;

    /** What an accelerator has sent over relays. */
    struct Sending
    {
        RelaySender queue;        //!< what waits
        bool isScheduled = false; //!< whether Serve() is scheduled
    };

    /** What a relay has done. */
    struct Store
    {
        uint64_t held = 0;        //!< stored now, bytes
        uint64_t peak = 0;        //!< most ever stored, bytes
        uint64_t relayed = 0;     //!< sent on and acknowledged, bytes
        uint64_t forwarded = 0;   //!< second legs
        std::vector<Leg> posted;  //!< legs that leave the relay in the next tick
        RelayBundles bundles;     //!< what waits for more
        EventId timer;            //!< when that has waited for long
        uint64_t timerTick = 0;   //!< of the timer
        bool isScheduled = false; //!< whether Forward() is scheduled
    };

    /** Refuse attributes that do not go together. @param locality tells whether there are packets */
    void CheckForwarding(const Locality& locality);
    /**
     * @param relay a relay
     * @return how much each of its senders may have under way over it, bytes
     */
    uint64_t GetWindow(uint32_t relay) const;
    /**
     * @param relay a relay
     * @return the largest chunk
     */
    uint64_t GetChunkLimit(uint32_t relay) const;
    /**
     * Serve a sender in the next tick, when everything of this tick is known.
     * @param sender the sender
     */
    void ScheduleServe(uint32_t sender);
    /**
     * ns-3 event at the sender: send what the credit allows.
     * @param sender the sender
     */
    void Serve(uint32_t sender);
    /**
     * A message of a relay itself goes the same way as what it relays.
     * @param message the message
     */
    void SendOwn(const Message& message);
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
     * Have a relay act in the next tick.
     * @param relay the relay
     */
    void ScheduleForward(uint32_t relay);
    /**
     * ns-3 event at a relay: send what was posted.
     * @param relay the relay
     */
    void Forward(uint32_t relay);
    /**
     * Hold a leg back for others, or send it.
     * @param relay the relay
     * @param leg the second leg of a chunk
     */
    void Aggregate(uint32_t relay, const Leg& leg);
    /**
     * Send bundles.
     * @param relay the relay
     * @param bundles in order
     */
    void SendBundles(uint32_t relay, const std::vector<RelayBundles::Bundle>& bundles);
    /**
     * Set a relay's timer for what it holds back.
     * @param relay the relay
     */
    void SetTimer(uint32_t relay);
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
     * A part of a message is at the destination.
     * @param relayed the message
     */
    void TakeDelivery(RelayedMessage& relayed);
    /**
     * The source knows that a chunk is at the destination.
     * @param relayed its message
     */
    void TakeAcknowledgment(RelayedMessage& relayed);
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

    std::string m_forwarding;   //!< attribute
    std::string m_forwardBy;    //!< attribute
    bool m_aggregates;          //!< attribute
    Time m_aggregateWait;       //!< attribute
    uint64_t m_buffer;          //!< attribute
    uint64_t m_chunk;           //!< attribute
    uint64_t m_loadWindow;      //!< attribute
    uint64_t m_packetBytes = 0; //!< payload of a packet; 0: chunks go on as a whole
    bool m_keepsOrder = false;  //!< messages of a flow may take several ways

    RelayMap m_map;                    //!< who relays for whom
    Ptr<MessageTransport> m_transport; //!< what is decorated
    std::vector<Sending> m_senders;    //!< by accelerator
    std::map<LegKey, LegQueue> m_legs; //!< by ends and owner
    std::vector<Store> m_stores;       //!< by accelerator
    RelayOrder m_order;                //!< if it is kept
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RELAY_TRANSPORT_H
