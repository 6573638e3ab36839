// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-trace-helper.h"

#include "ns3/frame-to-roce.h"
#include "ns3/input-error.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/node.h"
#include "ns3/pcap-file-wrapper.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <memory>
#include <ostream>

namespace ns3::llm
{

namespace
{

/** Writes a pcap file. */
class PcapSink : public PortCapture::Sink
{
  public:
    /** @param file the file @param port whose frames it gets */
    PcapSink(Ptr<PcapFileWrapper> file, Ptr<const FabricPort> port)
        : m_file(file),
          m_own(Mac48Address::ConvertFrom(port->GetAddress()))
    {
        const Ptr<Channel> link = port->GetChannel();
        const Ptr<NetDevice> peer = link->GetDevice(link->GetDevice(0) == port ? 1 : 0);
        m_peer = Mac48Address::ConvertFrom(peer->GetAddress());
    }

    void Take(const PortCapture::Record& record) override
    {
        const FrameBytes bytes =
            SerializeFrame(record.frame, record.messageBytes, record.isSent ? m_own : m_peer);
        m_file->Write(PicoSeconds(record.tick), bytes.data(), static_cast<uint32_t>(bytes.size()));
    }

  private:
    Ptr<PcapFileWrapper> m_file; //!< the file
    Mac48Address m_own;          //!< address of the port
    Mac48Address m_peer;         //!< address of the other end
};

/** Writes lines of text. */
class AsciiSink : public PortCapture::Sink
{
  public:
    /** @param stream where to @param context what follows the time, or nothing */
    AsciiSink(Ptr<OutputStreamWrapper> stream, const std::string& context)
        : m_stream(stream),
          m_context(context)
    {
    }

    void Take(const PortCapture::Record& record) override
    {
        constexpr uint64_t TICKS = 1000000000000; // in a second
        std::ostream& out = *m_stream->GetStream();
        out << (record.isSent ? "t " : "r ") << record.tick / TICKS << '.' << std::setfill('0')
            << std::setw(12) << record.tick % TICKS << ' ' << m_context;
        WriteFrame(out, record.frame);
    }

  private:
    /** @param out where to @param frame what to write, to the end of the line */
    static void WriteFrame(std::ostream& out, const Frame& frame)
    {
        static constexpr std::array<const char*, 5> KINDS{"DATA", "ACK", "NACK", "CNP", "PAUSE"};
        const auto kind = static_cast<std::size_t>(frame.kind);
        if (frame.kind == FrameKind::PAUSE)
        {
            out << (frame.payloadBytes != 0 ? "PAUSE" : "RESUME") << " class=" << frame.psn
                << " wireBytes=" << frame.wireBytes << '\n';
            return;
        }
        out << KINDS[kind] << " source=" << frame.source << " destination=" << frame.destination
            << " queuePair=" << frame.queuePair << " psn=" << frame.psn
            << " class=" << uint32_t{frame.trafficClass} << " payloadBytes=" << frame.payloadBytes
            << " wireBytes=" << frame.wireBytes << (frame.flags & Frame::FIRST ? " FIRST" : "")
            << (frame.flags & Frame::LAST ? " LAST" : "")
            << (frame.flags & Frame::MARKED ? " MARKED" : "") << '\n';
    }

    Ptr<OutputStreamWrapper> m_stream; //!< where to
    std::string m_context;             //!< what follows the time
};

/** @param name of a size @param bytes its value @param allowed what RoCEv2 has; refused when else */
void
CheckSize(const std::string& name, uint32_t bytes, uint32_t allowed)
{
    if (bytes != allowed)
    {
        RefuseInput("pcap of frames with " + name + "=" + std::to_string(bytes) + ": RoCEv2 has " +
                    std::to_string(allowed) + "; leave ns3::llm::RdmaTransport::" + name + " at " +
                    std::to_string(allowed) + ", or choose an ascii trace");
    }
}

/** @param name of a file that is to be written; refused when it cannot be */
void
CheckWritable(const std::string& name)
{
    if (!std::ofstream(name))
    {
        RefuseInput("cannot write the trace file '" + name + "': " + std::strerror(errno) +
                    "; its folder must exist, and each port has a file open");
    }
}

/** @param transport a transport @return says how long its writes are */
PortCapture::MessageBytes
AskTransport(Ptr<RdmaTransport> transport)
{
    return [transport](const Frame& frame)
    {
        const RdmaNic& nic = transport->GetNicAt(frame.source);
        return nic.GetQueuePair(frame.queuePair).GetWriteBytes(frame.psn);
    };
}

} // namespace

FabricTraceHelper::FabricTraceHelper(Ptr<Cluster> cluster)
{
    Add(cluster->GetRdma());
    if (cluster->GetDomainRdma())
    {
        Add(cluster->GetDomainRdma());
    }
}

FabricTraceHelper::FabricTraceHelper(Ptr<RdmaTransport> transport)
{
    Add(transport);
}

void
FabricTraceHelper::Add(Ptr<RdmaTransport> transport)
{
    for (const auto& direction : transport->GetNetwork()->GetDirections())
    {
        m_transports[direction.port] = transport;
    }
}

Ptr<RdmaTransport>
FabricTraceHelper::Find(Ptr<NetDevice> device) const
{
    const auto it = m_transports.find(device);
    return it == m_transports.end() ? nullptr : it->second;
}

void
FabricTraceHelper::CheckSizes(const RdmaTransport& transport)
{
    const RdmaConfig& config = transport.GetConfig();
    if (config.control->NeedsTelemetry())
    {
        RefuseInput(
            "pcap with CongestionControl=" + config.control->GetInstanceTypeId().GetName() +
            ": its frames carry telemetry, for which RoCEv2 has no header; choose a control "
            "that needs none, or an ascii trace");
    }
    CheckSize("DataOverhead", config.dataOverheadBytes, 82);
    CheckSize("FirstOverhead", config.firstOverheadBytes, 16);
    CheckSize("AckSize", config.ackBytes, 86);
    CheckSize("CnpSize", config.cnpBytes, 98);
    const uint32_t terminals = transport.GetNetwork()->GetTerminalCount();
    if (terminals > ROCE_MAX_TERMINALS)
    {
        RefuseInput("pcap of a network with " + std::to_string(terminals) +
                    " terminals: the addresses of network 10 are enough for " +
                    std::to_string(ROCE_MAX_TERMINALS));
    }
}

void
FabricTraceHelper::EnablePcapInternal(std::string prefix,
                                      Ptr<NetDevice> nd,
                                      bool /*promiscuous*/,
                                      bool explicitFilename)
{
    const Ptr<RdmaTransport> transport = Find(nd);
    if (!transport)
    {
        return;
    }
    CheckSizes(*transport);
    const auto port = DynamicCast<FabricPort>(nd);
    const std::string name =
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, nd);
    CheckWritable(name);
    auto file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(name, std::ios::out);
    file->Init(PcapHelper::DLT_EN10MB);
    PortCapture::At(port, AskTransport(transport))->AddSink(std::make_unique<PcapSink>(file, port));
}

void
FabricTraceHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                       std::string prefix,
                                       Ptr<NetDevice> nd,
                                       bool explicitFilename)
{
    const Ptr<RdmaTransport> transport = Find(nd);
    if (!transport)
    {
        return;
    }
    std::string context;
    if (stream)
    {
        context = "/NodeList/" + std::to_string(nd->GetNode()->GetId()) + "/DeviceList/" +
                  std::to_string(nd->GetIfIndex()) + ' ';
    }
    else
    {
        AsciiTraceHelper helper;
        const std::string name =
            explicitFilename ? prefix : helper.GetFilenameFromDevice(prefix, nd);
        CheckWritable(name);
        stream = helper.CreateFileStream(name);
    }
    PortCapture::At(DynamicCast<FabricPort>(nd), AskTransport(transport))
        ->AddSink(std::make_unique<AsciiSink>(stream, context));
}

} // namespace ns3::llm
