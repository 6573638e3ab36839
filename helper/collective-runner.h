// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_RUNNER_H
#define LLM_FABRIC_COLLECTIVE_RUNNER_H

#include "cluster.h"

#include "ns3/communicator.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * What came of an operation, beside what theory says.
 */
struct CollectiveOutcome
{
    Time time;                   //!< until the last rank was done
    Time ideal;                  //!< of the operation alone, see EvaluateIdealTime()
    Time bound;                  //!< payload over line rate: nothing beats it
    DataRate algorithmBandwidth; //!< S over time
    DataRate busBandwidth;       //!< as nccl-tests defines it
    std::string remark;          //!< why there was nothing to do, if so
};

/**
 * @ingroup llm-fabric-helper
 * Runs one operation of one group on a cluster; all ranks start at once.
 */
class CollectiveRunner
{
  public:
    /**
     * Start an operation. Simulator::Run() is the caller's.
     * @param cluster where
     * @param accelerators of each rank
     * @param request the operation
     * @param algorithm as Communicator's attribute Algorithm
     */
    CollectiveRunner(Ptr<Cluster> cluster,
                     const std::vector<uint32_t>& accelerators,
                     const CollectiveRequest& request,
                     const std::string& algorithm = "auto");

    /**
     * Start what each rank says that it calls. Ranks whose calls differ end the run, naming two of them
     * and what they call.
     * @param cluster where
     * @param accelerators of each rank
     * @param calls of each rank
     * @param algorithm as Communicator's attribute Algorithm
     */
    CollectiveRunner(Ptr<Cluster> cluster,
                     const std::vector<uint32_t>& accelerators,
                     const std::vector<CollectiveRequest>& calls,
                     const std::string& algorithm);

    /** @return number of ranks that are done */
    uint32_t GetDoneCount() const
    {
        return m_doneCount;
    }

    /** @return when the last rank so far was done */
    Time GetLastDone() const
    {
        return m_lastDone;
    }

    /** @return number of ranks */
    uint32_t GetSize() const
    {
        return m_communicator->GetSize();
    }

    /** @return what is open and what went wrong, a line each; none if all is well */
    std::vector<std::string> GetComplaints() const;

    /** @return what came of it; all ranks are done */
    CollectiveOutcome GetOutcome() const;

  private:
    /** A rank is done. */
    void RankDone();
    /** @param record of an operation that is complete at a rank */
    void NoteRecord(const OperationRecord& record);

    Ptr<Cluster> m_cluster;           //!< where
    CollectiveRequest m_request;      //!< the operation
    Ptr<Communicator> m_communicator; //!< the group
    uint32_t m_doneCount = 0;         //!< see GetDoneCount()
    Time m_lastDone;                  //!< when the last rank was done
    std::string m_remark;             //!< of the operation
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_RUNNER_H
