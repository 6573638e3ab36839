// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATOR_TIME_CURVE_H
#define LLM_FABRIC_OPERATOR_TIME_CURVE_H

#include "operator-profile.h"

#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Time of an operator over its size: launch + operations / rate + bytes / memory rate.
 *
 * Without the bytes this is the curve of efficiency rate = peak F / (F + F_half), F_half = launch x
 * peak; with them, thin matrices are slower than square ones of as many operations, as they are.
 */
struct OperatorTimeCurve
{
    double launchSeconds = 0;  //!< what does not depend on the size, seconds
    double secondsPerFlop = 0; //!< of the matrix units; 0 for vector operators
    double secondsPerByte = 0; //!< of the memory

    /**
     * @param size of an operator
     * @param computeFactor how much faster the matrix units are than those of the curve
     * @param memoryFactor how much faster the memory is
     * @return its time, seconds
     */
    double
    GetSeconds(const OperatorSize& size, double computeFactor = 1, double memoryFactor = 1) const;

    /**
     * Fit a curve with terms of at least 0 that has the least sum of squared relative errors. One
     * size gives a proportion, two the launch as well, three or more all terms.
     * @param entries measured times of one kind and, for MATRIX, of one precision; not empty
     * @return the curve
     */
    static OperatorTimeCurve Fit(const std::vector<OperatorProfileEntry>& entries);

    /**
     * The curve through one measured time whose launch is known from elsewhere.
     * @param entry the measured time
     * @param launchSeconds of it, less than the measured time
     * @return launch, and the rest in proportion to operations (MATRIX) or bytes (VECTOR)
     */
    static OperatorTimeCurve Through(const OperatorProfileEntry& entry, double launchSeconds);
};

/**
 * @ingroup llm-fabric-workload
 * @param entries measured times
 * @return how many sizes (operations and bytes) they have that differ
 */
std::size_t CountSizes(const std::vector<OperatorProfileEntry>& entries);

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATOR_TIME_CURVE_H
