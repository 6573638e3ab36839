// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PARAMETER_COUNT_H
#define LLM_FABRIC_PARAMETER_COUNT_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Parameters of a part of a model under tensor and expert parallelism. Routed experts are counted
 * apart, as they are divided among the ranks of an expert group too; each of their gradients is
 * summed over fewer ranks.
 */
struct ParameterCount
{
    uint64_t sharded = 0;          //!< divided among the ranks of a tensor group
    uint64_t replicated = 0;       //!< kept by every rank (norms, routers, latents, positions)
    uint64_t expertSharded = 0;    //!< of routed experts, divided within an expert
    uint64_t expertReplicated = 0; //!< of routed experts, kept whole (biases after a sum)

    /** @return all parameters */
    uint64_t GetTotal() const;
    /** @return those of routed experts */
    uint64_t GetExperts() const;
    /**
     * @param tensorParallel ranks of a tensor group
     * @return parameters that a rank holds, without those of routed experts
     */
    uint64_t GetDensePerRank(uint64_t tensorParallel) const;
    /**
     * @param tensorParallel ranks among which an expert is divided
     * @param expertParallel ranks among which the experts of a layer are divided
     * @return parameters of routed experts that a rank holds
     */
    uint64_t GetExpertsPerRank(uint64_t tensorParallel, uint64_t expertParallel) const;
    /**
     * @param tensorParallel ranks of a tensor group, which divide experts too
     * @param expertParallel ranks of an expert group
     * @return parameters that a rank holds
     */
    uint64_t GetPerRank(uint64_t tensorParallel, uint64_t expertParallel = 1) const;
    /**
     * @param other parameters of another part
     * @return those of both
     */
    ParameterCount operator+(const ParameterCount& other) const;
    /**
     * @param times how many equal parts
     * @return parameters of all
     */
    ParameterCount operator*(uint64_t times) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PARAMETER_COUNT_H
