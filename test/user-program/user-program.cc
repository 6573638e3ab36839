// SPDX-License-Identifier: GPL-2.0-only
// A program outside this tree that uses the installed module: all headers, library and data.

#include "ns3/llm-fabric-module.h"
#include "ns3/simulator.h"

#include <iostream>

int
main()
{
    ns3::Simulator::Stop(ns3::NanoSeconds(5));
    ns3::Simulator::Run();
    std::cout << "simulated " << ns3::Simulator::Now().GetNanoSeconds() << " ns\n";
    ns3::Simulator::Destroy();
    std::cout << ns3::llm::FindDataFile("accelerators.csv") << "\n";
    return 0;
}
