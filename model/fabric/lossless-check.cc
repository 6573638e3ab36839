// SPDX-License-Identifier: GPL-2.0-only

#include "lossless-check.h"

#include "ns3/input-error.h"

#include <cmath>
#include <iostream>
#include <sstream>

namespace ns3::llm
{

uint64_t
LosslessCheck::GetNeededHeadroom(const FrameTransmitter& transmitter, uint32_t maxFrameBytes)
{
    const FrameTransmitter& peer = *transmitter.GetPeer();
    const auto rate = static_cast<double>(peer.GetRate().GetBitRate());
    const auto ownRate = static_cast<double>(transmitter.GetRate().GetBitRate());
    const double delays = 1e-12 * static_cast<double>(transmitter.GetDelayTicks()) +
                          1e-12 * static_cast<double>(peer.GetDelayTicks());
    const double own = std::ceil((maxFrameBytes + PAUSE_WIRE_BYTES) * (rate / ownRate));
    // less a hair, so that what is whole is not rounded up for want of digits
    return static_cast<uint64_t>(std::ceil(delays * rate / 8 - 1e-6)) + maxFrameBytes +
           static_cast<uint64_t>(own);
}

void
LosslessCheck::CheckHeadroom(uint64_t headroomBytes,
                             const FrameTransmitter& transmitter,
                             uint32_t maxFrameBytes,
                             const std::string& where)
{
    const uint64_t needed = GetNeededHeadroom(transmitter, maxFrameBytes);
    if (headroomBytes >= needed)
    {
        return;
    }
    std::ostringstream text;
    text << "Headroom " << headroomBytes << " B: port " << transmitter.GetIndex() << " of " << where
         << " needs " << needed << " B to lose nothing at "
         << static_cast<double>(transmitter.GetPeer()->GetRate().GetBitRate()) / 1e9
         << " Gb/s, a delay of " << static_cast<double>(transmitter.GetDelayTicks()) / 1e3
         << " ns and frames of " << maxFrameBytes
         << " B (MaxFrameSize); leave ns3::llm::FabricSwitch::Headroom at 0 for what each port "
            "needs, "
            "or set LosslessDrop to Warning to study losses";
    RefuseInput(text.str());
}

void
LosslessCheck::SetRule(DropRule rule, FabricFaults* faults)
{
    m_rule = rule;
    m_faults = faults;
}

void
LosslessCheck::Dropped(const FrameTransmitter& transmitter,
                       const TransitFrame& transit,
                       const SharedBuffer& buffer,
                       const std::string& where)
{
    ++m_drops;
    if (m_drops != 1)
    {
        return; // the first says it all
    }
    const uint16_t port = transmitter.GetIndex();
    std::ostringstream text;
    text << "drop in a lossless class at " << static_cast<double>(transmitter.GetNowTicks()) / 1e6
         << " us: port " << port << " of " << where << ", class " << +transit.trafficClass
         << ", a frame of " << transit.wireBytes << " B, headroom in use "
         << buffer.GetHeadroomUsed(port, transit.trafficClass) << " of "
         << buffer.GetHeadroomSize(port)
         << " B. Leave ns3::llm::FabricSwitch::Headroom at 0, set MaxFrameSize to the largest "
            "frame in "
            "use, let no FrameLoss hit PFC frames; or set LosslessDrop to Warning";
    if (m_rule == WARN)
    {
        std::cerr << "warning: " << text.str() << std::endl;
    }
    else if (m_faults)
    {
        m_faults->StopRun(text.str());
    }
}

} // namespace ns3::llm
