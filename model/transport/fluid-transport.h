// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLUID_TRANSPORT_H
#define LLM_FABRIC_FLUID_TRANSPORT_H

#include "message-transport.h"

#include "ns3/fluid-domain.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Carries messages between accelerators of one fluid HB domain; may serve many domains.
 *
 * Every (source, destination, owner, flow) is a queue of its FluidDomain. From Send() to the
 * delivered callback pass two ticks beside what the domain takes: one into it and one out of it.
 */
class FluidTransport : public MessageTransport
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    FluidTransport();
    ~FluidTransport() override;

    /**
     * Serve a domain.
     * @param domain the domain, after its Setup(); its callbacks are set here
     * @param accelerators for each of its ports the accelerator there; none may be in two domains
     */
    void AddDomain(Ptr<FluidDomain> domain, const std::vector<uint32_t>& accelerators);

    /**
     * Send a message. Ends that do not share a domain abort, named.
     * @param message the message
     */
    void Send(const Message& message) override;
    uint32_t MakeGroup(uint32_t owner, const std::vector<uint32_t>& members) override;
    void Reduce(uint32_t group, const Message& call) override;
    void Multicast(uint32_t group, const Message& call) override;

  protected:
    void DoDispose() override;

  private:
    /** Where an accelerator is. */
    struct Place
    {
        Ptr<FluidDomain> domain; //!< its domain
        uint32_t port = 0;       //!< its port there
    };

    /** A reduction group. */
    struct Group
    {
        Ptr<FluidDomain> domain; //!< its domain
        uint32_t number = 0;     //!< there
        uint32_t owner = 0;      //!< of its messages
    };

    /** @param transfer of a group, has come @param domain where @param port to which */
    void OnGroupDelivered(FluidDomain* domain, const FluidTransfer& transfer, uint32_t port);
    /** @param accelerator a member of the group @param group a group @return its port */
    uint32_t GetPort(uint32_t accelerator, const Group& group) const;
    /**
     * @param transfer what the domain has delivered
     */
    void OnDelivered(const FluidTransfer& transfer);
    /**
     * @param transfer what the domain has acknowledged
     */
    void OnAcknowledged(const FluidTransfer& transfer);

    std::map<uint32_t, Place> m_places; //!< by accelerator
    /** By domain: the accelerator at each port. */
    std::map<FluidDomain*, std::vector<uint32_t>> m_accelerators;
    std::vector<Group> m_groups;          //!< by handle
    std::vector<Message> m_messages;      //!< under way, by handle
    std::vector<uint64_t> m_freeMessages; //!< handles that may be used again
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLUID_TRANSPORT_H
