// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_TRACE_HELPER_H
#define LLM_FABRIC_FABRIC_TRACE_HELPER_H

#include "cluster.h"

#include "ns3/fabric-port.h"
#include "ns3/port-capture.h"
#include "ns3/rdma-transport.h"

#include "ns3/trace-helper.h"

#include <map>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Writes what ports of the fabric send and receive: as pcap files that Wireshark takes for RoCEv2 and
 * PFC, or as lines of text. The calls are those of ns-3's helpers: EnablePcap(), EnablePcapAll(),
 * EnableAscii(), EnableAsciiAll(). Devices that are no ports of this fabric are passed over.
 *
 * A port writes both what it sends and what it receives ("promiscuous" changes nothing). Files are
 * complete after Simulator::Destroy(). See PortCapture for the times in pcap files. Lines of text are
 * ns-3's: "+" a frame is queued, "-" it leaves, "r" one has come in, "d" one is lost. To be called when
 * the network is built.
 */
class FabricTraceHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /** @param cluster ports of its NIC network and of its packet HB domains */
    explicit FabricTraceHelper(Ptr<Cluster> cluster);
    /** @param transport ports of its network */
    explicit FabricTraceHelper(Ptr<RdmaTransport> transport);

    /**
     * Refuse frames that are none of RoCEv2: of other sizes, or with telemetry.
     * @param transport what sends the frames
     */
    static void CheckSizes(const RdmaTransport& transport);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> nd,
                             bool explicitFilename) override;
    /** @param transport ports of its network */
    void Add(Ptr<RdmaTransport> transport);
    /** @param device a device @return its transport, or null when it is no port of this fabric */
    Ptr<RdmaTransport> Find(Ptr<NetDevice> device) const;

    std::map<Ptr<const NetDevice>, Ptr<RdmaTransport>> m_transports; //!< by port
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_TRACE_HELPER_H
