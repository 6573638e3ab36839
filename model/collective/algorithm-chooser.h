// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ALGORITHM_CHOOSER_H
#define LLM_FABRIC_ALGORITHM_CHOOSER_H

#include "collective-algorithm.h"
#include "operation-progress.h"

#include "ns3/locality.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Chooses an algorithm by operation, size, group and locality, as NCCL's tuner does: the least of
 * closed-form times, latency times messages in a row plus bytes over rate.
 *
 * All-reduce: ring, double binary tree, or in stages. All-gather and reduce-scatter: ring, PAT (if no two
 * ranks share an HB domain, as in NCCL) or in stages. In stages only if the group is a grid of several
 * domains and rails. All-to-all, gather and scatter are direct, broadcast and reduce go along a ring, a
 * barrier is Bruck's. Without a locality, or if all ties, it is the ring.
 *
 * Where switches reduce for the group, InSwitchAlgorithm is compared too, and does broadcast, reduce and
 * barrier.
 *
 * Latency and rate are those of one path inside a domain and one across, that of the first ranks. It
 * knows nothing of other traffic or of links that several ranks share.
 */
class AlgorithmChooser
{
  public:
    /**
     * @param accelerators of each rank
     * @param locality gives the paths; may be null
     */
    AlgorithmChooser(const std::vector<uint32_t>& accelerators, Ptr<const Locality> locality);

    /**
     * @param request an operation
     * @param costs of steps beside the network
     * @return the algorithm
     */
    Ptr<const CollectiveAlgorithm> Choose(const CollectiveRequest& request,
                                          const StepCosts& costs) const;

    /**
     * @param request an operation
     * @param costs of steps beside the network
     * @return by name: estimated seconds of each algorithm that comes into question
     */
    std::map<std::string, double> GetEstimates(const CollectiveRequest& request,
                                               const StepCosts& costs) const;

  private:
    /** What a message costs on a kind of path. */
    struct Way
    {
        double latency = 0;        //!< s, of an empty message
        double secondsPerByte = 0; //!< of further bytes
    };

    /** @param to a rank @return what messages from the first rank to it cost */
    Way Measure(uint32_t to) const;
    /** @param path a path @return what messages on it cost */
    static Way Measure(const Path& path);
    /** Learn what switches can do for the group. */
    void MeasureSwitches();
    /** @param request an operation @param costs of steps @return s that it takes in switches */
    double TimeInSwitches(const CollectiveRequest& request, const StepCosts& costs) const;
    /** @param way a kind of path @param bytes of a message @param costs of steps @return s */
    static double TimeOf(const Way& way, double bytes, const StepCosts& costs);

    std::vector<uint32_t> m_accelerators;                       //!< by rank
    Ptr<const Locality> m_locality;                             //!< may be null
    double m_size = 1;                                          //!< ranks
    double m_domains = 1;                                       //!< domains with ranks
    InSwitchReduction::Style m_style = InSwitchReduction::NONE; //!< how switches reduce
    uint32_t m_outstanding = 1; //!< calls of a group under way, if they do
    Way m_switched;             //!< of a reduction
    bool m_isGrid = false;      //!< several domains with the same several rails
    Way m_inside;               //!< between ranks of a domain
    Way m_across;               //!< between domains
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ALGORITHM_CHOOSER_H
