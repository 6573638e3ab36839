// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BRUCK_ALGORITHM_H
#define LLM_FABRIC_BRUCK_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * All-to-all, all-gather and barrier in ceil(log2 N) rounds (Bruck et al., IEEE TPDS 8(11), 1997): few
 * messages for small sizes, at the price of bytes that travel up to log2 N times.
 *
 * All-to-all: a block that has j ranks to go (modulo N) is passed on by 2^k in round k if bit k of j is
 * set; so each rank sends one message a round, to r + 2^k. All-gather: in round k rank r sends the parts
 * of r, r + 1, ... that it has, at most 2^k, to r - 2^k: (N - 1) S bytes in all, as the ring. Barrier: in
 * round k rank r sends an empty message to r + 2^k.
 */
class BruckAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_BRUCK_ALGORITHM_H
