// SPDX-License-Identifier: GPL-2.0-only

#include "roofline-cost-model.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/ns3-compat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(RooflineCostModel);

namespace
{

/** A part of a result that one multiprocessor computes at a time. */
struct Tile
{
    uint32_t m;      //!< rows
    uint32_t n;      //!< columns
    double relative; //!< rate, as a share of that of the largest tile
};

/** The tiles to choose from. Small ones load more operands for each operation. */
constexpr Tile TILE_CHOICE[] = {{256, 128, 1.0},
                                {128, 256, 1.0},
                                {128, 128, 0.93},
                                {128, 64, 0.80},
                                {64, 128, 0.80},
                                {64, 64, 0.62}};

/**
 * @param whole a number
 * @param part another
 * @return how many parts hold the whole
 */
double
CountParts(double whole, double part)
{
    return std::ceil(whole / part);
}

} // namespace

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
                "Efficiency",
                "How the share of the peak depends on the shape of a matrix product: not "
                "(Constant), by tiles and waves (Tiles), or as F / (F + HalfFlops) for F "
                "operations (Saturating). Tiles is Saturating on an accelerator whose "
                "number of multiprocessors is not known.",
                EnumValue(TILES),
                compat::MakeEnumAttributeAccessor<RooflineCostModel::Efficiency>(
                    &RooflineCostModel::m_efficiency),
                MakeEnumChecker(CONSTANT, "Constant", TILES, "Tiles", SATURATING, "Saturating"))
            .AddAttribute(
                "MatrixEfficiency",
                "Share of the peak that the matrix units reach at 16 bit and more, 0.001 "
                "to 1: with Tiles in full waves of the best tile, with Saturating in very "
                "large products. The default is calibrated for A100 with Tiles on the "
                "iteration times of Korthikanti et al. (arXiv 2205.05198), table 5; with "
                "Constant their whole-layer rate is 0.7.",
                DoubleValue(0.824),
                MakeDoubleAccessor(&RooflineCostModel::m_matrixEfficiency),
                MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute("MatrixEfficiency8",
                          "The same at 8 bit, 0.001 to 1.",
                          DoubleValue(0.824),
                          MakeDoubleAccessor(&RooflineCostModel::m_matrixEfficiency8),
                          MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute("HalfFlops",
                          "Saturating: operations of a matrix product that reaches half of "
                          "MatrixEfficiency. The default suits A100 (same source).",
                          DoubleValue(20e9),
                          MakeDoubleAccessor(&RooflineCostModel::m_halfFlops),
                          MakeDoubleChecker<double>(0))
            .AddAttribute(
                "EpilogueShare",
                "Tiles: share of the memory traffic of a product's result that its "
                "arithmetic does not hide, 0 to 1. The default is an assumption; 0.4 to 1 "
                "are plausible.",
                DoubleValue(0.7),
                MakeDoubleAccessor(&RooflineCostModel::m_epilogueShare),
                MakeDoubleChecker<double>(0, 1))
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
            .AddAttribute("NormForwardEfficiency",
                          "The same of norms in the forward pass, 0.001 to 1. The default is 1258 "
                          "GB/s of 2 TB/s (NVIDIA/apex pull request 1037, A100).",
                          DoubleValue(0.63),
                          MakeDoubleAccessor(&RooflineCostModel::m_normForward),
                          MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute("NormBackwardEfficiency",
                          "The same in the backward pass, 0.001 to 1 (1163 GB/s, same source).",
                          DoubleValue(0.58),
                          MakeDoubleAccessor(&RooflineCostModel::m_normBackward),
                          MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute(
                "EarlyNormForwardEfficiency",
                "The same by the kernels of before October 2021, forward, 0.001 to 1 (896 "
                "GB/s, same source).",
                DoubleValue(0.45),
                MakeDoubleAccessor(&RooflineCostModel::m_earlyNormForward),
                MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute("EarlyNormBackwardEfficiency",
                          "The same, backward, 0.001 to 1 (572 GB/s, same source).",
                          DoubleValue(0.29),
                          MakeDoubleAccessor(&RooflineCostModel::m_earlyNormBackward),
                          MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute(
                "RandomNumbersPerFlop",
                "Random numbers that dropout draws for each operation of the vector units' "
                "peak; 0: no limit. The default is about 250e9 a second on A100, from the "
                "number of instructions of the generator; 150e9 to 400e9 are plausible.",
                DoubleValue(0.013),
                MakeDoubleAccessor(&RooflineCostModel::m_randomNumbersPerFlop),
                MakeDoubleChecker<double>(0))
            .AddAttribute("LaunchOverhead",
                          "Time added for every kernel: its start and end. The default is an "
                          "assumption; kernels that are replayed as a graph have less.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&RooflineCostModel::m_launchOverhead),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Ptr<RooflineCostModel>
RooflineCostModel::Create(const Accelerator& accelerator)
{
    auto model = CreateObject<RooflineCostModel>();
    model->SetProfile(CostProfile::Find(accelerator));
    return model;
}

void
RooflineCostModel::SetProfile(const CostProfile& profile)
{
    m_matrixEfficiency = profile.matrixEfficiency;
    m_matrixEfficiency8 = profile.matrixEfficiency8;
    m_epilogueShare = profile.epilogueShare;
    m_memoryEfficiency = profile.memoryEfficiency;
    m_normForward = profile.normForward;
    m_normBackward = profile.normBackward;
    m_earlyNormForward = profile.earlyNormForward;
    m_earlyNormBackward = profile.earlyNormBackward;
    m_randomNumbersPerFlop = profile.randomNumbersPerFlop;
    m_launchOverhead = profile.launchOverhead;
}

Time
RooflineCostModel::GetTime(const ModelOperator& op, const Accelerator& accelerator) const
{
    constexpr double PICOSECONDS = 1e12;
    const double seconds = op.kind == ModelOperator::MATRIX ? GetMatrixSeconds(op, accelerator)
                                                            : GetVectorSeconds(op, accelerator);
    return PicoSeconds(static_cast<uint64_t>(std::llround(seconds * PICOSECONDS))) +
           m_launchOverhead * int64_t(op.kernels);
}

double
RooflineCostModel::GetMatrixSeconds(const ModelOperator& op, const Accelerator& accelerator) const
{
    const double memoryRate = accelerator.memoryBytesPerSecond * m_memoryEfficiency;
    const double memory = static_cast<double>(op.bytes) / memoryRate;
    const auto flops = static_cast<double>(op.flops);
    double peak = accelerator.matrixFlopsPerSecond * m_matrixEfficiency;
    if (op.precision == 1 && accelerator.matrixFlopsPerSecond8 > 0)
    {
        peak = accelerator.matrixFlopsPerSecond8 * m_matrixEfficiency8;
    }
    if (op.precision >= 4)
    {
        peak /= 2; // matrix units take 32-bit operands (TF32) at half the rate
    }
    if (m_efficiency == CONSTANT)
    {
        return std::max(flops / peak, memory);
    }
    if (m_efficiency == SATURATING || accelerator.multiprocessors == 0)
    {
        return std::max((flops + m_halfFlops) / peak, memory);
    }
    const double result = static_cast<double>(op.batch) * static_cast<double>(op.m) *
                          static_cast<double>(op.n) * op.resultBytes;
    return std::max(GetWaveSeconds(op, accelerator.multiprocessors, peak) +
                        m_epilogueShare * result / memoryRate,
                    memory);
}

double
RooflineCostModel::GetWaveSeconds(const ModelOperator& op, uint32_t multiprocessors, double peak)
{
    double least = std::numeric_limits<double>::max();
    for (const Tile& tile : TILE_CHOICE)
    {
        const double tiles = static_cast<double>(op.batch) *
                             CountParts(static_cast<double>(op.m), tile.m) *
                             CountParts(static_cast<double>(op.n), tile.n);
        const double flops = 2.0 * tile.m * tile.n * static_cast<double>(op.k);
        const double seconds = flops * multiprocessors / (peak * tile.relative);
        least = std::min(least, CountParts(tiles, multiprocessors) * seconds);
    }
    return least;
}

double
RooflineCostModel::GetVectorSeconds(const ModelOperator& op, const Accelerator& accelerator) const
{
    double seconds = static_cast<double>(op.bytes) /
                     (accelerator.memoryBytesPerSecond * GetMemoryShare(op.access));
    // an unknown peak (0) of the vector units leaves the memory as the only limit
    if (accelerator.vectorFlopsPerSecond > 0)
    {
        const double peak = accelerator.vectorFlopsPerSecond;
        seconds = std::max(seconds, static_cast<double>(op.flops) / (peak * m_vectorEfficiency));
        if (m_randomNumbersPerFlop > 0)
        {
            const double rate = peak * m_randomNumbersPerFlop;
            seconds = std::max(seconds, static_cast<double>(op.randomNumbers) / rate);
        }
    }
    return seconds;
}

double
RooflineCostModel::GetMemoryShare(ModelOperator::Access access) const
{
    switch (access)
    {
    case ModelOperator::NORM_FORWARD:
        return m_normForward;
    case ModelOperator::NORM_BACKWARD:
        return m_normBackward;
    case ModelOperator::EARLY_NORM_FORWARD:
        return m_earlyNormForward;
    case ModelOperator::EARLY_NORM_BACKWARD:
        return m_earlyNormBackward;
    case ModelOperator::STREAM:
        break;
    }
    return m_memoryEfficiency;
}

} // namespace ns3::llm
