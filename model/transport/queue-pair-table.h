// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_QUEUE_PAIR_TABLE_H
#define LLM_FABRIC_QUEUE_PAIR_TABLE_H

#include "message-transport.h"
#include "send-queue-pair.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3::llm
{

class RdmaTransport;

/**
 * @ingroup llm-fabric-transport
 * The sending queue pairs of a NIC: by number, and by what they are for.
 *
 * There are RdmaConfig::queuePairs of them per (destination, owner, flow, priority), each made when its
 * first message comes.
 */
class QueuePairTable
{
  public:
    /** Most queue pairs of a NIC: RoCEv2 has numbers of 24 bits and keeps two of them. */
    static constexpr std::size_t MAX_QUEUE_PAIRS = (1u << Frame::NUMBER_BITS) - 2;

    /**
     * @param transport what knows paths
     * @param terminal the NIC's terminal
     * @param config of the transport; outlives the table
     */
    QueuePairTable(const RdmaTransport* transport, uint32_t terminal, const RdmaConfig& config);

    /**
     * Find the queue pair of a message, or make it.
     * @param message the message
     * @param destination terminal
     * @param isNew set to whether it was made
     * @return the queue pair
     */
    SendQueuePair& Find(const Message& message, uint32_t destination, bool& isNew);

    /** @return number of queue pairs */
    std::size_t GetSize() const
    {
        return m_queuePairs.size();
    }

    /** @param index number of a queue pair @return it */
    SendQueuePair& operator[](std::size_t index) const
    {
        return *m_queuePairs[index];
    }

    /** @copydoc operator[]() */
    const SendQueuePair& At(std::size_t index) const
    {
        return *m_queuePairs.at(index);
    }

  private:
    /** Destination, owner, flow and priority. */
    using FlowKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

    /** Queue pairs that are for the same. */
    struct Flow
    {
        std::vector<uint32_t> numbers; //!< of its queue pairs, or ABSENT
        uint64_t next = 0;             //!< whose turn it is
    };

    static constexpr uint32_t ABSENT = UINT32_MAX; //!< not yet made

    /** @param flow a flow @param message one of its messages @return which queue pair takes it */
    std::size_t Choose(Flow& flow, const Message& message) const;
    /** @param message the first of the queue pair @param destination terminal @param place of the
     * queue pair in its flow @return its number */
    uint32_t Make(const Message& message, uint32_t destination, std::size_t place);

    const RdmaTransport* m_transport;                         //!< knows paths
    const uint32_t m_terminal;                                //!< of the NIC
    const RdmaConfig& m_config;                               //!< of the transport
    std::vector<std::unique_ptr<SendQueuePair>> m_queuePairs; //!< by number
    std::map<FlowKey, Flow> m_flows;                          //!< by what they are for
    std::map<uint32_t, uint32_t> m_pairs;                     //!< queue pairs per destination
};

} // namespace ns3::llm

#endif // LLM_FABRIC_QUEUE_PAIR_TABLE_H
