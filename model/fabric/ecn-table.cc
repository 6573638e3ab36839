// SPDX-License-Identifier: GPL-2.0-only

#include "ecn-table.h"

#include "class-fields.h"
#include "identity-hash.h"

namespace ns3::llm
{

EcnProfile
MakeEcnProfile(uint64_t minBytes, uint64_t maxBytes, double maxProbability, double scale)
{
    const auto scaled = [scale](uint64_t bytes)
    {
        const double value = static_cast<double>(bytes) * scale;
        return value < UINT32_MAX ? static_cast<uint32_t>(value) : UINT32_MAX;
    };
    EcnProfile profile;
    profile.minBytes = scaled(minBytes);
    profile.maxBytes = scaled(maxBytes);
    profile.maxProbability = maxProbability;
    return profile;
}

bool
EcnTable::IsToMark(const TransitFrame& departure, uint32_t queue, uint64_t seed) const
{
    if (departure.kind != FrameKind::DATA && !(departure.flags & Frame::ECN_CAPABLE))
    {
        return false;
    }
    const EcnProfile& profile = profiles[departure.trafficClass];
    if (queue <= profile.minBytes || queue > profile.maxBytes)
    {
        return queue > profile.maxBytes;
    }
    const double probability =
        profile.maxProbability * (queue - profile.minBytes) / (profile.maxBytes - profile.minBytes);
    const Frame& frame = *departure.frame;
    const uint64_t what = uint64_t{frame.identity} << 32 | frame.attempt;
    return HashToUnit(MixHash(seed, what)) < probability;
}

void
EcnTable::Set(const std::string& attribute, const std::string& text, double scale)
{
    const ClassFields list(attribute, text, "3:100000:400000:0.2,4:off");
    for (const auto& [trafficClass, fields] : list.Get())
    {
        if (fields.size() == 1 && fields[0] == "off")
        {
            profiles[trafficClass] = EcnProfile();
            continue;
        }
        const std::string name = "class " + std::to_string(trafficClass);
        if (fields.size() != 3)
        {
            list.Refuse(name + " needs Kmin, Kmax and Pmax, or \"off\"");
        }
        const uint64_t minBytes = list.ReadNumber(fields[0], name + ": Kmin", UINT32_MAX);
        const uint64_t maxBytes = list.ReadNumber(fields[1], name + ": Kmax", UINT32_MAX);
        if (minBytes > maxBytes)
        {
            list.Refuse(name +
                        ": Kmin lies above Kmax; marking grows from the former to the latter");
        }
        profiles[trafficClass] =
            MakeEcnProfile(minBytes, maxBytes, list.ReadShare(fields[2], name + ": Pmax"), scale);
    }
}

} // namespace ns3::llm
