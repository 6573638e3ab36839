// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_SCENARIO_H
#define LLM_FABRIC_BENCH_SCENARIO_H

#include <cstdint>
#include <string>

/**
 * @file
 * What is measured, and what a measurement yields.
 */

namespace ns3::llm::bench
{

/** The control that all workloads use unless a row is about another one. */
constexpr const char* USUAL_CONTROL = "ns3::llm::Dcqcn";
/** The module's engine. */
constexpr const char* FRAME_ENGINE = "ns3::llm::FrameSimulatorImpl";
/** ns-3's default engine and its default scheduler. */
constexpr const char* DEFAULT_ENGINE = "ns3::DefaultSimulatorImpl";
/** @copydoc DEFAULT_ENGINE */
constexpr const char* DEFAULT_SCHEDULER = "ns3::MapScheduler";

/** A workload on a fat-tree, and the settings in which a row differs from the others. */
struct Scenario
{
    std::string workload;                      //!< "shift"; see StartTraffic()
    uint32_t hosts = 16;                       //!< of the fat-tree
    bool isReferenceMode = false;              //!< ports decide every departure when it is due
    uint32_t gigabits = 100;                   //!< rate of every link, Gb/s
    uint32_t queuePairs = 1;                   //!< of each NIC, in the workload "flows"
    bool isObserved = false;                   //!< a sink sees every arrival on every link
    std::string control = USUAL_CONTROL;       //!< congestion control
    std::string engine = FRAME_ENGINE;         //!< simulator engine
    std::string scheduler = DEFAULT_SCHEDULER; //!< under ns-3's engine
};

/** What a child process has measured: sums over the runs that it did one after the other. */
struct Measurement
{
    uint64_t runs = 0;            //!< equal runs
    uint64_t hops = 0;            //!< frames (packets) x links
    uint64_t events = 0;          //!< of the simulator; with a fabric, its frame events
    double cpuSeconds = 0;        //!< CPU time of Simulator::Run()
    double simulatedUs = 0;       //!< until nothing was left to do
    uint64_t dataFrames = 0;      //!< sent by NICs, retransmissions included
    uint64_t retransmissions = 0; //!< of them, sent again
    uint64_t payloadBytes = 0;    //!< acknowledged
    uint64_t notifications = 0;   //!< congestion notifications received
    uint64_t pauses = 0;          //!< PFC frames that stopped a port
    uint64_t peakBytes = 0;       //!< most memory that the process had resident

    /** @return CPU time of a hop, ns */
    double GetNsPerHop() const
    {
        return 1e9 * cpuSeconds / static_cast<double>(hops);
    }

    /** @return events of a hop */
    double GetEventsPerHop() const
    {
        return static_cast<double>(events) / static_cast<double>(hops);
    }
};

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_SCENARIO_H
