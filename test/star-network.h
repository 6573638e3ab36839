// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_STAR_NETWORK_H
#define LLM_FABRIC_TEST_STAR_NETWORK_H

#include "ns3/collective-bound.h"
#include "ns3/collective-operation.h"
#include "ns3/ideal-time.h"
#include "ns3/locality.h"
#include "ns3/point-to-point-algorithm.h"
#include "ns3/ring-algorithm.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <numeric>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Accelerators around one switch, as ideal times see them.
 */

namespace ns3::llm
{

/** What a star of accelerators around one switch is like. */
struct StarSetting
{
    uint32_t size = 2;          //!< accelerators
    uint64_t bitRate = 0;       //!< of each link, bits per second
    uint64_t delayPs = 0;       //!< of each link
    uint32_t mtu = 4096;        //!< payload of a full frame
    uint32_t dataOverhead = 82; //!< wire bytes of a data frame beyond payload
    uint32_t ackSize = 86;      //!< wire bytes of an acknowledgment
    uint32_t framesPerAck = 1;  //!< data frames per acknowledgment
    uint64_t stepLatencyPs = 0; //!< software latency of a send
    bool isFluid = false;       //!< over rates instead of frames
    double wireOverhead = 1;    //!< fluid: bytes carried per payload byte
    uint64_t fluidDelayPs = 0;  //!< fluid: once per message
    uint64_t trunkBitRate = 0;  //!< of a link between two switches, each with half the star; 0 none
    bool isRelayed = false;     //!< odd to even goes through accelerator 0
    uint32_t firstOverhead = 16; //!< more of dataOverhead in the first frame of a message
};

/** Accelerators around one switch. */
class StarLocality : public Locality
{
  public:
    /** @param setting what it is like */
    explicit StarLocality(const StarSetting& setting)
        : m_setting(setting)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return m_setting.size;
    }

    uint32_t GetDomain(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetRail(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return accelerator;
    }

    Path GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t) const override
    {
        Path path;
        if (m_setting.isRelayed && source != 0 && destination != 0)
        {
            path.legs = {MakeLeg(source, 0), MakeLeg(0, destination)};
            path.relays = {0};
        }
        else
        {
            path.legs = {MakeLeg(source, destination)};
        }
        return path;
    }

  private:
    /**
     * @param source an accelerator
     * @param destination another
     * @return the way through the switch
     */
    PathLeg MakeLeg(uint32_t source, uint32_t destination) const
    {
        PathLeg leg;
        leg.isFluid = m_setting.isFluid;
        leg.wireOverhead = m_setting.wireOverhead;
        leg.fluidDelay = PicoSeconds(m_setting.fluidDelayPs);
        leg.mtu = m_setting.mtu;
        leg.dataOverhead = m_setting.dataOverhead;
        leg.firstOverhead = m_setting.firstOverhead;
        leg.ackSize = m_setting.ackSize;
        leg.framesPerAck = m_setting.framesPerAck;
        const DataRate rate(m_setting.bitRate);
        const Time delay = PicoSeconds(m_setting.delayPs);
        leg.links = {{2ULL * source, rate, delay}, {2ULL * destination + 1, rate, delay}};
        if (m_setting.trunkBitRate > 0)
        {
            const PathLink trunk{1000 + source, DataRate(m_setting.trunkBitRate), delay};
            leg.links.insert(leg.links.begin() + 1, trunk);
        }
        leg.ackLinks = {{2ULL * destination, rate, delay}, {2ULL * source + 1, rate, delay}};
        return leg;
    }

    StarSetting m_setting; //!< what it is like
};

/**
 * @param operation what
 * @param bytes S
 * @param size N
 * @param channels number of rings
 * @return its steps
 */
inline std::shared_ptr<const StepProgram>
MakeProgram(CollectiveOperation operation, uint64_t bytes, uint32_t size, uint32_t channels = 1)
{
    std::vector<uint32_t> accelerators(size);
    if (operation == CollectiveOperation::POINT_TO_POINT)
    {
        return CreateObject<PointToPointAlgorithm>()->MakeProgram({operation, bytes, 0},
                                                                  accelerators,
                                                                  nullptr);
    }
    Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>();
    ring->SetAttribute("Channels", UintegerValue(channels));
    return ring->MakeProgram({operation, bytes, 0}, accelerators, nullptr);
}

/**
 * @param program the steps
 * @param setting what the star is like
 * @return the ideal time, in ps
 */
inline double
GetIdeal(const StepProgram& program, const StarSetting& setting)
{
    std::vector<uint32_t> accelerators(program.GetSize());
    std::iota(accelerators.begin(), accelerators.end(), 0);
    StarSetting sized = setting;
    sized.size = program.GetSize();
    StepCosts costs;
    costs.latency = PicoSeconds(setting.stepLatencyPs);
    return static_cast<double>(
        EvaluateIdealTime(program, accelerators, CreateObject<StarLocality>(sized), costs)
            .GetPicoSeconds());
}

/**
 * @param program the steps
 * @param setting what the star is like
 * @return the bound, in ps
 */
inline double
GetBound(const StepProgram& program, const StarSetting& setting)
{
    std::vector<uint32_t> accelerators(program.GetSize());
    std::iota(accelerators.begin(), accelerators.end(), 0);
    return static_cast<double>(
        GetBandwidthBound(program, accelerators, CreateObject<StarLocality>(setting))
            .GetPicoSeconds());
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_STAR_NETWORK_H
