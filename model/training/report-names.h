// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_REPORT_NAMES_H
#define LLM_FABRIC_REPORT_NAMES_H

#include "ns3/nstime.h"
#include "ns3/training-graph.h"

#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * @param kind a kind of communication; SEND and RECEIVE are one
 * @return what reports call it: "all-reduce", "all-gather", "reduce-scatter", "all-to-all",
 * "point-to-point"
 */
std::string GetOperationName(TrainingTask::Kind kind);

/**
 * @ingroup llm-fabric-training
 * @param name what GetOperationName() gave; anything else is refused
 * @return the kind, SEND for "point-to-point"
 */
TrainingTask::Kind ParseOperationName(const std::string& name);

/**
 * @ingroup llm-fabric-training
 * @param name what GetShortName() gave; anything else is refused
 * @return the dimension
 */
ParallelDimension ParseShortName(const std::string& name);

/**
 * @ingroup llm-fabric-training
 * @param dimension a dimension
 * @return what columns and keys of its exposed communication are called: "exposed_tp_us"
 */
std::string GetExposedColumn(ParallelDimension dimension);

/**
 * @ingroup llm-fabric-training
 * @param time a time of less than two hours
 * @return it in microseconds; the double keeps every picosecond
 */
double ToMicroseconds(Time time);

/**
 * @ingroup llm-fabric-training
 * @param us microseconds, as ToMicroseconds() gave them
 * @return the time, exact to the picosecond
 */
Time FromMicroseconds(double us);

/**
 * @ingroup llm-fabric-training
 * @param time a time
 * @return it in microseconds with all six decimals, exact to the picosecond
 */
std::string FormatMicroseconds(Time time);

} // namespace ns3::llm

#endif // LLM_FABRIC_REPORT_NAMES_H
