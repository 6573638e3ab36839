// SPDX-License-Identifier: GPL-2.0-only

#include "cost-profile.h"

#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace ns3::llm
{

namespace
{

/** A profile of the file. */
class ProfileReader
{
  public:
    /**
     * @param json the profile
     * @param path the file, for messages
     */
    ProfileReader(const nlohmann::json& json, const std::string& path)
        : m_json(json),
          m_place(path + ": ")
    {
        m_place += GetText("accelerator") + ": ";
    }

    /**
     * @param key a key
     * @return its text
     */
    std::string GetText(const char* key) const
    {
        const auto found = m_json.find(key);
        if (found == m_json.end() || !found->is_string())
        {
            RefuseInput(m_place + key + " must be a text");
        }
        return found->get<std::string>();
    }

    /**
     * @param key a key
     * @param most the largest number allowed
     * @return its number
     */
    double GetNumber(const char* key, double most) const
    {
        const auto found = m_json.find(key);
        const bool isNumber = found != m_json.end() && found->is_number();
        const double number = isNumber ? found->get<double>() : 0;
        if (!isNumber || number <= 0 || number > most)
        {
            const std::string value = found == m_json.end() ? "absent" : found->dump();
            RefuseInput(m_place + key + " = " + value + ", but must be a number above 0, at most " +
                        std::to_string(most));
        }
        return number;
    }

    /**
     * @param key a rate of the memory, GB/s
     * @param peak the memory's, byte/s
     * @return the share
     */
    double GetMemoryShare(const char* key, double peak) const
    {
        constexpr double GIGA = 1e9;
        return GIGA * GetNumber(key, peak / GIGA) / peak;
    }

  private:
    const nlohmann::json& m_json; //!< the profile
    std::string m_place;          //!< file and accelerator
};

/**
 * @param json a profile of the file
 * @param path the file, for messages
 * @return the profile
 */
CostProfile
ReadProfile(const nlohmann::json& json, const std::string& path)
{
    const ProfileReader reader(json, path);
    const Accelerator accelerator = Accelerator::FromName(reader.GetText("accelerator"));
    const double memory = accelerator.memoryBytesPerSecond;
    constexpr double PICOSECONDS = 1e6;
    constexpr double UNLIMITED = 1e18;
    CostProfile profile;
    profile.accelerator = accelerator.name;
    profile.matrixEfficiency = reader.GetNumber("matrix_efficiency", 1);
    profile.matrixEfficiency8 = profile.matrixEfficiency;
    profile.epilogueShare = reader.GetNumber("epilogue_share", 1);
    profile.memoryEfficiency = reader.GetMemoryShare("memory_gb_per_s", memory);
    profile.normForward = reader.GetMemoryShare("norm_forward_gb_per_s", memory);
    profile.normBackward = reader.GetMemoryShare("norm_backward_gb_per_s", memory);
    profile.earlyNormForward = reader.GetMemoryShare("early_norm_forward_gb_per_s", memory);
    profile.earlyNormBackward = reader.GetMemoryShare("early_norm_backward_gb_per_s", memory);
    profile.randomNumbersPerFlop =
        reader.GetNumber("random_numbers_per_s", UNLIMITED) / accelerator.vectorFlopsPerSecond;
    profile.launchOverhead = PicoSeconds(
        static_cast<uint64_t>(PICOSECONDS * reader.GetNumber("launch_us", PICOSECONDS)));
    profile.source = reader.GetText("source");
    return profile;
}

/**
 * Put an accelerator's own measured rates in place of another's.
 * @param profile of another accelerator
 * @param accelerator the accelerator
 */
void
Adapt(CostProfile& profile, const Accelerator& accelerator)
{
    profile.source = "shares of " + profile.accelerator + " (data/accelerator-profiles.json)";
    profile.accelerator = accelerator.name;
    if (accelerator.bestMatrixFlopsPerSecond > 0)
    {
        profile.matrixEfficiency =
            accelerator.bestMatrixFlopsPerSecond / accelerator.matrixFlopsPerSecond;
        profile.source += ", matrix products: mamf_* of data/accelerators.csv";
    }
    profile.matrixEfficiency8 = profile.matrixEfficiency;
    if (accelerator.bestMatrixFlopsPerSecond8 > 0)
    {
        profile.matrixEfficiency8 =
            accelerator.bestMatrixFlopsPerSecond8 / accelerator.matrixFlopsPerSecond8;
    }
    if (accelerator.triadBytesPerSecond > 0)
    {
        const double share = accelerator.triadBytesPerSecond / accelerator.memoryBytesPerSecond;
        const double change = share / profile.memoryEfficiency;
        profile.memoryEfficiency = share;
        // norms keep their distance to streaming kernels
        profile.normForward *= change;
        profile.normBackward *= change;
        profile.earlyNormForward *= change;
        profile.earlyNormBackward *= change;
        profile.source += ", memory: hbm_measured_triad_gb_per_s of data/accelerators.csv";
    }
}

} // namespace

std::vector<CostProfile>
CostProfile::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    const auto found = json.is_object() ? json.find("profiles") : json.end();
    if (found == json.end() || !found->is_array() || found->empty())
    {
        RefuseInput(path + ": no list 'profiles', or no JSON");
    }
    std::vector<CostProfile> result;
    for (const auto& profile : *found)
    {
        result.push_back(ReadProfile(profile, path));
    }
    return result;
}

CostProfile
CostProfile::Find(const Accelerator& accelerator)
{
    const auto profiles = ReadFile(FindDataFile("accelerator-profiles.json"));
    for (const auto& profile : profiles)
    {
        if (profile.accelerator == accelerator.name)
        {
            return profile;
        }
    }
    // the figures of the file rather than those given, whose peaks a study may have scaled
    const auto known = Accelerator::ReadFile(FindDataFile("accelerators.csv"));
    const auto same =
        std::find_if(known.begin(),
                     known.end(),
                     [&](const Accelerator& other) { return other.name == accelerator.name; });
    CostProfile profile = profiles.front();
    Adapt(profile, same == known.end() ? accelerator : *same);
    return profile;
}

} // namespace ns3::llm
