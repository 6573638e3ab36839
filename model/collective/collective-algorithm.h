// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_COLLECTIVE_ALGORITHM_H
#define LLM_FABRIC_COLLECTIVE_ALGORITHM_H

#include "collective-operation.h"
#include "step-program.h"

#include "ns3/locality.h"
#include "ns3/object.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * Turns an operation of a group into a step program.
 *
 * To add one: derive, give it a TypeId, and name that TypeId in Communicator's `Algorithm` attribute.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Create the algorithm that a setting names.
     * @param name its TypeId, if need be with attributes: "ns3::llm::RingAlgorithm[Channels=2]";
     *        any other text is refused with the allowed ones
     * @param user whose setting it is, for the message
     * @return the algorithm; null for "auto" and ""
     */
    static Ptr<const CollectiveAlgorithm> CreateByName(const std::string& name,
                                                       const std::string& user);

    /**
     * @param request the operation
     * @return whether this algorithm can do it
     */
    virtual bool Supports(const CollectiveRequest& request) const = 0;

    /**
     * @param request the operation
     * @param accelerators the group: accelerator of each rank
     * @param locality what is known of the cluster; may be null
     * @return the program
     */
    virtual std::shared_ptr<const StepProgram>
    MakeProgram(const CollectiveRequest& request,
                const std::vector<uint32_t>& accelerators,
                Ptr<const Locality> locality) const = 0;

  protected:
    /**
     * Refuse a request that this algorithm does not support or that makes no sense, naming what it
     * does.
     * @param request the operation
     * @param size number of ranks
     */
    void CheckSupport(const CollectiveRequest& request, uint32_t size) const;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_COLLECTIVE_ALGORITHM_H
