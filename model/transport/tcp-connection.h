// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TCP_CONNECTION_H
#define LLM_FABRIC_TCP_CONNECTION_H

#include "ns3/address.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * One TCP connection as a stream of parts of messages, one way.
 *
 * The payload is virtual, so both ends know the parts from here, and the bytes only have to be counted:
 * a part has come when the receiver's TCP has handed over its last byte in order, and is acknowledged
 * when the sender's TCP no longer keeps it.
 */
class TcpConnection
{
  public:
    /** Told of the end of a part. @param handle of its message */
    using PartCallback = std::function<void(uint64_t handle)>;
    /** Told that the connection can do no more. @param reason in words */
    using FailureCallback = std::function<void(const std::string& reason)>;

    /** Who is told. */
    struct Listener
    {
        PartCallback delivered;    //!< at the receiver
        PartCallback acknowledged; //!< at the sender
        FailureCallback failed;    //!< at either, once
    };

    /** @param listener who is told */
    explicit TcpConnection(Listener listener);
    ~TcpConnection();

    TcpConnection(const TcpConnection&) = delete;
    TcpConnection& operator=(const TcpConnection&) = delete;

    /**
     * Begin the handshake.
     * @param socket the sender's, bound
     * @param to the receiver's address and port
     * @param segmentBytes payload of a full segment
     */
    void Open(Ptr<Socket> socket, const Address& to, uint32_t segmentBytes);
    /** The receiver has the connection. @param socket its socket */
    void Accept(Ptr<Socket> socket);
    /**
     * Send a part; also before the connection is there.
     * @param bytes of the stream, at least one
     * @param handle of its message
     */
    void Send(uint64_t bytes, uint64_t handle);

    /** @return whether it can do no more */
    bool HasFailed() const
    {
        return m_hasFailed;
    }

    /** @return parts that have not come */
    std::size_t GetUndeliveredCount() const
    {
        return m_arriving.size();
    }

  private:
    /** A part of a message. */
    struct Part
    {
        uint64_t end = 0;    //!< bytes of the stream up to its end
        uint64_t handle = 0; //!< of its message
    };

    /** Hand over to TCP what its buffer has room for. */
    void Fill();
    /** The handshake is done (a socket's callback). @param socket the sender's */
    void OnConnected(Ptr<Socket> socket);
    /** There was no answer to the handshake. @param socket the sender's */
    void OnRefused(Ptr<Socket> socket);
    /** The connection has broken. @param socket either one */
    void OnBroken(Ptr<Socket> socket);
    /** The sender's buffer has room. @param socket the sender's @param available bytes */
    void OnSpace(Ptr<Socket> socket, uint32_t available);
    /** There are bytes to take. @param socket the receiver's */
    void OnReceive(Ptr<Socket> socket);
    /** @param reason in words */
    void Fail(const std::string& reason);

    Listener m_listener;               //!< who is told
    Ptr<Socket> m_sender;              //!< socket of the sender
    Ptr<Socket> m_receiver;            //!< socket of the receiver, once accepted
    uint32_t m_segment = 0;            //!< payload of a full segment, bytes
    uint32_t m_capacity = 0;           //!< of the sender's buffer, bytes
    bool m_isConnected = false;        //!< as the sender knows
    bool m_hasFailed = false;          //!< see HasFailed()
    uint64_t m_queued = 0;             //!< bytes of all parts
    uint64_t m_written = 0;            //!< handed over to TCP, bytes
    uint64_t m_received = 0;           //!< taken from TCP, bytes
    std::deque<Part> m_arriving;       //!< parts that have not come
    std::deque<Part> m_unacknowledged; //!< parts that the sender's TCP keeps
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TCP_CONNECTION_H
