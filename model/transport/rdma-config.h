// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_CONFIG_H
#define LLM_FABRIC_RDMA_CONFIG_H

#include <array>
#include <cstdint>

namespace ns3::llm
{

class RdmaCongestionControl;
class RdmaLossRecovery;

/** Number of priorities that messages may have at their sender. */
constexpr uint32_t MESSAGE_PRIORITIES = 8;

/**
 * @ingroup llm-fabric-transport
 * How a NIC shares its port among priorities.
 */
enum class RdmaScheduling : uint8_t
{
    ROUND_ROBIN, //!< priorities do not matter
    WEIGHTED,    //!< by weight
    STRICT,      //!< the highest goes first
};

/**
 * @ingroup llm-fabric-transport
 * Which of several equal things gets a message: queue pairs of a flow, NICs of an accelerator.
 */
enum class MessageSpread : uint8_t
{
    AFFINITY,     //!< the one of the message's flow
    ROUND_ROBIN,  //!< in turn
    HASH,         //!< by a hash of the message's place
    LEAST_QUEUED, //!< the one with the least payload that is not acknowledged
};

/**
 * @ingroup llm-fabric-transport
 * Sizes and kinds of frames, and times, of a transport; constant during a run.
 */
struct RdmaConfig
{
    uint32_t mtuBytes = 4096;             //!< payload of a full frame
    uint32_t dataOverheadBytes = 82;      //!< wire bytes of a data frame beyond its payload
    uint32_t firstOverheadBytes = 16;     //!< further wire bytes of a write's first frame (RETH)
    uint32_t framesPerWrite = UINT32_MAX; //!< a longer message is several writes
    uint32_t ackBytes = 86;               //!< wire bytes of an ACK or NACK
    uint32_t cnpBytes = 98;               //!< wire bytes of a CNP
    uint32_t framesPerAck = 1;     //!< in-order frames per ACK; the last of a write always has one
    bool acksMarkChange = false;   //!< an ACK also when marks begin or end
    uint8_t dataClass = 3;         //!< traffic class of data and ACKs
    uint8_t controlClass = 6;      //!< traffic class of CNPs
    uint64_t cnpIntervalTicks = 0; //!< at most one CNP per queue pair in this time, ps
    uint64_t timeoutTicks = 0;     //!< retransmission timeout, ps
    uint32_t maxTimeouts = 7;      //!< timeouts in a row before a queue pair gives up
    bool hasTelemetry = false;     //!< data frames collect telemetry, which ACKs echo
    uint32_t reorderFrames = 0;    //!< kept from the first missing one on; 0: taken in order only
    uint32_t reorderDepth = 0;     //!< no NACK for a frame that is so many ahead or fewer
    uint64_t nackIntervalTicks =
        0; //!< in order only: a gap is reported again after this, ps; 0: no
    uint64_t shortTimeoutTicks = 0; //!< timeout with fewer than fewFrames unacknowledged, ps
    uint32_t fewFrames = 0;         //!< see shortTimeoutTicks
    uint64_t setupTicks = 0;        //!< a queue pair's first frame waits so long, ps
    uint64_t maxOutstandingBytes = UINT64_MAX; //!< payload unacknowledged of a queue pair, at most
    uint64_t nicOutstandingBytes = UINT64_MAX; //!< payload unacknowledged of a NIC, at most
    uint32_t queuePairs = 1;                   //!< per (source, destination, owner, flow, priority)
    MessageSpread queuePairSpread = MessageSpread::ROUND_ROBIN; //!< messages over these
    MessageSpread nicSpread = MessageSpread::AFFINITY; //!< messages over NICs of an accelerator
    RdmaScheduling scheduling = RdmaScheduling::ROUND_ROBIN; //!< of a NIC's queue pairs
    std::array<uint32_t, MESSAGE_PRIORITIES> weights{1, 1, 1, 1, 1, 1, 1, 1}; //!< see WEIGHTED
    const RdmaCongestionControl* control = nullptr; //!< congestion control
    const RdmaLossRecovery* recovery = nullptr; //!< loss recovery; nullptr (tests): in order only
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_CONFIG_H
