// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-faults.h"

#include "ns3/simulator.h"

namespace ns3::llm
{

void
FabricFaults::StopRun(const std::string& text)
{
    m_texts.push_back(text);
    Simulator::Stop();
}

} // namespace ns3::llm
