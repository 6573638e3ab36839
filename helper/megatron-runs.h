// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MEGATRON_RUNS_H
#define LLM_FABRIC_MEGATRON_RUNS_H

#include "published-runs.h"

#include "ns3/ring-communication-cost.h"
#include "ns3/transformer-workload.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * The machines and the software of the published runs of Megatron-LM on A100s: DGX A100 of 8, one HDR
 * InfiniBand NIC for each. One set of constants for all runs; none is fitted but the efficiency of
 * matrix products, which belongs to the accelerator's profile.
 */
struct MegatronSystem
{
    /** Which software ran. */
    enum Software : uint8_t
    {
        EARLY_2021, //!< of Narayanan et al., arXiv 2104.04473
        YEAR_2022,  //!< of Korthikanti et al., arXiv 2205.05198
    };

    Software software = YEAR_2022; //!< which software
    double matrixEfficiency = 0;   //!< share of the matrix units' peak; 0: the profile's

    /**
     * @param run a published run
     * @return what it was made of
     */
    TransformerWorkload::Config MakeConfig(const PublishedRun& run) const;
    /**
     * @param run a published run
     * @return what its communication cost in closed form
     */
    RingCommunicationCost MakeCost(const PublishedRun& run) const;

    /** Payload rate of a rank in NVSwitch as NCCL reaches it, bus bandwidth of 8 ranks. */
    static constexpr uint64_t DOMAIN_BITS_PER_SECOND = 8 * 230'000'000'000ULL;
    /** Payload rate of a NIC as NCCL reaches it: 0.85 of 200 Gb/s. */
    static constexpr uint64_t NIC_BITS_PER_SECOND = 170'000'000'000ULL;
    /** Accelerators of an HB domain. */
    static constexpr uint32_t DOMAIN_SIZE = 8;
    /** Share of an A100 that NCCL's 24 channels hold: as many of its 108 multiprocessors. */
    static constexpr double SLOW_DOWN = 24.0 / 108;
    /** @return time that a step of a ring takes beside its bytes */
    static Time GetRingStep();
    /** @return time from the call of a collective until its first step */
    static Time GetLaunch();
    /** @return time of a message's way through the network */
    static Time GetNetworkLatency();
};

/**
 * @ingroup llm-fabric-helper
 * @param run a run
 * @param system what it ran on
 * @return time of an iteration by replay of its schedule
 */
Time ReplayTime(const PublishedRun& run, const MegatronSystem& system);

/**
 * @ingroup llm-fabric-helper
 * Times of runs by replay of their schedules.
 * @param runs the runs
 * @param system what they ran on
 * @return seconds of an iteration, in the same order
 */
std::vector<double> PredictRuns(const std::vector<PublishedRun>& runs,
                                const MegatronSystem& system);

/**
 * @ingroup llm-fabric-helper
 * Find the efficiency of matrix products that explains runs best: with the least mean square of the
 * logarithms of predicted over measured time.
 * @param runs the runs
 * @param software what they ran with
 * @return share of the matrix units' peak
 */
double CalibrateMatrixEfficiency(const std::vector<PublishedRun>& runs,
                                 MegatronSystem::Software software);

} // namespace ns3::llm

#endif // LLM_FABRIC_MEGATRON_RUNS_H
