// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_VALIDATION_ROW_H
#define LLM_FABRIC_VALIDATION_ROW_H

#include <ostream>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * A published figure and the one that the module computes for it.
 */
struct ValidationRow
{
    std::string what;     //!< what it is, e.g. "figure 7, GPT3, N = 16384, K = 32"
    double published = 0; //!< the source's figure
    double computed = 0;  //!< the module's
    std::string unit;     //!< of both, e.g. "s", "switches"; "%" is a share of something

    /** @return computed above published, in percent of published; of a share in points */
    double GetErrorPercent() const
    {
        const double difference = computed - published;
        return unit == "%" ? difference : 100 * difference / published;
    }
};

/**
 * @ingroup llm-fabric-helper
 * @param out gets a table of the rows with their errors
 * @param rows they
 */
void WriteValidationRows(std::ostream& out, const std::vector<ValidationRow>& rows);

} // namespace ns3::llm

#endif // LLM_FABRIC_VALIDATION_ROW_H
