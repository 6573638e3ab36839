// SPDX-License-Identifier: GPL-2.0-only

// What the fluid model gets wrong: the same messages as packets and as flows that share rates.
//
//   ./llm-fabric run fluid-error                                (inside an HB domain, and over networks)
//   ./llm-fabric run fluid-error -- --bytes=65536 --accelerators=16
//   ./llm-fabric run fluid-error -- --ns3::llm::RdmaTransport::CongestionControl=ns3::llm::Hpcc
//
// "domain" is one HB domain of all accelerators, with DomainFidelity packet and fluid; a fabric's name is
// that fabric with an accelerator in each domain, with Transport rdma and fluid. For each kind of
// traffic it prints when the last message came, and how far the times of single messages are off:
// (fluid - packet) / packet. In a fat-tree both take the same paths, collisions under ECMP included.

#include "ns3/class-list.h"
#include "ns3/cluster.h"
#include "ns3/frame-engine.h"
#include "ns3/input-error.h"
#include "ns3/program-options.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"
#include "ns3/topology-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Options
{
    uint32_t accelerators = 16;
    uint64_t bytes = 4 << 20;
    std::string places = "domain,single-switch,fat-tree";
    bool summary = false;
};

const std::vector<std::string> TRAFFICS = {"one message",
                                           "incast",
                                           "outcast",
                                           "ring",
                                           "all-to-all",
                                           "uneven all-to-all",
                                           "uneven incast, staggered"};

/** What is sent, and when. */
struct Sending
{
    Message message;
    Time at;
};

/** The messages of a traffic: S bytes from or to the busiest accelerator. */
std::vector<Sending>
MakeTraffic(const std::string& traffic, const Options& options)
{
    const uint32_t count = options.accelerators;
    std::vector<Sending> sendings;
    auto add = [&sendings](uint32_t source, uint32_t destination, uint64_t bytes, Time at)
    {
        Sending sending;
        sending.message.source = source;
        sending.message.destination = destination;
        sending.message.bytes = bytes;
        sending.message.place = static_cast<uint32_t>(sendings.size());
        sending.at = at;
        sendings.push_back(sending);
    };
    const uint64_t share = options.bytes / (count - 1);
    for (uint32_t i = 1; i < count; ++i)
    {
        if (traffic == "incast")
        {
            add(i, 0, share, Time(0));
        }
        else if (traffic == "outcast")
        {
            add(0, i, share, Time(0));
        }
        else if (traffic == "uneven incast, staggered")
        {
            add(i, 0, 2 * share * i / count + 1, NanoSeconds(500 * i));
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t step = 1; step < count; ++step)
        {
            const uint32_t to = (i + step) % count;
            if (traffic == "all-to-all" || (traffic == "ring" && step == 1))
            {
                add(i, to, traffic == "ring" ? options.bytes : share, Time(0));
            }
            else if (traffic == "uneven all-to-all")
            {
                // sizes from 1/8 to 15/8 of the mean, by a pattern without order
                add(i, to, share * (2 * ((i * 7 + to * 13) % 8) + 1) / 8, Time(0));
            }
        }
    }
    if (traffic == "one message")
    {
        add(0, count - 1, options.bytes, Time(0));
    }
    return sendings;
}

/** Time of each message, by its place. */
class Recorder
{
  public:
    explicit Recorder(std::size_t count)
        : ticks(count, 0)
    {
    }

    void OnDelivered(const Message& message)
    {
        ticks[message.place] = static_cast<double>(Simulator::Now().GetTimeStep());
    }

    std::vector<double> ticks;
};

std::vector<double>
RunOne(const Options& options, const std::string& place, bool isFluid, const std::string& traffic)
{
    const bool isDomain = place == "domain";
    ObjectFactory factory = MakeFabricFactory(isDomain ? "single-switch" : place);
    factory.Set("Accelerators", UintegerValue(options.accelerators));
    factory.Set("DomainSize", UintegerValue(isDomain ? options.accelerators : 1));
    factory.Set("DomainFidelity", StringValue(isFluid ? "fluid" : "packet"));
    factory.Set("Transport", StringValue(isFluid && !isDomain ? "fluid" : "rdma"));
    const Ptr<Cluster> cluster = factory.Create<TopologyHelper>()->Build();
    const std::vector<Sending> sendings = MakeTraffic(traffic, options);
    Recorder recorder(sendings.size());
    cluster->GetTransport()->SetOwner(0, MakeCallback(&Recorder::OnDelivered, &recorder), {});
    for (const Sending& sending : sendings)
    {
        Simulator::ScheduleWithContext(cluster->GetNodeId(sending.message.source),
                                       sending.at,
                                       &MessageTransport::Send,
                                       cluster->GetTransport(),
                                       sending.message);
    }
    Simulator::Run();
    const auto faults = cluster->GetFaults();
    if (!faults.empty() || std::count(recorder.ticks.begin(), recorder.ticks.end(), 0.0) > 0)
    {
        throw std::runtime_error(place + ", " + traffic + ": unfinished" +
                                 (faults.empty() ? "" : ", " + faults.front()));
    }
    Simulator::Destroy();
    for (std::size_t i = 0; i < sendings.size(); ++i)
    {
        recorder.ticks[i] -= static_cast<double>(sendings[i].at.GetTimeStep());
    }
    return recorder.ticks;
}

std::vector<std::string>
Compare(const Options& options, const std::string& place, const std::string& traffic)
{
    const std::vector<double> packet = RunOne(options, place, false, traffic);
    const std::vector<double> fluid = RunOne(options, place, true, traffic);
    double sum = 0;
    double worst = 0;
    for (std::size_t i = 0; i < packet.size(); ++i)
    {
        const double error = (fluid[i] - packet[i]) / packet[i];
        sum += std::abs(error);
        worst = std::abs(error) > std::abs(worst) ? error : worst;
    }
    const double lastPacket = *std::max_element(packet.begin(), packet.end());
    const double lastFluid = *std::max_element(fluid.begin(), fluid.end());
    return {place + ", " + traffic,
            FormatNumber(lastPacket / 1e6, 3),
            FormatNumber(lastFluid / 1e6, 3),
            FormatNumber(100 * (lastFluid - lastPacket) / lastPacket, 2),
            FormatNumber(100 * sum / static_cast<double>(packet.size()), 2),
            FormatNumber(100 * worst, 2)};
}

int
Run(const Options& options)
{
    const std::vector<std::string> header{"traffic",
                                          "packet_us",
                                          "fluid_us",
                                          "last_error_percent",
                                          "mean_error_percent",
                                          "worst_error_percent"};
    TextTable table(header);
    std::istringstream places(options.places);
    for (std::string place; std::getline(places, place, ',');)
    {
        for (const std::string& traffic : TRAFFICS)
        {
            const std::vector<std::string> cells = Compare(options, place, traffic);
            table.AddRow(cells);
            for (std::size_t i = 0; i < cells.size() && options.summary; ++i)
            {
                std::cout << (i > 0 ? " " : "") << header[i] << '=' << cells[i];
            }
            std::cout << (options.summary ? "\n" : "");
        }
    }
    if (!options.summary)
    {
        table.Print(std::cout, 0);
    }
    return 0;
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
        ProgramOptions program("fluid-error", "The same messages as packets and as fluid.");
        program.Add("accelerators", "how many", options.accelerators, 3);
        program.Add("bytes", "what the busiest accelerator sends or gets", options.bytes);
        program.Add("places", "with commas: domain, or names of fabrics", options.places);
        program.Add("summary", "print a line of name=value for each row", options.summary);
        program.Parse(argc, argv);
        return Run(options);
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
    catch (const std::runtime_error& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 1;
    }
}
