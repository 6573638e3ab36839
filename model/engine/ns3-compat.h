// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NS3_COMPAT_H
#define LLM_FABRIC_NS3_COMPAT_H

#include "ns3/enum.h"
#include "ns3/test.h"

#include <cstdint>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * What ns-3 spells differently from one release to another. Each is found by what the compiler
 * accepts; no release number is asked. What has one spelling that all releases take is not here.
 */
namespace compat
{

/// What stands behind the names of compat: the first overload that compiles is taken.
namespace detail
{

/**
 * @tparam E the enum, named since ns-3.41
 * @tparam A the pointer to the member
 * @param member the member
 * @return its accessor
 */
template <typename E, typename A>
auto
MakeAccessor(A member, int) -> decltype(MakeEnumAccessor<E>(member))
{
    return MakeEnumAccessor<E>(member);
}

/**
 * @tparam E the enum, which ns-3 before 3.41 does not ask
 * @tparam A the pointer to the member
 * @param member the member
 * @return its accessor
 */
template <typename E, typename A>
auto
MakeAccessor(A member, long) -> decltype(MakeEnumAccessor(member))
{
    return MakeEnumAccessor(member);
}

/**
 * @tparam T ns3::TestCase, with a scoped enum since ns-3.42
 * @return the duration of a long test
 */
template <typename T>
constexpr auto
LongDuration(int) -> decltype(T::Duration::EXTENSIVE)
{
    return T::Duration::EXTENSIVE;
}

/**
 * @tparam T ns3::TestCase
 * @return the duration of a long test
 */
template <typename T>
constexpr auto
LongDuration(long) -> decltype(T::TestDuration::EXTENSIVE)
{
    return T::TestDuration::EXTENSIVE;
}

} // namespace detail

/**
 * The accessor of an attribute whose type is an unscoped enum; to be given with EnumValue(X) and
 * MakeEnumChecker(...), which are the same everywhere.
 *
 * @tparam E the enum
 * @tparam A the pointer to the member
 * @param member the member that holds the attribute
 * @return the accessor
 */
template <typename E, typename A>
auto
MakeEnumAttributeAccessor(A member)
{
    return detail::MakeAccessor<E>(member, 0);
}

/// Number of the events that run at the end; the same in all engines of ns-3, which name it since 3.36.
constexpr uint32_t DESTROY_EVENT_UID = 2;

/// First number of an event that has no special meaning.
constexpr uint32_t FIRST_EVENT_UID = 4;

/// Third argument of AddTestCase for a test that runs only when all are asked for.
constexpr auto LONG_TEST = detail::LongDuration<TestCase>(0);

} // namespace compat

} // namespace ns3::llm

#endif // LLM_FABRIC_NS3_COMPAT_H
