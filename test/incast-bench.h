// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_INCAST_BENCH_H
#define LLM_FABRIC_INCAST_BENCH_H

#include "small-network.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Senders behind one switch that share the port to one receiver, and what becomes of its queue.
 */

namespace ns3::llm
{

/** Senders that never run out of data, one switch, one receiver; no PFC and a boundless buffer. */
class IncastBench
{
  public:
    /** The link and the frames. */
    struct Scene
    {
        double rate = 100;         //!< of each link, Gb/s
        Time delay{"1us"};         //!< of each link
        uint32_t mtu = 1000;       //!< payload of a full frame
        std::vector<double> ecn{}; //!< Kmin and Kmax in kB, Pmax; none: no marks
    };

    /**
     * @param control its TypeId; its attributes are set before
     * @param flows so many
     * @param scene the link and the frames
     */
    IncastBench(const std::string& control, uint32_t flows, const Scene& scene)
        : m_control(control),
          m_flows(flows),
          m_rate(scene.rate)
    {
        Config::SetDefault("ns3::llm::RdmaTransport::CongestionControl", StringValue(control));
        Config::SetDefault("ns3::llm::RdmaTransport::Mtu", UintegerValue(scene.mtu));
        Config::SetDefault("ns3::llm::RdmaTransport::FirstOverhead", UintegerValue(0));
        Config::SetDefault("ns3::llm::RdmaTransport::AckSize", UintegerValue(1));
        Config::SetDefault("ns3::llm::FabricSwitch::Pfc", BooleanValue(false));
        Config::SetDefault("ns3::llm::FabricSwitch::Alpha", DoubleValue(1000));
        Config::SetDefault("ns3::llm::FabricSwitch::BufferSize", UintegerValue(1000000000));
        Config::SetDefault("ns3::llm::FabricSwitch::Ecn", BooleanValue(!scene.ecn.empty()));
        if (!scene.ecn.empty())
        {
            const std::string prefix = "ns3::llm::FabricSwitch::Ecn";
            const auto bytes = [&scene](uint32_t i)
            {
                return UintegerValue(static_cast<uint64_t>(scene.ecn[i] * 1e3));
            };
            Config::SetDefault(prefix + "ReferenceRate", DataRateValue(DataRate(0)));
            Config::SetDefault(prefix + "MinThreshold", bytes(0));
            Config::SetDefault(prefix + "MaxThreshold", bytes(1));
            Config::SetDefault(prefix + "MaxProbability", DoubleValue(scene.ecn[2]));
        }
        net.isCutShort = true; // senders never run out of data
        net.MakeStar(flows + 1, std::to_string(scene.rate) + "Gbps", scene.delay);
    }

    /**
     * All send from the start, or each so much later than the one before; measure and print.
     * @param from begin of the measurement
     * @param to its end
     * @param stagger between starts
     */
    void Run(Time from, Time to, Time stagger = Time(0))
    {
        const auto each = static_cast<uint64_t>(m_rate * 1e9 / 8 * to.GetSeconds());
        for (uint32_t i = 1; i <= m_flows; ++i)
        {
            net.SendAt(stagger * (i - 1), i, 0, each);
        }
        Simulator::Schedule(from, &IncastBench::Begin, this);
        Simulator::Stop(to);
        Simulator::Run();
        const FrameTransmitter& port = net.ToHost(0);
        const double bits = 8 * static_cast<double>(port.GetCounters().wireBytes - m_bytesBefore);
        utilization = bits / (m_rate * 1e9 * (to - from).GetSeconds());
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            shares.push_back(Acknowledged(i) - m_ackedBefore[i]);
        }
        jain = SmallNetwork::Jain(shares);
        meanQueue /= m_samples;
        meanWindow /= m_samples;
        longestQueue = port.GetCounters().maxQueueBytes / 1e3;
        marks = port.GetCounters().marks;
        Print();
    }

    /** @param flow 0 to flows - 1 @return its payload acknowledged, bytes */
    double Acknowledged(uint32_t flow) const
    {
        return static_cast<double>(net.transport->GetNic(flow + 1).GetCounters().payloadBytes);
    }

    /** @param flow 0 to flows - 1 @return its queue pair */
    const SendQueuePair& QueuePair(uint32_t flow) const
    {
        return net.transport->GetNic(flow + 1).GetQueuePair(0);
    }

    SmallNetwork net;           //!< host 0 receives
    double utilization = 0;     //!< wire bytes of the port over its rate
    double jain = 0;            //!< of the payload acknowledged
    double meanQueue = 0;       //!< kB waiting, without the frame being sent
    double peakQueue = 0;       //!< longest while measured, kB
    double longestQueue = 0;    //!< longest of all, kB, with the frame that made it so
    double meanWindow = 0;      //!< kB, over flows and time
    uint64_t marks = 0;         //!< frames marked
    std::vector<double> shares; //!< payload acknowledged, bytes, by flow

  private:
    /** The measurement begins. */
    void Begin()
    {
        m_bytesBefore = net.ToHost(0).GetCounters().wireBytes;
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            m_ackedBefore.push_back(Acknowledged(i));
        }
        Sample();
    }

    /** Look at the queue, and again soon; the period is no multiple of a frame's time. */
    void Sample()
    {
        const auto now = static_cast<uint64_t>(Simulator::Now().GetPicoSeconds());
        const double queue = static_cast<double>(net.ToHost(0).GetQueueBytes(now)) / 1e3;
        meanQueue += queue;
        peakQueue = std::max(peakQueue, queue);
        ++m_samples;
        double windows = 0;
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            windows += static_cast<double>(QueuePair(i).decision.windowBytes) / 1e3;
        }
        meanWindow += windows / m_flows;
        Simulator::Schedule(NanoSeconds(317), &IncastBench::Sample, this);
    }

    /** Print what was measured. */
    void Print() const
    {
        std::cout << "    " << m_control.substr(m_control.rfind(':') + 1) << ", " << m_flows
                  << " flows, " << m_rate << "G: use " << utilization << ", Jain " << jain
                  << ", queue mean " << meanQueue << " kB, peak " << peakQueue << " kB, longest "
                  << longestQueue << " kB; " << marks << " marks, "
                  << net.transport->GetCounters().cnpsReceived << " CNPs" << std::endl;
    }

    std::string m_control;             //!< its TypeId
    uint32_t m_flows;                  //!< senders
    double m_rate;                     //!< of each link, Gb/s
    uint64_t m_bytesBefore = 0;        //!< wire bytes of the port before the measurement
    std::vector<double> m_ackedBefore; //!< payload acknowledged before it, by flow
    uint64_t m_samples = 0;            //!< looks at the queue
};

} // namespace ns3::llm

#endif // LLM_FABRIC_INCAST_BENCH_H
