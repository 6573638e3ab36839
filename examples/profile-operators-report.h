// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROFILE_OPERATORS_REPORT_H
#define LLM_FABRIC_PROFILE_OPERATORS_REPORT_H

#include "profile-operators-layer.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

/** An operator at a shape: measured, and projected from others. */
struct ComparedOperator
{
    LayerOperator item;           //!< the operator
    bool isBase = false;          //!< whether the profile has it
    double measuredSeconds = 0;   //!< as the machine took
    double spentSeconds = 0;      //!< to measure it
    double projectedSeconds = 0;  //!< from all base shapes, by fitted curves
    double proportionSeconds = 0; //!< from the first base shape alone, in proportion
};

/**
 * The mean of how far a projection is off, up or down alike: exp(mean |ln(projected/measured)|) - 1.
 * @param ratios projected over measured, not none
 * @return it
 */
double GetGeometricMeanError(const std::vector<double>& ratios);

/** Print the errors of operators that are not base, by operator and by kind. @param out where to
 * @param rows all */
void PrintErrors(std::ostream& out, const std::vector<ComparedOperator>& rows);

/** @param rows all @return them as CSV */
std::string WriteComparisonCsv(const std::vector<ComparedOperator>& rows);

/** @param rows all @param device what was measured @return what gnuplot is to draw */
std::string MakeComparisonScript(const std::vector<ComparedOperator>& rows,
                                 const std::string& device);

} // namespace ns3::llm

#endif // LLM_FABRIC_PROFILE_OPERATORS_REPORT_H
