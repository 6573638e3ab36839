// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NCCL_BUS_BANDWIDTH_MODEL_H
#define LLM_FABRIC_NCCL_BUS_BANDWIDTH_MODEL_H

#include "nccl-bus-bandwidth-rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/** How a measurement is simulated, or why not. */
struct MeasurementPlan
{
    std::string leftOut;                 //!< why not; empty if it is
    SystemClass constants;               //!< of its class of systems
    std::string className;               //!< name of the class
    uint32_t domain = 1;                 //!< GPUs of an HB domain
    bool isInSwitch = false;             //!< the HB domain's switch reduces
    std::vector<std::string> algorithms; //!< that come into question, whole TypeId names
};

/** What came of a simulated measurement. */
struct SimulatedMeasurement
{
    double us = 0;         //!< the least of all algorithms and protocols
    std::string algorithm; //!< whose it is, without attributes
    std::string protocol;  //!< likewise
    uint64_t scale = 1;    //!< so many times fewer bytes were sent, and the time extrapolated
};

/**
 * @param row a measurement
 * @param table the systems
 * @return how it is simulated
 */
MeasurementPlan PlanMeasurement(const Measurement& row, const SystemTable& table);

/**
 * Simulate a measurement by each protocol and algorithm.
 * @param row the measurement
 * @param plan of it
 * @param mostNicBytes payload over NICs in a run; with more it is done with fewer bytes
 * @return the fastest
 */
SimulatedMeasurement
SimulateMeasurement(const Measurement& row, const MeasurementPlan& plan, uint64_t mostNicBytes);

} // namespace ns3::llm

#endif // LLM_FABRIC_NCCL_BUS_BANDWIDTH_MODEL_H
