// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LONE_SENDER_H
#define LLM_FABRIC_LONE_SENDER_H

#include "ns3/no-congestion-control.h"
#include "ns3/send-queue-pair.h"

#include <cstdint>
#include <memory>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * The sending end of a queue pair, without a NIC.
 */

namespace ns3::llm
{

/** A queue pair without a NIC. */
class LoneSender
{
  public:
    static constexpr uint32_t MTU = 1000; //!< payload of a full frame

    /** @param recovery decides what is sent again; nullptr: in order only */
    explicit LoneSender(Ptr<RdmaLossRecovery> recovery = nullptr)
        : control(CreateObject<NoCongestionControl>()),
          recovery(recovery)
    {
        config.mtuBytes = MTU;
        config.recovery = PeekPointer(recovery);
        if (recovery)
        {
            recovery->Configure(config);
        }
        config.control = PeekPointer(control);
        QueuePairInfo info;
        info.lineRateBps = 100e9;
        info.mtuBytes = MTU;
        info.frameOverheadBytes = config.dataOverheadBytes;
        pair = std::make_unique<SendQueuePair>(config, 5, 9, 2, 0xabcd, 77, info);
    }

    /** @param bytes payload @param place see Message */
    void Post(uint64_t bytes, uint32_t place = 0)
    {
        Message message;
        message.bytes = bytes;
        message.owner = 3;
        message.instance = 4;
        message.place = place;
        pair->Post(message);
    }

    /** @param now ps @return the next frame */
    Frame Next(uint64_t now = 0)
    {
        Frame frame{};
        pair->FillNext(frame, now);
        return frame;
    }

    /** @param count frames to send */
    void Skip(uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            Next();
        }
    }

    /** @param psn next expected @return payload newly acknowledged */
    uint64_t Acknowledge(uint64_t psn)
    {
        return pair->Acknowledge(psn, completed);
    }

    Ptr<NoCongestionControl> control;    //!< leaves rate and window alone
    Ptr<RdmaLossRecovery> recovery;      //!< if any
    RdmaConfig config;                   //!< sizes
    std::unique_ptr<SendQueuePair> pair; //!< under test
    std::vector<Message> completed;      //!< by Acknowledge()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LONE_SENDER_H
