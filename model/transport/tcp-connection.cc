// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-connection.h"

#include "ns3/log.h"
#include "ns3/packet.h"

#include <algorithm>
#include <utility>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("LlmTcpConnection");

TcpConnection::TcpConnection(Listener listener)
    : m_listener(std::move(listener))
{
}

TcpConnection::~TcpConnection()
{
    const Callback<void, Ptr<Socket>> nobody;
    if (m_sender)
    {
        m_sender->SetConnectCallback(nobody, nobody);
        m_sender->SetCloseCallbacks(nobody, nobody);
        m_sender->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>());
    }
    if (m_receiver)
    {
        m_receiver->SetRecvCallback(nobody);
        m_receiver->SetCloseCallbacks(nobody, nobody);
    }
}

void
TcpConnection::Open(Ptr<Socket> socket, const Address& to, uint32_t segmentBytes)
{
    NS_LOG_FUNCTION(this << socket << to << segmentBytes);
    m_sender = socket;
    m_segment = segmentBytes;
    m_capacity = socket->GetTxAvailable();
    socket->SetConnectCallback(MakeCallback(&TcpConnection::OnConnected, this),
                               MakeCallback(&TcpConnection::OnRefused, this));
    socket->SetCloseCallbacks(MakeCallback(&TcpConnection::OnBroken, this),
                              MakeCallback(&TcpConnection::OnBroken, this));
    socket->SetSendCallback(MakeCallback(&TcpConnection::OnSpace, this));
    if (socket->Connect(to) != 0)
    {
        Fail("has no route");
    }
}

void
TcpConnection::Accept(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    m_receiver = socket;
    socket->SetRecvCallback(MakeCallback(&TcpConnection::OnReceive, this));
    socket->SetCloseCallbacks(MakeCallback(&TcpConnection::OnBroken, this),
                              MakeCallback(&TcpConnection::OnBroken, this));
}

void
TcpConnection::Send(uint64_t bytes, uint64_t handle)
{
    NS_LOG_FUNCTION(this << bytes << handle);
    m_queued += bytes;
    m_arriving.push_back({m_queued, handle});
    m_unacknowledged.push_back({m_queued, handle});
    Fill();
}

void
TcpConnection::Fill()
{
    if (!m_isConnected || m_hasFailed)
    {
        return;
    }
    // In pieces of a segment, so that TCP neither splits nor joins packets. Parts share segments.
    while (m_written < m_queued)
    {
        const uint64_t rest = m_queued - m_written;
        const auto piece = static_cast<uint32_t>(std::min<uint64_t>(rest, m_segment));
        if (m_sender->GetTxAvailable() < piece)
        {
            return;
        }
        m_written += piece;
        m_sender->Send(Create<Packet>(piece));
    }
}

void
TcpConnection::OnConnected(Ptr<Socket>)
{
    m_isConnected = true;
    Fill();
}

void
TcpConnection::OnRefused(Ptr<Socket>)
{
    Fail("could not be set up: no answer came");
}

void
TcpConnection::OnBroken(Ptr<Socket>)
{
    Fail("broke: TCP gave up after retransmissions, or was reset");
}

void
TcpConnection::OnSpace(Ptr<Socket>, uint32_t available)
{
    if (m_hasFailed)
    {
        return;
    }
    const uint64_t acknowledged = m_written - (m_capacity - available);
    while (!m_unacknowledged.empty() && m_unacknowledged.front().end <= acknowledged)
    {
        const uint64_t handle = m_unacknowledged.front().handle;
        m_unacknowledged.pop_front();
        m_listener.acknowledged(handle);
    }
    Fill();
}

void
TcpConnection::OnReceive(Ptr<Socket> socket)
{
    for (Ptr<Packet> packet = socket->Recv(); packet && packet->GetSize() > 0;
         packet = socket->Recv())
    {
        m_received += packet->GetSize();
    }
    while (!m_arriving.empty() && m_arriving.front().end <= m_received)
    {
        const uint64_t handle = m_arriving.front().handle;
        m_arriving.pop_front();
        m_listener.delivered(handle);
    }
}

void
TcpConnection::Fail(const std::string& reason)
{
    NS_LOG_FUNCTION(this << reason);
    if (!m_hasFailed)
    {
        m_hasFailed = true;
        m_listener.failed(reason);
    }
}

} // namespace ns3::llm
