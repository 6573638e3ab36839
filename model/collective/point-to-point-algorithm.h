// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_POINT_TO_POINT_ALGORITHM_H
#define LLM_FABRIC_POINT_TO_POINT_ALGORITHM_H

#include "collective-algorithm.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * One message in a group of two, from the request's root to the other rank.
 */
class PointToPointAlgorithm : public CollectiveAlgorithm
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

#endif // LLM_FABRIC_POINT_TO_POINT_ALGORITHM_H
