// SPDX-License-Identifier: GPL-2.0-only

#include "gradient-buckets.h"

#include <utility>

namespace ns3::llm
{

GradientBuckets::GradientBuckets(Ptr<const TransformerWorkload> workload)
    : m_workload(workload)
{
}

bool
GradientBuckets::IsReduced(uint32_t microBatch) const
{
    const auto& strategy = m_workload->GetStrategy();
    return strategy.zeroStage >= 2 || microBatch + 1 == strategy.GetMicroBatchCount();
}

ParallelDimension
GradientBuckets::GetDimension(bool expert) const
{
    return expert ? m_workload->GetExpertDimension() : ParallelDimension::DATA;
}

GradientBuckets::Bucket
GradientBuckets::Add(bool expert, uint64_t bytes)
{
    if (m_workload->GetStrategy().GetSize(GetDimension(expert)) == 1)
    {
        return {};
    }
    m_bytes[expert] += bytes;
    const auto& options = m_workload->GetOptions();
    const bool full = options.overlapGradients && m_bytes[expert] >= options.bucketBytes;
    return full ? Take(expert) : Bucket{};
}

GradientBuckets::Bucket
GradientBuckets::Take(bool expert)
{
    return {GetDimension(expert), std::exchange(m_bytes[expert], 0)};
}

} // namespace ns3::llm
