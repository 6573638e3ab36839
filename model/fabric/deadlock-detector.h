// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DEADLOCK_DETECTOR_H
#define LLM_FABRIC_DEADLOCK_DETECTOR_H

#include "fabric-faults.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

class FabricSwitch;

/**
 * @ingroup llm-fabric-fabric
 * Finds out whether pauses wait for each other in a circle: a port is stopped by the switch at its far
 * end because of frames that came in from it there, and these wait for ports of that switch that are
 * stopped themselves, and so on.
 *
 * It is asked when frames have waited long behind a pause, and then looks at all switches that it can
 * reach from there. A port is held for good if, with all gone that can go, what is left of it at the
 * far end would still not let it resume. It starts from all stopped ports and lets those go that would
 * resume, until none is left that would: what remains is a deadlock, and nothing else is.
 */
class DeadlockDetector
{
  public:
    /** @param limit ps that frames wait behind a pause before it looks; UINT64_MAX: never */
    void SetLimit(uint64_t limit)
    {
        m_limit = limit;
    }

    /** @return see SetLimit() */
    uint64_t GetLimit() const
    {
        return m_limit;
    }

    /** @param faults ends the run */
    void SetFaults(FabricFaults* faults)
    {
        m_faults = faults;
    }

    /**
     * Frames have waited long at a port of a switch. If that is a deadlock, the run ends.
     * @param from the switch
     * @param port its port
     */
    void Look(const FabricSwitch& from, uint16_t port);

  private:
    /** A class of a port that is stopped and has frames that wait. */
    struct Stopped
    {
        const FabricSwitch* at;            //!< its switch
        uint16_t port;                     //!< its port
        uint8_t trafficClass;              //!< its class
        const FabricSwitch* by;            //!< who stops it; nullptr: a terminal
        uint16_t byPort;                   //!< port at the far end
        std::vector<uint64_t> waiting;     //!< bytes that wait, by the port by which they came in
        std::vector<std::size_t> waitsFor; //!< stopped ones that frames of it wait for
        bool isHeld;                       //!< not known to resume
    };

    /** @param from a switch @return all that is stopped there and where that leads to */
    static std::vector<Stopped> Collect(const FabricSwitch& from);
    /** @param all of which it is one @param one whether it would resume @return whether it would */
    static bool WouldResume(const std::vector<Stopped>& all, const Stopped& one);
    /** @param all which ones wait for which is to be filled in */
    static void Link(std::vector<Stopped>& all);
    /** @param all what is held for good @return the members of one circle, in order */
    static std::vector<std::size_t> FindCircle(const std::vector<Stopped>& all);
    /** @param all stopped ones @param circle its members @param tick now @return what is said */
    std::string Describe(const std::vector<Stopped>& all,
                         const std::vector<std::size_t>& circle,
                         uint64_t tick) const;

    uint64_t m_limit = UINT64_MAX;    //!< see SetLimit()
    FabricFaults* m_faults = nullptr; //!< see SetFaults()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_DEADLOCK_DETECTOR_H
