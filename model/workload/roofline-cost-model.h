// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ROOFLINE_COST_MODEL_H
#define LLM_FABRIC_ROOFLINE_COST_MODEL_H

#include "operator-cost-model.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * An operator takes the longer of its arithmetic at a share of the peak and its bytes at a share of
 * the memory's rate, plus a constant for its launch (S. Williams, A. Waterman, D. Patterson,
 * "Roofline", CACM 2009).
 *
 * The shares do not depend on the shape, so small matrix products come out too fast.
 */
class RooflineCostModel : public OperatorCostModel
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    Time GetTime(const ModelOperator& op, const Accelerator& accelerator) const override;

  private:
    double m_matrixEfficiency = 0.7;  //!< share of the matrix units' peak
    double m_vectorEfficiency = 0.5;  //!< share of the vector units' peak
    double m_memoryEfficiency = 0.85; //!< share of the memory's peak rate
    Time m_launchOverhead;            //!< added to every operator
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ROOFLINE_COST_MODEL_H
