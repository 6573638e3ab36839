// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_OPERATION_PROGRESS_H
#define LLM_FABRIC_OPERATION_PROGRESS_H

#include "send-credits.h"
#include "step-program.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * What steps cost beside the network.
 */
struct StepCosts
{
    Time latency;              //!< software latency before each send
    DataRate reductionRate{0}; //!< bits per second that a rank reduces; 0 is no limit
    Time launch;               //!< from a rank's call until its first step
};

/**
 * @ingroup llm-fabric-collective
 * @param step a step
 * @param costs what steps cost
 * @return how long the step takes once it can go
 */
Time GetStepCost(const Step& step, const StepCosts& costs);

/**
 * @ingroup llm-fabric-collective
 * How far one rank is in one operation: the interpreter of a step program.
 *
 * It reacts to what is known before the current tick only, so that the order of simultaneous events
 * does not matter.
 */
class OperationProgress
{
  public:
    /** No tick at all. */
    static constexpr int64_t NEVER = INT64_MAX;

    /** Told of a step that is done, by lane and place there; hands a chunk to the transport. */
    using StepFunction = std::function<void(uint32_t lane, uint32_t index, const Step& step)>;

    /**
     * @param program what to do
     * @param rank the rank's place in the group
     * @param tick from when on
     */
    OperationProgress(std::shared_ptr<const StepProgram> program, uint32_t rank, int64_t tick);

    /**
     * Note that a chunk has come.
     * @param peer who sent it
     * @param place the message's place
     * @param tick when it came; it is seen one tick later
     */
    void Arrive(uint32_t peer, uint32_t place, int64_t tick);

    /**
     * Do all steps that can be done. What becomes possible at once goes out in lane order.
     * @param tick now
     * @param costs what steps cost
     * @param credits of the rank: a send takes one when it begins
     * @param done called for each step that is done: what is to be sent goes out then
     */
    void
    Advance(int64_t tick, const StepCosts& costs, SendCredits& credits, const StepFunction& done);

    /** @return what it does */
    const StepProgram& GetProgram() const;
    /** @return when Advance() has something to do, as far as is known now; NEVER if unknown */
    int64_t GetWakeTick() const;
    /** @return whether a send waits for a credit */
    bool IsHeldUp() const;
    /** @return whether all lanes are at their end */
    bool IsDone() const;
    /** @return whether nothing has come that no step took */
    bool IsAllTaken() const;

    /**
     * Look for the step that a message is for.
     * @param peer who sent it
     * @param place the message's place
     * @param step set to the step
     * @return false when no step that is still to come waits for it
     */
    bool FindReceive(uint32_t peer, uint32_t place, Step& step) const;

    /** @return the receive steps, one a lane at most, that wait for a chunk now */
    std::vector<Step> GetAwaited() const;

  private:
    /** How far a lane is. */
    struct Lane
    {
        uint32_t next = 0;       //!< its next step
        uint32_t length = 0;     //!< its number of steps
        int64_t dueTick = NEVER; //!< when the next step is done, once it has begun
    };

    /**
     * Do what can be done in one lane.
     * @param lane which
     * @param tick now
     * @param costs what steps cost
     * @param credits a send takes one when it begins
     * @param done called for each step that is done: what is to be sent goes out then
     * @return whether a step was done
     */
    bool AdvanceLane(uint32_t lane,
                     int64_t tick,
                     const StepCosts& costs,
                     SendCredits& credits,
                     const StepFunction& done);
    /**
     * @param step the next step of a lane
     * @param tick now
     * @param credits a send takes one
     * @return whether it can begin: what it depends on is done, its chunk has come, it has a credit
     */
    bool Begin(const Step& step, int64_t tick, SendCredits& credits);
    /**
     * Take a chunk that has come.
     * @param step the receive step
     * @param tick now
     * @return false when it has not come before now
     */
    bool TakeArrival(const Step& step, int64_t tick);
    /**
     * @param step a step
     * @return whether what it depends on is done
     */
    bool IsFree(const Step& step) const;

    std::shared_ptr<const StepProgram> m_program; //!< what to do
    uint32_t m_rank;                              //!< place in the group
    std::vector<Lane> m_lanes;                    //!< by number
    uint32_t m_openLanes = 0;                     //!< lanes not at their end
    bool m_isHeldUp = false;                      //!< see IsHeldUp()
    int64_t m_wakeTick;                           //!< when Advance() has something to do
    /** What has come and no step took yet: (peer, place) -> tick. */
    std::map<std::pair<uint32_t, uint32_t>, int64_t> m_arrivals;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_OPERATION_PROGRESS_H
