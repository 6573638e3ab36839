// SPDX-License-Identifier: GPL-2.0-only

// A bulk transfer of ns-3's TCP and an RDMA message into one receiver behind a switch.
//
//   ./llm-fabric run tcp-beside-rdma                                       (TCP below RDMA: gets the rest)
//   ./llm-fabric run tcp-beside-rdma -- --ns3::llm::FabricPort::TcpIpClass=3        (one queue for both)
//   ./llm-fabric run tcp-beside-rdma -- --ns3::TcpL4Protocol::SocketType=ns3::TcpNewReno
//   ./llm-fabric run tcp-beside-rdma -- --durationUs=100 --pcap=both        (every port, for Wireshark)
// TCP is DCTCP, whose packets the switch marks as it marks RDMA's frames.

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/fabric-internet-helper.h"
#include "ns3/fabric-trace-helper.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/program-options.h"
#include "ns3/simulator.h"
#include "ns3/single-switch-helper.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

// ns-3's defaults are for the Internet: small segments, small buffers, timeouts of a second.
void
SetTcp()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpDctcp"));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(8948)); // MTU - 20 - 20 - 12
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
}

void
Delivered(Time* time, const Message&)
{
    *time = Simulator::Now();
}

int
Run(uint32_t durationUs, const std::string& pcap)
{
    auto helper = CreateObject<SingleSwitchHelper>();
    helper->SetAttribute("Accelerators", UintegerValue(4));
    helper->SetAttribute("DomainSize", UintegerValue(1));
    const Ptr<Cluster> cluster = helper->Build();
    const Ipv4InterfaceContainer interfaces = FabricInternetHelper::Install(cluster);
    if (!pcap.empty())
    {
        FabricTraceHelper(cluster).EnablePcapAll(pcap);
    }

    Time rdmaTime; // of a message from 0 to 3
    cluster->GetTransport()->SetOwner(0, MakeBoundCallback(&Delivered, &rdmaTime), {});
    Message message;
    message.source = 0;
    message.destination = 3;
    message.bytes = 40000000;
    cluster->GetTransport()->Send(message);

    const InetSocketAddress receiver(interfaces.GetAddress(3), 40000); // from 1 to 3
    BulkSendHelper bulk("ns3::TcpSocketFactory", receiver);
    bulk.SetAttribute("MaxBytes", UintegerValue(0));
    bulk.SetAttribute("SendSize", UintegerValue(8948));
    bulk.Install(cluster->GetNodes().Get(1));
    PacketSinkHelper sinkHelper("ns3::TcpSocketFactory", receiver);
    const auto sink =
        DynamicCast<PacketSink>(sinkHelper.Install(cluster->GetNodes().Get(3)).Get(0));

    Simulator::Stop(MicroSeconds(durationUs));
    Simulator::Run();
    const double tcpBits = 8 * static_cast<double>(sink->GetTotalRx());
    std::cout << "rdma_us=" << static_cast<double>(rdmaTime.GetPicoSeconds()) / 1e6
              << " tcp_gbps=" << tcpBits / durationUs / 1e3;
    for (const auto& [name, value] : cluster->GetCounters())
    {
        std::cout << ", " << name << ' ' << value;
    }
    std::cout << std::endl;
    return cluster->GetFaults().empty() ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
    try
    {
        SetTcp(); // the command line goes over it
        uint32_t durationUs = 2000;
        std::string pcap;
        ProgramOptions program("tcp-beside-rdma", "TCP and RDMA into one receiver.");
        program.Add("durationUs", "simulated time, us", durationUs, 1);
        program.Add("pcap", "prefix of pcap files, one for each port; none: no files", pcap);
        program.Parse(argc, argv);
        const int status = Run(durationUs, pcap);
        Simulator::Destroy();
        return status;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
