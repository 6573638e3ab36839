// SPDX-License-Identifier: GPL-2.0-only

#include "time-resolution.h"

#include "frame-engine.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <set>

namespace ns3::llm
{

namespace
{

/**
 * ns-3 keeps a set of all Time objects until it converts them to another resolution, or until the
 * first run; without it a change of resolution crashes, and there is no public way to ask for it.
 * A friend that is defined by the explicit instantiation of a template may name a private member.
 * @return ns-3's pointer to the set
 */
std::set<Time*>* GetMarkedTimes();

/**
 * Defines GetMarkedTimes().
 * @tparam Marked address of ns-3's pointer to the set
 */
template <std::set<Time*>** Marked>
struct MarkedTimesReader
{
    /** @return ns-3's pointer to the set */
    friend std::set<Time*>* GetMarkedTimes()
    {
        return *Marked;
    }
};

template struct MarkedTimesReader<&Time::g_markingTimes>;

} // namespace

void
UsePicoseconds()
{
    if (Time::GetResolution() == Time::PS)
    {
        return;
    }
    NS_ABORT_MSG_IF(GetMarkedTimes() == nullptr,
                    "UsePicoseconds: another time resolution was set, or a simulation has run with "
                    "it, and ns-3 cannot change it then: call this first of all in main(), and run "
                    "test suites that need different resolutions as programs of their own");
    NS_ABORT_MSG_IF(IsSimulatorStarted() &&
                        (!Simulator::IsFinished() || !Simulator::Now().IsZero()),
                    "UsePicoseconds: events were scheduled with another time resolution: call this "
                    "first of all in main()");
    Time::SetResolution(Time::PS);
}

void
RequirePicoseconds(const char* who)
{
    NS_ABORT_MSG_IF(
        Time::GetResolution() != Time::PS,
        who << " needs a time resolution of picoseconds: call "
               "ns3::llm::UsePicoseconds() first of all in main(), or in the set-up of a "
               "test suite");
}

} // namespace ns3::llm
