// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COMPUTE_PROGRESS_H
#define LLM_FABRIC_COMPUTE_PROGRESS_H

#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * How far a compute task is whose accelerator lends a share of itself to collectives: it goes on at
 * rate 1 - share while one runs, at rate 1 otherwise. So a task of time g takes
 * T = g + share x c, where c is the time of its run in which some collective ran.
 *
 * The two sums of time that it keeps are whole picoseconds; only the end is rounded, to the nearest.
 */
class ComputeProgress
{
  public:
    /**
     * @param share what collectives hold of the accelerator, from 0 to below 1
     */
    explicit ComputeProgress(double share = 0);

    /**
     * Begin a task.
     * @param now the time
     * @param work its time on an accelerator of its own
     * @param shared whether a collective runs
     */
    void Begin(Time now, Time work, bool shared);
    /**
     * Collectives have begun or ended.
     * @param now the time, not before the last call's
     * @param shared whether one runs from now on
     */
    void SetShared(Time now, bool shared);
    /** @return when the task ends if nothing changes */
    Time GetEnd() const;

  private:
    double m_share;        //!< what collectives hold
    Time m_work;           //!< time of the task on an accelerator of its own
    Time m_since;          //!< when the last change was
    Time m_alone;          //!< time that the task has run alone until then
    Time m_beside;         //!< time that it has run beside collectives until then
    bool m_shared = false; //!< whether a collective runs
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COMPUTE_PROGRESS_H
