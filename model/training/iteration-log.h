// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ITERATION_LOG_H
#define LLM_FABRIC_ITERATION_LOG_H

#include "rank-account.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * An iteration of a job. It lasts from when the last rank has finished the one before until the last
 * rank has finished it.
 */
struct IterationRecord
{
    Time start;            //!< when the last rank had finished the iteration before
    Time end;              //!< when the last rank has finished this one
    uint32_t ranks = 0;    //!< how many ranks have finished it
    RankAccount sum;       //!< sum of the accounts of these ranks
    uint32_t lastRank = 0; //!< the rank that finished last (the lowest of several)
    RankAccount last;      //!< its account
};

/**
 * @ingroup llm-fabric-training
 * Where the time of all ranks went, by iteration (summed over ranks) and by rank (summed over
 * iterations).
 *
 * A rank's iteration begins where it finished its last one, and its parts add up to it exactly. What
 * a rank waits at the end of the run, done before the last one, is booked as bubble of its last
 * iteration by Close(), so that the parts of every rank add up to the time of the job exactly.
 */
class IterationLog
{
  public:
    /**
     * Begin.
     * @param ranks number of ranks
     * @param iterations number of iterations
     * @param now begin of the first iteration
     */
    void Open(uint32_t ranks, uint32_t iterations, Time now);
    /**
     * A rank has finished an iteration.
     * @param rank the rank
     * @param iteration which, counted from 0
     * @param account where its time went
     * @param now the time
     */
    void Add(uint32_t rank, uint32_t iteration, const RankAccount& account, Time now);
    /**
     * All ranks have finished.
     * @param now the time
     */
    void Close(Time now);

    /** @return the iterations; those that no rank has finished have `ranks` 0 */
    const std::vector<IterationRecord>& GetIterations() const;
    /** @return by rank: where its time went, over all iterations that it finished */
    const std::vector<RankAccount>& GetRanks() const;

  private:
    std::vector<IterationRecord> m_iterations; //!< by iteration
    std::vector<RankAccount> m_ranks;          //!< by rank
    std::vector<Time> m_ends;                  //!< by rank: end of the last iteration it finished
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ITERATION_LOG_H
