// SPDX-License-Identifier: GPL-2.0-only

#include "accelerator.h"

#include "csv-row.h"
#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <boost/algorithm/string/predicate.hpp>

#include <cmath>

namespace ns3::llm
{

namespace
{

/**
 * @param row a line of the file
 * @return the accelerator
 */
Accelerator
MakeAccelerator(const CsvRow& row)
{
    constexpr double TERA = 1e12;
    constexpr double GIGA = 1e9;
    Accelerator result;
    result.name = row.GetText("accelerator");
    result.matrixFlopsPerSecond = TERA * row.GetNumber("fp16_bf16_tflops", true);
    result.matrixFlopsPerSecond8 = TERA * row.GetNumber("fp8_tflops");
    result.vectorFlopsPerSecond = TERA * row.GetNumber("fp32_vector_tflops");
    result.multiprocessors = static_cast<uint32_t>(row.GetNumber("multiprocessors"));
    result.memoryBytes = static_cast<uint64_t>(std::llround(GIGA * row.GetNumber("hbm_gb", true)));
    result.memoryBytesPerSecond = GIGA * row.GetNumber("hbm_gb_per_s", true);
    result.scaleUpRate = DataRate(static_cast<uint64_t>(
        std::llround(8 * GIGA * row.GetNumber("scale_up_gb_per_s_per_direction", true))));
    result.scaleUpDomain = static_cast<uint32_t>(row.GetNumber("scale_up_domain", true));
    result.nicRate =
        DataRate(static_cast<uint64_t>(std::llround(GIGA * row.GetNumber("nic_gbps_per_gpu"))));
    result.bestMatrixFlopsPerSecond = TERA * row.GetNumber("mamf_bf16_tflops");
    result.bestMatrixFlopsPerSecond8 = TERA * row.GetNumber("mamf_fp8_tflops");
    result.triadBytesPerSecond = GIGA * row.GetNumber("hbm_measured_triad_gb_per_s");
    result.system = row.GetText("common_system");
    result.source = row.GetText("source");
    return result;
}

/**
 * Refuse a factor that is not positive.
 * @param name of the factor
 * @param factor its value
 */
void
CheckFactor(const char* name, double factor)
{
    if (!std::isfinite(factor) || factor <= 0)
    {
        RefuseInput(std::string(name) + " = " + std::to_string(factor) +
                    " does not scale an accelerator; a finite number above 0 is allowed");
    }
}

} // namespace

std::vector<Accelerator>
Accelerator::ReadFile(const std::string& path)
{
    std::vector<Accelerator> result;
    for (const CsvRow& row : CsvRow::ReadFile("accelerator file", path))
    {
        result.push_back(MakeAccelerator(row));
    }
    return result;
}

Accelerator
Accelerator::Scaled(double computeFactor, double memoryFactor, double networkFactor) const
{
    CheckFactor("computeFactor", computeFactor);
    CheckFactor("memoryFactor", memoryFactor);
    CheckFactor("networkFactor", networkFactor);
    const auto scaleRate = [networkFactor](DataRate rate)
    {
        return DataRate(static_cast<uint64_t>(
            std::llround(static_cast<double>(rate.GetBitRate()) * networkFactor)));
    };
    Accelerator result = *this;
    result.matrixFlopsPerSecond *= computeFactor;
    result.matrixFlopsPerSecond8 *= computeFactor;
    result.vectorFlopsPerSecond *= computeFactor;
    result.memoryBytesPerSecond *= memoryFactor;
    result.scaleUpRate = scaleRate(scaleUpRate);
    result.nicRate = scaleRate(nicRate);
    return result;
}

Accelerator
Accelerator::FromName(const std::string& name)
{
    std::vector<std::string> names;
    std::vector<std::string> similar;
    std::vector<Accelerator> matches;
    for (const auto& candidate : ReadFile(FindDataFile("accelerators.csv")))
    {
        names.push_back(candidate.name);
        if (boost::algorithm::iequals(candidate.name, name))
        {
            return candidate;
        }
        if (!name.empty() && boost::algorithm::istarts_with(candidate.name, name))
        {
            matches.push_back(candidate);
            similar.push_back(candidate.name);
        }
    }
    if (matches.size() == 1)
    {
        return matches[0];
    }
    if (matches.size() > 1)
    {
        RefuseInput("accelerator = '" + name + "' fits several" +
                    DescribeAllowedNames(name, similar));
    }
    RefuseInput("accelerator = '" + name + "' is not known" + DescribeAllowedNames(name, names));
}

} // namespace ns3::llm
