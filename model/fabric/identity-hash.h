// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IDENTITY_HASH_H
#define LLM_FABRIC_IDENTITY_HASH_H

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Mix a value into a hash, with the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). The
 * two are not interchangeable, also where both are small numbers: from 1 to 2 is not from 2 to 1.
 *
 * Random decisions on the way of a frame are drawn by hashing what the decision is about, so that
 * they do not depend on anything that happens elsewhere.
 * @param hash the hash so far
 * @param value what to mix in
 * @return the new hash
 */
inline uint64_t
MixHash(uint64_t hash, uint64_t value)
{
    uint64_t x = (hash + 1) * 0x9e3779b97f4a7c15u + value;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/**
 * @ingroup llm-fabric-fabric
 * @param hash a hash
 * @return the number in [0, 1) that it stands for
 */
inline double
HashToUnit(uint64_t hash)
{
    return static_cast<double>(hash >> 11) * 0x1p-53;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_IDENTITY_HASH_H
