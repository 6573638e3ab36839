// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TWO_CS_ESTIMATE_H
#define LLM_FABRIC_TWO_CS_ESTIMATE_H

#include "accelerator.h"
#include "operator-cost-model.h"
#include "two-cs-shape.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Times of a layer on one rank, both passes: its compute, the tensor-parallel all-reduces that
 * everything waits for, and the data-parallel all-reduce of its gradients, which its backward compute
 * hides as far as that lasts.
 */
struct TwoCsTimes
{
    double forwardSeconds = 0;    //!< compute, forward
    double backwardSeconds = 0;   //!< compute, backward
    double serializedSeconds = 0; //!< tensor-parallel all-reduces of both passes
    double gradientSeconds = 0;   //!< data-parallel all-reduce

    /** @return compute of both passes, s */
    double GetComputeSeconds() const;
    /** @return the part of the gradients' all-reduce that backward compute hides, s */
    double GetOverlappedSeconds() const;
    /** @return the other part, s */
    double GetExposedSeconds() const;
    /** @return compute, serialized and exposed communication, s */
    double GetTotalSeconds() const;
    /** @return serialized communication, in percent of it and compute */
    double GetSerializedPercent() const;
    /** @return the gradients' all-reduce, in percent of backward compute; above 100 it is exposed */
    double GetOverlappedPercent() const;
};

/**
 * @ingroup llm-fabric-workload
 * Rates of an accelerator of a ring.
 */
struct TwoCsMachine
{
    double flopsPerSecond = 0;     //!< that matrix products reach, FLOP/s
    double ringBytesPerSecond = 0; //!< that a rank of a ring sends at, byte/s
    uint32_t dataParallel = 0;     //!< replicas; 0: so many that a ring sends twice the bytes

    /**
     * @param accelerator what the ranks are
     * @param efficiency share of the 16-bit peak that matrix products reach
     * @return it, with rings at its scale-up rate and many replicas
     */
    static TwoCsMachine Make(const Accelerator& accelerator, double efficiency);
};

/**
 * @ingroup llm-fabric-workload
 * @param bytes of the all-reduce
 * @param ranks N of the ring, at least 1; 0: without bound
 * @param bytesPerSecond a rank sends at
 * @return 2 (N - 1) / N bytes over the rate, s
 */
double GetRingSeconds(double bytes, uint32_t ranks, double bytesPerSecond);

/**
 * @ingroup llm-fabric-workload
 * First order: matrix products alone, all at one rate.
 * @param shape the layer; refused if it is wrong
 * @param machine its ranks
 * @return its times
 */
TwoCsTimes EstimateTwoCs(const TwoCsShape& shape, const TwoCsMachine& machine);

/**
 * @ingroup llm-fabric-workload
 * All operators that TransformerOperators lists for the layer, each by a cost model, with the bytes that
 * it lists, over rings at the accelerator's scale-up rate. Heads are 128 wide, or narrower where TP asks
 * for more of them.
 * @param shape the layer; refused if it is wrong
 * @param model what an operator costs
 * @param accelerator what runs it
 * @param dataParallel see TwoCsMachine
 * @return its times
 */
TwoCsTimes EstimateTwoCs(const TwoCsShape& shape,
                         const OperatorCostModel& model,
                         const Accelerator& accelerator,
                         uint32_t dataParallel);

/**
 * @ingroup llm-fabric-workload
 * First order of linear layers alone, which depends on neither hidden size nor TP: many replicas, and no
 * product of scores or values.
 * @param tokens SL B
 * @param elementBytes bytes of a weight's gradient
 * @param machine the ranks
 * @return the gradients' all-reduce, in percent of backward compute
 */
double GetFirstOrderOverlap(double tokens, double elementBytes, const TwoCsMachine& machine);

} // namespace ns3::llm

#endif // LLM_FABRIC_TWO_CS_ESTIMATE_H
