// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NCCL_BUS_BANDWIDTH_REPORT_H
#define LLM_FABRIC_NCCL_BUS_BANDWIDTH_REPORT_H

#include "nccl-bus-bandwidth-model.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

class ReportFolder;

/** A measurement beside what was simulated. */
struct ComparedMeasurement
{
    Measurement row;                //!< the measurement
    std::string className;          //!< of its constants
    SimulatedMeasurement simulated; //!< what was simulated
    double busGBytesPerS = 0;       //!< from it

    /** @return relative error of the simulated bus bandwidth */
    double GetError() const
    {
        return busGBytesPerS / row.busGBytesPerS - 1;
    }
};

/** @param simulated a result @return it as JSON */
std::string SimulatedToJson(const SimulatedMeasurement& simulated);

/** @param text what SimulatedToJson() gave @return the result */
SimulatedMeasurement SimulatedFromJson(const std::string& text);

/** @param row a measurement @param className of its constants @param simulated its simulation
 * @return both together */
ComparedMeasurement Compare(const Measurement& row,
                            const std::string& className,
                            const SimulatedMeasurement& simulated);

/** Print all rows. @param out where to @param rows they */
void PrintRows(std::ostream& out, const std::vector<ComparedMeasurement>& rows);

/** Print median and 90th percentile of the error, by class and by size. @param out where to
 * @param rows all rows */
void PrintErrors(std::ostream& out, const std::vector<ComparedMeasurement>& rows);

/** Print the rows with the largest errors. @param out where to @param rows all rows
 * @param count how many of them */
void PrintWorst(std::ostream& out, std::vector<ComparedMeasurement> rows, std::size_t count);

/** Print how many rows are left out, by reason. @param out where to @param rows the measurements
 * @param plans of each */
void PrintLeftOut(std::ostream& out,
                  const std::vector<Measurement>& rows,
                  const std::vector<MeasurementPlan>& plans);

/** Write comparison.csv and a picture. @param folder where to @param rows all rows
 * @return whether there is a picture */
bool WriteComparison(const ReportFolder& folder, const std::vector<ComparedMeasurement>& rows);

} // namespace ns3::llm

#endif // LLM_FABRIC_NCCL_BUS_BANDWIDTH_REPORT_H
