// SPDX-License-Identifier: GPL-2.0-only

// What an ordinary ns-3 event costs on this machine, by engine and scheduler: CPU time per event.
//
//   ./llm-fabric run bench-events
//
// Events that do nothing schedule their successors after exponential delays of 1 us, so that 1, 1000
// or 100 000 are pending. The choices are measured in turn, round after round; a choice's ratio is the
// median over the rounds of its time divided by that of ns-3's default in the same round, as absolute
// figures vary with the load of the machine.

#include "ns3/global-value.h"
#include "ns3/input-error.h"
#include "ns3/nstime.h"
#include "ns3/program-options.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/time-resolution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

struct Choice
{
    const char* name;
    const char* engine;
    const char* scheduler;
};

const std::vector<Choice> CHOICES = {
    {"default engine, map", "ns3::DefaultSimulatorImpl", "ns3::MapScheduler"},
    {"default engine, radix", "ns3::DefaultSimulatorImpl", "ns3::llm::RadixScheduler"},
    {"frame engine", "ns3::llm::FrameSimulatorImpl", "ns3::MapScheduler"}};

// Delays of the events; the number of the next one also counts the events.
std::vector<Time> g_delays;
uint64_t g_next = 0;
uint64_t g_end = 0;

void
Event()
{
    if (g_next == g_end)
    {
        Simulator::Stop();
    }
    Simulator::Schedule(g_delays[g_next++ % g_delays.size()], &Event);
}

// Nanoseconds of CPU time per event.
double
Measure(const Choice& choice, uint32_t pending, uint32_t events)
{
    Simulator::Destroy();
    GlobalValue::Bind("SimulatorImplementationType", StringValue(choice.engine));
    GlobalValue::Bind("SchedulerType", StringValue(choice.scheduler));
    g_next = 0;
    g_end = UINT64_MAX;
    for (uint32_t i = 0; i < pending; ++i)
    {
        Event();
    }
    g_end = g_next + events;
    const std::clock_t begin = std::clock();
    Simulator::Run();
    const auto ticks = static_cast<double>(std::clock() - begin);
    Simulator::Destroy();
    return ticks / CLOCKS_PER_SEC * 1e9 / events;
}

double
GetMedian(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void
Print(uint32_t pending, const std::vector<std::vector<double>>& times)
{
    for (std::size_t i = 0; i < CHOICES.size(); ++i)
    {
        std::vector<double> ratios;
        for (std::size_t round = 0; round < times[i].size(); ++round)
        {
            ratios.push_back(times[i][round] / times[0][round]);
        }
        const double least = *std::min_element(times[i].begin(), times[i].end());
        std::cout << std::left << std::setw(24) << CHOICES[i].name << std::right << std::setw(9)
                  << pending << std::fixed << std::setprecision(0) << std::setw(12) << least
                  << std::setprecision(2) << std::setw(10) << GetMedian(ratios) << std::endl;
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    UsePicoseconds();
    try
    {
        uint32_t events = 1000000;
        uint32_t rounds = 7;
        ProgramOptions options("bench-events", "What an ordinary ns-3 event costs.");
        options.Add("events", "events of a measurement", events, 1, 1000000000);
        options.Add("rounds", "measurements of each choice", rounds, 1, 1000);
        options.Parse(argc, argv);
        std::mt19937_64 random(1);
        for (uint32_t i = 0; i < 65536; ++i)
        {
            const double uniform = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
            g_delays.push_back(TimeStep(static_cast<uint64_t>(-1e6 * std::log(uniform))));
        }
        std::cout << "choice                    pending  ns, least     ratio\n";
        for (const uint32_t pending : {1, 1000, 100000})
        {
            std::vector<std::vector<double>> times(CHOICES.size());
            for (uint32_t round = 0; round < rounds; ++round)
            {
                for (std::size_t i = 0; i < CHOICES.size(); ++i)
                {
                    times[i].push_back(Measure(CHOICES[i], pending, events));
                }
            }
            Print(pending, times);
        }
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
    return 0;
}
