// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ROOFLINE_COST_MODEL_H
#define LLM_FABRIC_ROOFLINE_COST_MODEL_H

#include "cost-profile.h"
#include "operator-cost-model.h"

#include "ns3/ptr.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * An operator takes the longer of its arithmetic at a share of the peak and its bytes at a share of
 * the memory's rate, plus a constant for the launch of each kernel (S. Williams, A. Waterman,
 * D. Patterson, "Roofline", CACM 2009).
 *
 * By default a matrix product is cut into tiles, which the multiprocessors take in waves: a last wave
 * that is not full costs as much as a full one, and so does a tile that hangs over the edge. Writing
 * the result is hidden in part only.
 */
class RooflineCostModel : public OperatorCostModel
{
  public:
    /** How the share of the peak depends on the shape of a matrix product. */
    enum Efficiency : uint8_t
    {
        CONSTANT,   //!< not at all
        TILES,      //!< by tiles and waves; SATURATING where the multiprocessors are not known
        SATURATING, //!< F / (F + HalfFlops) for F operations
    };

    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param accelerator an accelerator
     * @return a model with the constants of the accelerator's profile (CostProfile::Find())
     */
    static Ptr<RooflineCostModel> Create(const Accelerator& accelerator);

    /** @param profile the constants to use from now on, in place of the attributes of their names */
    void SetProfile(const CostProfile& profile);

    Time GetTime(const ModelOperator& op, const Accelerator& accelerator) const override;

  private:
    /**
     * @param op a matrix product
     * @param accelerator what runs it
     * @return its time without launches, seconds
     */
    double GetMatrixSeconds(const ModelOperator& op, const Accelerator& accelerator) const;
    /**
     * @param op a matrix product
     * @param multiprocessors that share it, at least 1
     * @param peak what they reach together with the best tile, FLOP/s
     * @return time of its waves with the tile that takes least, seconds
     */
    static double GetWaveSeconds(const ModelOperator& op, uint32_t multiprocessors, double peak);
    /**
     * @param op an operator of the vector units
     * @param accelerator what runs it
     * @return its time without launches, seconds
     */
    double GetVectorSeconds(const ModelOperator& op, const Accelerator& accelerator) const;
    /**
     * @param access a way through memory
     * @return share of the memory's peak rate
     */
    double GetMemoryShare(ModelOperator::Access access) const;

    Efficiency m_efficiency = TILES;       //!< how efficiency depends on shape
    double m_matrixEfficiency = 0.824;     //!< share of the matrix units' peak at 16 and 32 bit
    double m_matrixEfficiency8 = 0.824;    //!< share of the matrix units' peak at 8 bit
    double m_halfFlops = 20e9;             //!< SATURATING: product that reaches half of it
    double m_epilogueShare = 0.7;          //!< TILES: share of the result's traffic not hidden
    double m_vectorEfficiency = 0.5;       //!< share of the vector units' peak
    double m_memoryEfficiency = 0.85;      //!< share of the memory's peak rate
    double m_normForward = 0.63;           //!< the same of norms, forward
    double m_normBackward = 0.58;          //!< the same of norms, backward
    double m_earlyNormForward = 0.45;      //!< the same of earlier norm kernels, forward
    double m_earlyNormBackward = 0.29;     //!< the same of earlier norm kernels, backward
    double m_randomNumbersPerFlop = 0.013; //!< random numbers for each FLOP of the vector peak
    Time m_launchOverhead;                 //!< added for every kernel
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ROOFLINE_COST_MODEL_H
