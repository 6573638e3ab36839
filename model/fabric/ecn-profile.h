// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ECN_PROFILE_H
#define LLM_FABRIC_ECN_PROFILE_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Marking of a port's queue, RED-style on the instantaneous queue at departure (DCQCN, SIGCOMM 2015).
 */
struct EcnProfile
{
    uint32_t minBytes = UINT32_MAX; //!< never marked up to here (Kmin)
    uint32_t maxBytes = UINT32_MAX; //!< always marked above (Kmax)
    double maxProbability = 0;      //!< probability at maxBytes (Pmax)
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ECN_PROFILE_H
