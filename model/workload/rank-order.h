// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RANK_ORDER_H
#define LLM_FABRIC_RANK_ORDER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What a rank is counted along. Expert groups are parts of a data group, so that the data coordinate
 * is counted along two axes.
 */
enum class RankAxis : uint8_t
{
    TENSOR,   //!< within a tensor group
    CONTEXT,  //!< within a context group
    EXPERT,   //!< within an expert group: data coordinate modulo EP
    REPLICA,  //!< which expert group: data coordinate / EP
    PIPELINE, //!< stages
};

/// Number of axes.
inline constexpr std::size_t RANK_AXES = 5;

/**
 * @ingroup llm-fabric-workload
 * The axes in the order in which ranks are numbered, fastest first.
 */
using RankOrder = std::array<RankAxis, RANK_AXES>;

/**
 * @ingroup llm-fabric-workload
 * @param text as ParallelStrategy::rankOrder; anything else is refused
 * @return the order; context comes first where the text does not name it
 */
RankOrder ParseRankOrder(const std::string& text);

/**
 * @ingroup llm-fabric-workload
 * @param text as ParallelStrategy::rankOrder
 * @return whether it says where CP counts
 */
bool NamesContext(const std::string& text);

} // namespace ns3::llm

#endif // LLM_FABRIC_RANK_ORDER_H
