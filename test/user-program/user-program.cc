// SPDX-License-Identifier: GPL-2.0-only
// A program outside this tree that uses the installed module: header, library and errors.

#include "ns3/input-error.h"
#include "ns3/simulator.h"

#include <iostream>

int
main()
{
    ns3::Simulator::Stop(ns3::NanoSeconds(5));
    ns3::Simulator::Run();
    std::cout << "simulated " << ns3::Simulator::Now().GetNanoSeconds() << " ns\n";
    ns3::Simulator::Destroy();
    try
    {
        ns3::llm::RefuseInput("no");
    }
    catch (const ns3::llm::InputError& error)
    {
        std::cout << "refused: " << error.what() << "\n";
    }
    return 0;
}
