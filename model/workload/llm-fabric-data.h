// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DATA_H
#define LLM_FABRIC_DATA_H

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Find a file of the module's data directory (`data/` of the source tree).
 *
 * The environment variable LLM_FABRIC_DATA, when set, names the directory; else it is the first
 * that exists of those built in. A file that is not there is refused with the places searched.
 *
 * @param path the file or directory, relative to the data directory, e.g. "accelerators.csv"
 * @return its path
 */
std::string FindDataFile(const std::string& path);

/**
 * @ingroup llm-fabric-workload
 * Find the name that was probably meant.
 * @param name what was given
 * @param allowed the names that exist
 * @return the allowed name with the fewest edits to `name`, ignoring case; "" when none is near
 *         (more than half of the letters differ)
 */
std::string FindNearestName(const std::string& name, const std::vector<std::string>& allowed);

/**
 * @ingroup llm-fabric-workload
 * The end of a message that refuses a name.
 * @param name what was given
 * @param allowed the names that exist
 * @return "; did you mean X? Allowed: A, B, C" (without the question when nothing is near)
 */
std::string DescribeAllowedNames(const std::string& name, const std::vector<std::string>& allowed);

} // namespace ns3::llm

#endif // LLM_FABRIC_DATA_H
