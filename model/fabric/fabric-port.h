// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_PORT_H
#define LLM_FABRIC_FABRIC_PORT_H

#include "frame-transmitter.h"
#include "port-traces.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/queue-size.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>

namespace ns3::llm
{

class FabricLink;
class PortPacketQueue;
struct PacketSetup;

/**
 * @ingroup llm-fabric-fabric
 * A port of an accelerator or a switch: the ns-3 face of a FrameTransmitter.
 *
 * Frames do not pass through the NetDevice interface. Packets of ns-3's own stack do, at the port of a
 * NIC that was told to CarryPackets(); elsewhere Send() returns false.
 */
class FabricPort : public NetDevice
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    FabricPort();
    ~FabricPort() override;

    /**
     * TracedCallback signature of what happens to a frame.
     *
     * @param [in] port the port
     * @param [in] frame the frame, which is not to be kept
     * @param [in] queueBytes wire bytes in the queue of its class at the port: with it where it is
     *             queued or marked, without it where it leaves
     * @param [in] time when
     */
    typedef void (*FrameTracedCallback)(Ptr<const FabricPort> port,
                                        const Frame& frame,
                                        uint32_t queueBytes,
                                        Time time);

    /**
     * TracedCallback signature of PFC frames.
     *
     * @param [in] port the port
     * @param [in] trafficClass the class that is to stop or to go on
     * @param [in] isStop whether it is to stop
     * @param [in] time when
     */
    typedef void (*PauseTracedCallback)(Ptr<const FabricPort> port,
                                        uint8_t trafficClass,
                                        bool isStop,
                                        Time time);

    /**
     * TracedCallback signature of frames that are lost.
     *
     * @param [in] port where: the port that it came in by, or the one that it was queued at or sent by
     * @param [in] frame the frame, which is not to be kept
     * @param [in] reason why
     * @param [in] time when
     */
    typedef void (*DropTracedCallback)(Ptr<const FabricPort> port,
                                       const Frame& frame,
                                       DropReason reason,
                                       Time time);

    /** @return the trace sources; made by the first call */
    PortTraces& GetTraces();

    /** @return the sending half, which does the work; another one after MoveTransmitter() */
    FrameTransmitter& GetTransmitter()
    {
        return *m_transmitter;
    }

    /** @return the sending half */
    const FrameTransmitter& GetTransmitter() const
    {
        return *m_transmitter;
    }

    /**
     * Have the sending half elsewhere, side by side with those of other ports.
     * @param place a new one
     */
    void MoveTransmitter(std::shared_ptr<FrameTransmitter> place);

    /** @param link the link that it is plugged into */
    void SetLink(Ptr<FabricLink> link);

    /**
     * Carry packets of ns-3's stack from now on; once, when the port has its node and its link. The
     * port gets the Ethernet address of its terminal.
     * @param setup where and how
     */
    void CarryPackets(const PacketSetup& setup);

    /** A frame with a packet has come in (from a frame event). @param frame it; goes back */
    void ReceivePacket(Frame* frame);

    /** The port may send again, or its link went down or came up (from a frame event). */
    void PortReady();

    /** @return packets that were not sent, for want of room or of a destination */
    uint64_t GetPacketDrops() const
    {
        return m_packetDrops;
    }

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  private:
    void DoDispose() override;
    /**
     * A packet has come: hand it to the stack (an ns-3 event).
     * @param packet the packet
     * @param etherType its protocol
     * @param source terminal that sent it
     * @param isMarked whether it was marked on its way
     */
    void Deliver(Ptr<const Packet> packet, uint16_t etherType, uint32_t source, bool isMarked);
    /** Tell the stack that the link went down or came up (an ns-3 event). */
    void NotifyLinkChange();

    std::shared_ptr<FrameTransmitter> m_transmitter; //!< the sending half
    std::unique_ptr<PortTraces> m_traces;            //!< the trace sources, if sinks ever connected
    Ptr<Node> m_node;                                //!< its node
    Ptr<FabricLink> m_link;                          //!< its link
    Mac48Address m_address;                          //!< its address
    uint32_t m_ifIndex = 0;                          //!< its number at the node
    uint16_t m_mtu;                                  //!< attribute
    uint8_t m_packetClass;                           //!< attribute
    QueueSize m_packetLimit;                         //!< attribute
    std::unique_ptr<PortPacketQueue> m_packets;      //!< what waits, if packets are carried
    uint64_t m_packetDrops = 0;                      //!< see GetPacketDrops()
    bool m_wasUp = true;                             //!< the link, as the stack knows it
    NetDevice::ReceiveCallback m_receive;            //!< gets packets
    NetDevice::PromiscReceiveCallback m_promiscReceive; //!< gets packets, too
    TracedCallback<> m_linkChanges;                     //!< told of the link
    TracedCallback<Ptr<const Packet>> m_macTx;          //!< trace source
    TracedCallback<Ptr<const Packet>> m_macTxDrop;      //!< trace source
    TracedCallback<Ptr<const Packet>> m_macRx;          //!< trace source
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_PORT_H
