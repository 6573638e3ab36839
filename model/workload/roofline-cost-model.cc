// SPDX-License-Identifier: GPL-2.0-only

#include "roofline-cost-model.h"

#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RooflineCostModel);

TypeId
RooflineCostModel::GetTypeId()
{
    constexpr double LEAST = 1e-3; // a share of 0 would take for ever
    static TypeId tid =
        TypeId("ns3::llm::RooflineCostModel")
            .SetParent<OperatorCostModel>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RooflineCostModel>()
            .AddAttribute(
                "MatrixEfficiency",
                "Share of the peak that the matrix units reach, 0.001 to 1. The default is "
                "the whole-layer rate of 216 to 232 of 312 Tflop/s that explains the "
                "iteration times of Korthikanti et al. (arXiv 2205.05198), table 5.",
                DoubleValue(0.7),
                MakeDoubleAccessor(&RooflineCostModel::m_matrixEfficiency),
                MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute(
                "VectorEfficiency",
                "Share of the peak that the vector units reach, 0.001 to 1. The default is "
                "the peak without fused multiply-adds, which element-wise operators "
                "seldom use.",
                DoubleValue(0.5),
                MakeDoubleAccessor(&RooflineCostModel::m_vectorEfficiency),
                MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute(
                "MemoryEfficiency",
                "Share of the memory's peak rate that streaming operators reach, 0.001 to "
                "1. The default lies within the triad measurements of "
                "Azure/AI-benchmarking-guide: 0.83 on A100, 0.89 on H100, 0.86 on H200.",
                DoubleValue(0.85),
                MakeDoubleAccessor(&RooflineCostModel::m_memoryEfficiency),
                MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute(
                "LaunchOverhead",
                "Time added to every operator: start and drain of a kernel. The default is "
                "an assumption; kernels that are replayed as a graph have less.",
                TimeValue(MicroSeconds(4)),
                MakeTimeAccessor(&RooflineCostModel::m_launchOverhead),
                MakeTimeChecker(Time(0)));
    return tid;
}

Time
RooflineCostModel::GetTime(const ModelOperator& op, const Accelerator& accelerator) const
{
    const bool matrix = op.kind == ModelOperator::MATRIX;
    const double peak = matrix ? accelerator.matrixFlopsPerSecond * m_matrixEfficiency
                               : accelerator.vectorFlopsPerSecond * m_vectorEfficiency;
    const double rate = accelerator.memoryBytesPerSecond * m_memoryEfficiency;
    // an unknown peak (0) of the vector units leaves the memory as the only limit
    const double arithmetic = peak > 0 ? static_cast<double>(op.flops) / peak : 0;
    const double memory = static_cast<double>(op.bytes) / rate;
    constexpr double PICOSECONDS = 1e12;
    const double ticks = std::max(arithmetic, memory) * PICOSECONDS;
    return PicoSeconds(static_cast<uint64_t>(std::llround(ticks))) + m_launchOverhead;
}

} // namespace ns3::llm
