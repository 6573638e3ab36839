// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_HELPER_H
#define LLM_FABRIC_TRAINING_HELPER_H

#include "cluster.h"

#include "ns3/attribute.h"
#include "ns3/job-layout.h"
#include "ns3/locality.h"
#include "ns3/object-factory.h"
#include "ns3/parallel-strategy.h"
#include "ns3/ptr.h"
#include "ns3/training-job.h"
#include "ns3/training-report.h"
#include "ns3/transformer-workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Makes training jobs: from a workload (model, accelerator, strategy) and a cluster to a job that is
 * ready to start.
 */
class TrainingHelper
{
  public:
    TrainingHelper();

    /**
     * @param name an attribute of TrainingJob
     * @param value its value in the jobs made from now on
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Make a job with rank i on accelerator i.
     * @param workload what it computes
     * @param cluster where; its accelerators must be as many as the strategy has ranks, or more
     * @return the job, not started
     */
    Ptr<TrainingJob> Install(Ptr<const TransformerWorkload> workload, Ptr<Cluster> cluster) const;
    /**
     * Make a job with ranks anywhere, and slow ones if need be.
     * @param workload what it computes
     * @param layout who is where, with the groups of MakeLayout()
     * @param cluster where
     * @return the job, not started
     */
    Ptr<TrainingJob> Install(Ptr<const TransformerWorkload> workload,
                             const JobLayout& layout,
                             Ptr<Cluster> cluster) const;

    /**
     * @param strategy how a job is divided
     * @param accelerators accelerator of each rank; none means rank i on accelerator i
     * @return a layout with all groups of more than one rank, and the pairs of neighbors along PP
     *         and CP. Without EP there are no EDP groups, as they would be the DP groups
     */
    static JobLayout MakeLayout(const ParallelStrategy& strategy,
                                std::vector<uint32_t> accelerators = {});

    /**
     * Estimate the size of a simulation in closed form, for collectives that run as rings.
     * @param workload what is computed
     * @param layout who is where
     * @param locality gives the paths
     * @return frames x links of an iteration, data and acknowledgments, without retransmissions
     */
    static uint64_t EstimateHops(const Ptr<const TransformerWorkload>& workload,
                                 const JobLayout& layout,
                                 const Locality& locality);

    /**
     * @param workload a workload
     * @return what a report should say of it: model, padding, accelerator, strategy
     */
    static TrainingReport::Facts Describe(const TransformerWorkload& workload);

  private:
    ObjectFactory m_factory; //!< makes jobs
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_HELPER_H
