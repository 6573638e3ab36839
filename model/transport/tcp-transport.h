// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TCP_TRANSPORT_H
#define LLM_FABRIC_TCP_TRANSPORT_H

#include "locality.h"
#include "message-transport.h"
#include "tcp-connection.h"

#include "ns3/address.h"
#include "ns3/fabric-network.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/queue-item.h"
#include "ns3/socket.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What a TcpTransport has done.
 */
struct TcpCounters
{
    uint64_t connections = 0;  //!< opened
    uint64_t messages = 0;     //!< delivered
    uint64_t payloadBytes = 0; //!< of these messages
    uint64_t streamBytes = 0;  //!< handed over for sending: payload and headers
    uint64_t stackDrops = 0;   //!< packets that senders' stacks or queue discs dropped
};

/**
 * @ingroup llm-fabric-transport
 * Carries messages over connections of ns-3's TCP, with any TcpCongestionOps.
 *
 * Each (source, destination) has a pool of `Connections`, opened when they are first needed. A message
 * is a header and its payload on one connection, or, in a pool of several, parts of at most
 * `StripeBytes` with a header each, which go to the connections in turn. It is delivered when its last
 * byte has come, and acknowledged when the sender's TCP knows that. With one connection the messages
 * of a pair come in the order of Send(); with several they may overtake each other.
 *
 * Messages sent in a tick leave in the next one, in the order of (next destination after the source,
 * owner, flow, instance, place), so that the order of ns-3's events changes nothing. A connection's
 * ports follow from its pair and its place in the pool, never from history: they choose paths.
 *
 * Both ends of a connection are known here, so all accelerators live in one process.
 */
class TcpTransport : public MessageTransport
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** Port that all accelerators listen at. */
    static constexpr uint16_t LISTENING_PORT = 1000;
    /** First of the ports that connections come from. */
    static constexpr uint16_t FIRST_PORT = 1024;
    /** Bytes of IPv4, TCP and its timestamps in a packet. */
    static constexpr uint32_t HEADER_BYTES = 52;

    TcpTransport();
    ~TcpTransport() override;

    /**
     * Set up all accelerators; once, when their nodes have ns-3's stack. Attributes are read here.
     * @param network between the NICs; accelerator a is at terminal a
     * @param nodes of the accelerators
     */
    void Setup(Ptr<FabricNetwork> network, const NodeContainer& nodes);

    /** Send a message. @param message it; ends that are no two accelerators are refused, named */
    void Send(const Message& message) override;

    /** @return payload of a full segment, bytes */
    uint32_t GetSegmentBytes() const;
    /** @return TypeId name of the queue disc that NICs are to have, or "" */
    const std::string& GetQueueDisc() const;
    /** @return what was done so far */
    const TcpCounters& GetCounters() const;
    /** @return connections that failed, one sentence each, with their accelerators */
    const std::vector<std::string>& GetFailures() const;

    /**
     * The way of a message now.
     * @param source sending accelerator
     * @param destination receiving accelerator
     * @param flow its flow, which stands for a connection of the pool
     * @return the leg; without links if there is no way
     */
    PathLeg DescribeLeg(uint32_t source, uint32_t destination, uint32_t flow) const;

  protected:
    void DoDispose() override;

  private:
    /** A message under way. */
    struct Carried
    {
        Message message;             //!< as it was sent
        uint64_t undelivered = 0;    //!< parts that have not come
        uint64_t unacknowledged = 0; //!< parts of which the source does not know that they have
    };

    /** The connections from one accelerator to another. */
    struct Pool
    {
        std::vector<std::unique_ptr<TcpConnection>> connections; //!< by number; null: not opened
        uint32_t next = 0;                                       //!< whose turn it is
    };

    /** What an accelerator has to send. */
    struct Outbox
    {
        std::vector<Message> posted; //!< by Send(), not yet ordered
        bool isScheduled = false;    //!< whether Flush() is scheduled
    };

    /** Refuse attributes that do not fit. */
    void Check() const;
    /** @return a new socket with the attributes @param accelerator where */
    Ptr<Socket> MakeSocket(uint32_t accelerator) const;
    /** ns-3 event: send what was posted. @param source the accelerator */
    void Flush(uint32_t source);
    /** @param message to be sent now */
    void Start(const Message& message);
    /** @param message gets a handle @param parts it has so many @return the handle */
    uint64_t Keep(const Message& message, uint64_t parts);
    /** @param source accelerator @param destination accelerator @param number of the connection in the
     * pool @return it; opened if need be */
    TcpConnection& GetConnection(uint32_t source, uint32_t destination, uint32_t number);
    /** @param source accelerator @param destination accelerator @param number of the connection in the
     * pool @return port that it comes from */
    uint16_t GetPort(uint32_t source, uint32_t destination, uint32_t number) const;
    /** A connection is there (a socket's callback). @param destination who listened
     * @param socket of the connection @param from its other end */
    void OnAccepted(uint32_t destination, Ptr<Socket> socket, const Address& from);
    /** A stack has no room at its port, and no queue disc (a trace). */
    void OnStackDrop(Ptr<const Packet>);
    /** A queue disc drops (a trace). */
    void OnDiscDrop(Ptr<const QueueDiscItem>);
    /** @param handle of a message of which a part has come */
    void OnDelivered(uint64_t handle);
    /** @param handle of a message of which a part is acknowledged */
    void OnAcknowledged(uint64_t handle);

    std::string m_congestionOps; //!< attribute
    std::string m_queueDisc;     //!< attribute
    uint32_t m_connections;      //!< attribute
    uint64_t m_stripeBytes;      //!< attribute
    uint32_t m_headerBytes;      //!< attribute
    uint32_t m_segmentBytes;     //!< attribute; after Setup() what it stands for
    uint32_t m_sendBuffer;       //!< attribute
    uint32_t m_receiveBuffer;    //!< attribute
    uint32_t m_initialWindow;    //!< attribute
    uint32_t m_segmentsPerAck;   //!< attribute
    Time m_delayedAckTimeout;    //!< attribute
    Time m_minRto;               //!< attribute
    Time m_connectTimeout;       //!< attribute

    Ptr<FabricNetwork> m_network;                          //!< between the NICs
    NodeContainer m_nodes;                                 //!< of the accelerators
    std::vector<Ptr<Socket>> m_listeners;                  //!< by accelerator
    std::vector<Outbox> m_outboxes;                        //!< by accelerator
    std::map<std::pair<uint32_t, uint32_t>, Pool> m_pools; //!< by source and destination
    std::vector<Carried> m_carried;                        //!< under way, by handle
    std::vector<uint64_t> m_freeHandles;                   //!< that may be used again
    TcpCounters m_counters;                                //!< see GetCounters()
    std::vector<std::string> m_failures;                   //!< see GetFailures()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TCP_TRANSPORT_H
