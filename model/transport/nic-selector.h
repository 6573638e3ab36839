// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NIC_SELECTOR_H
#define LLM_FABRIC_NIC_SELECTOR_H

#include "message-transport.h"
#include "rdma-config.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::llm
{

class RdmaNic;

/**
 * @ingroup llm-fabric-transport
 * Chooses the NIC of an accelerator that sends a message.
 */
class NicSelector
{
  public:
    /**
     * @param policy how to choose
     * @param nics of the accelerator, by number
     */
    NicSelector(MessageSpread policy, const std::vector<RdmaNic*>& nics);

    /** @param message the message @return number of the NIC that sends it */
    std::size_t Choose(const Message& message);

    /** @return NICs of the accelerator, by number */
    const std::vector<RdmaNic*>& GetNics() const
    {
        return m_nics;
    }

  private:
    /** @return the NIC with the least payload that is not acknowledged; the first one of several */
    std::size_t FindLeastQueued() const;

    MessageSpread m_policy;       //!< how to choose
    std::vector<RdmaNic*> m_nics; //!< by number
    uint64_t m_next = 0;          //!< whose turn it is
};

} // namespace ns3::llm

#endif // LLM_FABRIC_NIC_SELECTOR_H
