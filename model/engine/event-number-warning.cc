// SPDX-License-Identifier: GPL-2.0-only

#include "event-number-warning.h"

#include "frame-simulator-impl.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <iostream>

namespace ns3::llm
{

void
WarnOfEventNumbers()
{
    static bool isDone = false;
    if (isDone)
    {
        return;
    }
    isDone = true;
    std::cerr
        << "warning: at " << Simulator::Now().As(Time::S)
        << " the engine is about to run out of event numbers, which wrap after 4294967296 "
           "events: from then on, simultaneous events may run in the wrong order, and "
           "Simulator::Cancel(), Remove() and IsExpired() may err. Choose an engine with 64-bit "
           "numbers, --SimulatorImplementationType="
        << FrameSimulatorImpl::GetTypeId().GetName()
        << ", or simulate less in one run or, under MPI, on each rank" << std::endl;
}

} // namespace ns3::llm
