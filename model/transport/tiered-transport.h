// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TIERED_TRANSPORT_H
#define LLM_FABRIC_TIERED_TRANSPORT_H

#include "locality.h"
#include "message-transport.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Sends messages within an HB domain by one transport (scale-up) and all others by another one
 * (scale-out). Owners are made known to both and called by them directly.
 */
class TieredTransport : public MessageTransport
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    TieredTransport();
    ~TieredTransport() override;

    /**
     * Set what the transport is made of; once, before owners are set.
     * @param locality tells the domains, which are read here
     * @param scaleUp carries messages within a domain; null if nothing does
     * @param scaleOut carries messages between domains; null if nothing does
     */
    void Setup(Ptr<const Locality> locality,
               Ptr<MessageTransport> scaleUp,
               Ptr<MessageTransport> scaleOut);

    /**
     * Send a message. One for which there is no transport is refused, naming both accelerators.
     * @param message the message
     */
    void Send(const Message& message) override;
    void SetOwner(uint32_t owner, MessageCallback delivered, MessageCallback acknowledged) override;
    // a group of one domain reduces there, any other one over the network between domains:
    // no group does both
    uint32_t MakeGroup(uint32_t owner, const std::vector<uint32_t>& members) override;
    void Reduce(uint32_t group, const Message& call) override;
    void Multicast(uint32_t group, const Message& call) override;

    /** @return what carries messages within a domain, or null */
    Ptr<MessageTransport> GetScaleUp() const;
    /** @return what carries messages between domains, or null */
    Ptr<MessageTransport> GetScaleOut() const;

  protected:
    void DoDispose() override;

  private:
    std::vector<uint32_t> m_domains;  //!< by accelerator
    Ptr<MessageTransport> m_scaleUp;  //!< within a domain
    Ptr<MessageTransport> m_scaleOut; //!< between domains
    /** By handle: which transport has the group, and as what. */
    std::vector<std::pair<Ptr<MessageTransport>, uint32_t>> m_groups;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TIERED_TRANSPORT_H
