// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLUID_SIDE_H
#define LLM_FABRIC_FLUID_SIDE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

/** Work of a fluid domain: 2^-16 x 10^-12 bit. */
__extension__ using FluidWork = unsigned __int128;

/**
 * @ingroup llm-fabric-fabric
 * One direction of a port of a fluid domain, and the queues that it limits.
 *
 * These all have its rate, so it suffices to count what one of them would have got since the
 * beginning: a change of the rate costs nothing per queue.
 */
class FluidSide
{
  public:
    /** "Never", as a tick. */
    static constexpr uint64_t NEVER = UINT64_MAX;

    /**
     * Make up for the time since the last call, at the rates since then.
     * @param now tick
     */
    void Settle(uint64_t now);
    /**
     * @param rate of each queue that it limits from now on, 2^-16 bit/s
     * @param load of all queues that use it from now on, 2^-16 bit/s
     */
    void SetRates(uint64_t rate, uint64_t load);
    /** A queue is limited by this side from now on. */
    void Join();
    /** A queue is not limited by this side any more; its version is another one. */
    void Leave();
    /**
     * Say when the head of a limited queue ends.
     * @param end what this side will have served by then
     * @param queue number of the queue
     * @param version the queue's version; when it has another one this is out of date
     */
    void Push(FluidWork end, uint32_t queue, uint64_t version);
    /**
     * Find the first end, dropping what is out of date.
     * @param versions of all queues
     */
    void FindNext(const std::vector<uint64_t>& versions);
    /**
     * Correct what it has carried: a queue whose head ended within the last tick got less.
     * @param excess how much less
     */
    void TakeBack(FluidWork excess);

    /** @return tick at which the first of the limited queues' heads ends, as of FindNext() */
    uint64_t GetNext() const
    {
        return m_next;
    }

    /** @return number of that queue */
    uint32_t GetFirst() const;
    /** @return what a limited queue would have got until the last settling */
    FluidWork GetServed() const;
    /**
     * @param now tick, not before the last settling
     * @return what all queues have carried until then
     */
    FluidWork GetCarried(uint64_t now) const;
    /** @return sum of the rates of all queues that use it, 2^-16 bit/s */
    uint64_t GetLoad() const;

  private:
    /** When a queue's head ends. */
    struct Ending
    {
        FluidWork end = 0;    //!< in terms of m_served
        uint32_t queue = 0;   //!< number of the queue
        uint64_t version = 0; //!< see Push()

        /**
         * @param other another one
         * @return whether this one comes later (heaps keep the largest first)
         */
        bool operator<(const Ending& other) const
        {
            return end > other.end;
        }
    };

    uint64_t m_since = 0;          //!< tick of the last settling
    uint64_t m_rate = 0;           //!< see SetRates()
    uint64_t m_load = 0;           //!< see SetRates()
    FluidWork m_served = 0;        //!< see GetServed()
    FluidWork m_carried = 0;       //!< what all queues have carried until the last settling
    std::vector<Ending> m_endings; //!< a heap
    std::size_t m_limited = 0;     //!< number of queues that it limits
    uint64_t m_next = NEVER;       //!< see GetNext()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLUID_SIDE_H
