// SPDX-License-Identifier: GPL-2.0-only

// A congestion control of one's own, complete in this file, against the built-in ones.
//
// Several hosts start one after the other to send to one receiver behind a switch. The control is
// chosen by the name of its TypeId:
//
//   ./llm-fabric run custom-congestion-control
//   ./llm-fabric run custom-congestion-control -- --control=ns3::llm::Dcqcn --senders=8
//
// The rate of each sender and the queue at the switch over time go to a CSV file and, where gnuplot
// is installed, into a picture.

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/fabric-network.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-transport.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

// ---- The control: a window that grows by a frame per round trip and shrinks by the share of marks.

struct MarkShareState
{
    uint64_t roundEndPsn = 0; // the round is over when this is acknowledged
    uint64_t acked = 0;       // bytes acknowledged in this round
    uint64_t marked = 0;      // of them, marked ones
    double windowBytes = 0;
};

class MarkShare : public RdmaCongestionControlOf<MarkShareState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("MarkShare")
                                .SetParent<RdmaCongestionControl>()
                                .AddConstructor<MarkShare>()
                                .AddAttribute("Cut",
                                              "Part of the window given up when all is marked.",
                                              DoubleValue(0.5),
                                              MakeDoubleAccessor(&MarkShare::m_cut),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

  protected:
    void DoStart(MarkShareState& state,
                 const QueuePairInfo& info,
                 CongestionDecision& decision) const override
    {
        state.windowBytes = BytesPerRoundTrip(info);
        SetWindow(state, info, decision);
    }

    void DoAck(MarkShareState& state,
               const QueuePairInfo& info,
               uint64_t /* now */,
               const AckSignal& ack,
               CongestionDecision& decision) const override
    {
        state.acked += ack.ackedBytes;
        state.marked += ack.ecnEcho ? ack.ackedBytes : 0;
        if (ack.ackedPsn < state.roundEndPsn)
        {
            return;
        }
        if (state.marked > 0)
        {
            const double share =
                static_cast<double>(state.marked) / static_cast<double>(state.acked);
            state.windowBytes *= 1 - m_cut * share;
        }
        else
        {
            state.windowBytes += info.mtuBytes;
        }
        state.acked = 0;
        state.marked = 0;
        state.roundEndPsn = ack.nextPsn;
        SetWindow(state, info, decision);
        // paced a little faster than the window allows, so that it does not leave in one burst
        decision.rateBps = 1.1 * 8e12 * state.windowBytes / static_cast<double>(ack.rttTicks);
    }

  private:
    static double BytesPerRoundTrip(const QueuePairInfo& info)
    {
        return info.lineRateBps / 8e12 * static_cast<double>(info.baseRttTicks);
    }

    static void
    SetWindow(MarkShareState& state, const QueuePairInfo& info, CongestionDecision& decision)
    {
        const double least = info.mtuBytes;
        const double most = 16 * BytesPerRoundTrip(info);
        state.windowBytes = std::min(std::max(state.windowBytes, least), most);
        decision.windowBytes = static_cast<uint64_t>(state.windowBytes);
    }

    double m_cut;
};

NS_OBJECT_ENSURE_REGISTERED(MarkShare);

// ---- The scenario: a star.

namespace
{

struct Options
{
    std::string control = "MarkShare";
    uint32_t senders = 4;
    uint64_t bytes = 12000000;
    DataRate rate{"100Gbps"};
    std::string output = "custom-congestion-control";
    bool noPlot = false;
    bool summary = false;
};

class Star
{
  public:
    explicit Star(const Options& options)
        : m_options(options),
          m_network(CreateObject<FabricNetwork>()),
          m_transport(CreateObject<RdmaTransport>()),
          m_csv(options.output + ".csv"),
          m_lastBytes(options.senders, 0)
    {
        if (!m_csv)
        {
            RefuseInput("output '" + options.output + ".csv' cannot be written");
        }
        m_network->SetClock(Create<FrameClock>());
        const uint32_t middle = m_network->AddSwitch(CreateObject<Node>(), 0, 0, "switch");
        std::vector<uint32_t> accelerators;
        for (uint32_t i = 0; i <= options.senders; ++i)
        {
            const uint32_t host =
                m_network->AddTerminal(CreateObject<Node>(), i, "host " + std::to_string(i));
            m_network->Connect(host, middle, options.rate, MicroSeconds(1));
            accelerators.push_back(i);
        }
        m_transport->Install(m_network, accelerators);
        m_network->Build();
        m_transport->Start();
        m_transport->SetOwner(0,
                              MakeCallback(&Star::Delivered, this),
                              MessageTransport::MessageCallback());
        WriteHeader();
    }

    // The last host is the receiver; a sender begins every 200 us.
    void Run()
    {
        for (uint32_t i = 0; i < m_options.senders; ++i)
        {
            Message message;
            message.source = i;
            message.destination = m_options.senders;
            message.bytes = m_options.bytes;
            Simulator::Schedule(MicroSeconds(200) * i, &RdmaTransport::Send, m_transport, message);
        }
        Simulator::Schedule(SAMPLING, &Star::Sample, this);
        Simulator::Run();
        m_csv.close();
    }

    void Report() const
    {
        const FrameTransmitter& port = GetBottleneck();
        const NicCounters nics = m_transport->GetCounters();
        const double seconds = m_end.GetSeconds();
        const double gbps = 8e-9 * static_cast<double>(m_options.bytes) * m_delivered / seconds;
        const char separator = m_options.summary ? ' ' : '\n';
        std::cout << "control=" << m_options.control << separator << "delivered=" << m_delivered
                  << separator << "end_us=" << m_end.GetNanoSeconds() / 1e3 << separator
                  << "goodput_gbps=" << gbps << separator
                  << "max_queue_kb=" << port.GetCounters().maxQueueBytes / 1e3 << separator
                  << "marks=" << port.GetCounters().marks << separator
                  << "cnps=" << nics.cnpsReceived << separator
                  << "retransmissions=" << nics.retransmissions << std::endl;
    }

    bool IsComplete() const
    {
        return m_delivered == m_options.senders;
    }

  private:
    static constexpr int64_t SAMPLING_US = 50;
    const Time SAMPLING = MicroSeconds(SAMPLING_US);

    const FrameTransmitter& GetBottleneck() const
    {
        return m_network->GetSwitch(0)->GetPort(m_options.senders)->GetTransmitter();
    }

    void WriteHeader()
    {
        m_csv << "time_us,queue_kb";
        for (uint32_t i = 0; i < m_options.senders; ++i)
        {
            m_csv << ",sender_" << i << "_gbps";
        }
        m_csv << '\n';
    }

    void Sample()
    {
        const auto now = static_cast<uint64_t>(Simulator::Now().GetPicoSeconds());
        m_csv << Simulator::Now().GetMicroSeconds() << ','
              << static_cast<double>(GetBottleneck().GetQueueBytes(now)) / 1e3;
        for (uint32_t i = 0; i < m_options.senders; ++i)
        {
            const uint64_t bytes = m_transport->GetNic(i).GetCounters().payloadBytes;
            m_csv << ',' << 8e-3 * static_cast<double>(bytes - m_lastBytes[i]) / SAMPLING_US;
            m_lastBytes[i] = bytes;
        }
        m_csv << '\n';
        if (!IsComplete() && m_transport->GetFailures().empty())
        {
            Simulator::Schedule(SAMPLING, &Star::Sample, this);
        }
    }

    void Delivered(const Message&)
    {
        ++m_delivered;
        m_end = Simulator::Now();
    }

    const Options& m_options;
    Ptr<FabricNetwork> m_network;
    Ptr<RdmaTransport> m_transport;
    std::ofstream m_csv;
    std::vector<uint64_t> m_lastBytes;
    uint32_t m_delivered = 0;
    Time m_end;
};

// Draw the CSV file. Without gnuplot there is no picture, and nothing else is missing.
void
Plot(const Options& options)
{
    std::ofstream script(options.output + ".plt");
    script << "set terminal pngcairo size 1000,700 font 'sans,11'\n"
           << "set output '" << options.output << ".png'\n"
           << "set datafile separator ','\n"
           << "set multiplot layout 2,1 title '" << options.control << ", " << options.senders
           << " senders to one receiver at " << options.rate.GetBitRate() / 1000000000 << " Gb/s'\n"
           << "set grid\nset autoscale xfix\nset xlabel 'time (us)'\n"
           << "set ylabel 'goodput (Gb/s)'\nset yrange [0:*]\nset key outside right\n"
           << "plot for [i=3:" << options.senders + 2 << "] '" << options.output
           << ".csv' using 1:i with lines lw 2 title sprintf('sender %d', i - 3)\n"
           << "set ylabel 'queue at the receiver''s port (KB)'\n"
           << "plot '" << options.output << ".csv' using 1:2 with filledcurves y=0 "
           << "fillcolor rgb '#4477aa' title 'queue'\nunset multiplot\n";
    script.close();
    const std::string command = "gnuplot '" + options.output + ".plt' 2>/dev/null";
    if (std::system(command.c_str()) == 0)
    {
        std::cout << "picture: " << options.output << ".png" << std::endl;
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    UseFrameEngine();
    try
    {
        Options options;
        ProgramOptions program("custom-congestion-control",
                               "A congestion control of one's own beside the built-in ones.");
        program.Add("control", "TypeId of the congestion control", options.control);
        program.Add("senders", "how many senders", options.senders, 1, 1000);
        program.Add("bytes", "bytes that each sends", options.bytes);
        program.Add("rate", "rate of every link, with unit", options.rate);
        program.Add("output",
                    "name of the CSV file and the picture, without ending",
                    options.output);
        program.Add("noPlot", "draw no picture", options.noPlot);
        program.Add("summary", "print the result on one line, draw nothing", options.summary);
        program.Parse(argc, argv);
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl",
                           StringValue(options.control));
        Star star(options);
        star.Run();
        star.Report();
        if (!options.noPlot && !options.summary)
        {
            Plot(options);
        }
        Simulator::Destroy();
        return star.IsComplete() ? 0 : 1;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
