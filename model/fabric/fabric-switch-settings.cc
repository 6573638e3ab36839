// SPDX-License-Identifier: GPL-2.0-only

// What a switch is told before the run: how its ports mark, what its headroom is, who hears of faults.

#include "fabric-switch.h"

#include "ns3/input-error.h"

#include <sstream>

namespace ns3::llm
{

uint64_t
FabricSwitch::HeadroomOf(const FabricPort& port) const
{
    if (m_headroomBytes != 0)
    {
        return m_headroomBytes;
    }
    // one more than is needed, as it always was
    return LosslessCheck::GetNeededHeadroom(port.GetTransmitter(), m_maxFrameBytes) + 1;
}

void
FabricSwitch::ConfigureEcn(uint64_t seed)
{
    if (m_ecnMin > m_ecnMax)
    {
        std::ostringstream text;
        text << "EcnMinThreshold " << m_ecnMin << " B lies above EcnMaxThreshold " << m_ecnMax
             << " B; marking grows from the former to the latter";
        RefuseInput(text.str());
    }
    if (!m_ecn)
    {
        return;
    }
    const auto reference = static_cast<double>(m_ecnReferenceRate.GetBitRate());
    std::map<uint64_t, std::shared_ptr<const EcnTable>> tables; // by rate: most ports share one
    for (uint16_t p = 0; p < m_ports.size(); ++p)
    {
        FrameTransmitter& transmitter = m_ports[p]->GetTransmitter();
        const uint64_t rate = transmitter.GetRate().GetBitRate();
        std::shared_ptr<const EcnTable>& shared = tables[rate];
        const double scale = reference > 0 ? static_cast<double>(rate) / reference : 1;
        if (!shared)
        {
            EcnTable table(MakeEcnProfile(m_ecnMin, m_ecnMax, m_ecnMaxProbability, scale));
            table.Set("EcnClasses", m_ecnClasses, scale);
            shared = std::make_shared<EcnTable>(table);
        }
        EcnTable own = *shared;
        const auto first = m_ecnProfiles.lower_bound({p, 0});
        const auto last = m_ecnProfiles.lower_bound({p + 1, 0});
        for (auto it = first; it != last; ++it)
        {
            own.profiles.at(it->first.second) = it->second;
        }
        transmitter.SetEcn(first == last ? shared : std::make_shared<EcnTable>(own), seed);
    }
}

void
FabricSwitch::AllowReduction()
{
    SwitchReducer::Surroundings around;
    around.pool = m_pool;
    around.buffer = &m_buffer;
    around.transmitters = m_transmitters;
    around.place = static_cast<uint16_t>(m_portCount);
    around.faults = m_faults;
    m_reducer = std::make_unique<SwitchReducer>(around);
}

uint64_t
FabricSwitch::GetPauseLimit() const
{
    return m_detector ? m_detector->GetLimit() : UINT64_MAX;
}

void
FabricSwitch::PauseLasts(uint16_t port)
{
    m_detector->Look(*this, port);
}

void
FabricSwitch::SetEcn(uint16_t port, uint8_t trafficClass, const EcnProfile& profile)
{
    if (port >= m_ports.size() || trafficClass >= TRAFFIC_CLASSES)
    {
        RefuseInput("SetEcn(" + std::to_string(port) + ", " + std::to_string(trafficClass) +
                    "): " + Describe() + " has ports 0 to " + std::to_string(m_ports.size() - 1) +
                    " and classes 0 to 7; connect it first");
    }
    m_ecnProfiles[{port, trafficClass}] = profile;
}

void
FabricSwitch::SetReports(const std::string& name, FabricFaults* faults, DeadlockDetector* detector)
{
    m_name = name;
    m_faults = faults;
    m_detector = detector;
}

std::string
FabricSwitch::Describe() const
{
    return "switch " + std::to_string(m_place) + " of tier " + std::to_string(m_tier) +
           (m_name.empty() ? "" : " '" + m_name + "'");
}

} // namespace ns3::llm
