// SPDX-License-Identifier: GPL-2.0-only

#include "ring-algorithm.h"

#include "ns3/boolean.h"
#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("RingAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(RingAlgorithm);

namespace
{

/** The steps of a ring, by formula. */
class RingProgram : public StepProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     * @param channels number of parallel rings
     * @param isBidirectional whether every other one goes the other way round
     */
    RingProgram(const CollectiveRequest& request,
                uint32_t size,
                uint32_t channels,
                bool isBidirectional)
        : m_size(size),
          m_channels(size > 1 ? channels : 0),
          m_isBidirectional(isBidirectional),
          m_bytes(request.bytes)
    {
        m_firstStep = request.operation == CollectiveOperation::ALL_GATHER ? size - 1 : 0;
        m_endStep =
            request.operation == CollectiveOperation::REDUCE_SCATTER ? size - 1 : 2 * (size - 1);
    }

    uint32_t GetSize() const override
    {
        return m_size;
    }

    uint32_t GetLaneCount(uint32_t) const override
    {
        return 2 * m_channels;
    }

    uint32_t GetLaneLength(uint32_t, uint32_t) const override
    {
        return m_endStep - m_firstStep;
    }

    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override
    {
        const uint32_t channel = lane / 2;
        const uint32_t number = m_firstStep + index; // among the 2 (N - 1) of an all-reduce
        Step step;
        step.kind = lane % 2 == 0 ? Step::SEND : Step::RECEIVE;
        const bool sends = step.kind == Step::SEND;
        const uint32_t seat = Seat(channel, rank);
        const uint32_t next = sends ? (seat + 1) % m_size : (seat + m_size - 1) % m_size;
        step.peer = Seat(channel, next);
        // Step n moves chunk r - 1 - n of the sending seat r, so that chunk r is complete at seat r
        // after N - 1 steps, and step N - 1 is the first that sends it on.
        const uint32_t sender = sends ? seat : next;
        const uint32_t part = Seat(channel, (sender + 2 * m_size - 1 - number) % m_size);
        step.chunk = channel * m_size + part;
        const BufferRange slice = GetPart(GetPart({0, m_bytes}, m_size, part), m_channels, channel);
        step.begin = slice.begin;
        step.bytes = slice.bytes;
        step.reduce = !sends && number < m_size - 1;
        step.flow = channel;
        step.place = channel * 2 * (m_size - 1) + number;
        if (sends && index > 0)
        {
            step.dependencyLane = lane + 1;
            step.dependencyIndex = index - 1;
        }
        return step;
    }

    bool FindReceive(uint32_t rank,
                     uint32_t peer,
                     uint32_t place,
                     uint32_t& lane,
                     uint32_t& index) const override
    {
        const uint32_t steps = 2 * (m_size - 1);
        lane = 2 * (place / steps) + 1;
        index = place % steps - m_firstStep;
        return lane < GetLaneCount(rank) && index < GetLaneLength(rank, lane) &&
               GetStep(rank, lane, index).peer == peer;
    }

  private:
    /**
     * The seat of a rank in a channel's ring, where all go from seat to seat + 1; and the other way,
     * as the function is its own inverse.
     * @param channel the channel
     * @param rank a rank or seat
     * @return its seat or rank
     */
    uint32_t Seat(uint32_t channel, uint32_t rank) const
    {
        return m_isBidirectional && channel % 2 == 1 ? (m_size - rank) % m_size : rank;
    }

    uint32_t m_size;        //!< number of ranks
    uint32_t m_channels;    //!< parallel rings; none in a group of one
    bool m_isBidirectional; //!< every other ring goes the other way round
    uint64_t m_bytes;       //!< the whole buffer
    uint32_t m_firstStep;   //!< first of the steps of an all-reduce that is done
    uint32_t m_endStep;     //!< the one after the last
};

/** Broadcast or reduce along a chain, by formula. */
class ChainProgram : public StepProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     * @param channels number of parallel chains
     * @param messageBytes largest message
     */
    ChainProgram(const CollectiveRequest& request,
                 uint32_t size,
                 uint32_t channels,
                 uint64_t messageBytes)
        : m_request(request),
          m_size(size),
          m_channels(size > 1 ? channels : 0)
    {
        const uint64_t share = (request.bytes + channels - 1) / channels;
        const uint64_t messages = std::max<uint64_t>(1, (share + messageBytes - 1) / messageBytes);
        if (messages * channels > UINT32_MAX)
        {
            RefuseInput("ChainMessage " + std::to_string(messageBytes) + " cuts " +
                        GetName(request.operation) + " of " + std::to_string(request.bytes) +
                        " bytes into " + std::to_string(messages) +
                        " messages a channel; give it a larger one");
        }
        m_messages = static_cast<uint32_t>(messages);
    }

    uint32_t GetSize() const override
    {
        return m_size;
    }

    uint32_t GetLaneCount(uint32_t) const override
    {
        return 2 * m_channels;
    }

    uint32_t GetLaneLength(uint32_t rank, uint32_t lane) const override
    {
        const uint32_t seat = GetSeat(rank);
        return (lane % 2 == 0 ? seat + 1 < m_size : seat > 0) ? m_messages : 0;
    }

    Step GetStep(uint32_t rank, uint32_t lane, uint32_t index) const override
    {
        const uint32_t channel = lane / 2;
        const bool sends = lane % 2 == 0;
        const bool reduces = m_request.operation == CollectiveOperation::REDUCE;
        Step step;
        step.kind = sends ? Step::SEND : Step::RECEIVE;
        step.reduce = !sends && reduces;
        step.peer = (sends != reduces ? rank + 1 : rank + m_size - 1) % m_size;
        step.flow = channel;
        step.place = channel * m_messages + index;
        step.chunk = step.place;
        const BufferRange range =
            GetPart(GetPart({0, m_request.bytes}, m_channels, channel), m_messages, index);
        step.begin = range.begin;
        step.bytes = range.bytes;
        if (sends && GetSeat(rank) > 0)
        {
            step.dependencyLane = lane + 1;
            step.dependencyIndex = index;
        }
        return step;
    }

    bool FindReceive(uint32_t rank,
                     uint32_t peer,
                     uint32_t place,
                     uint32_t& lane,
                     uint32_t& index) const override
    {
        lane = 2 * (place / m_messages) + 1;
        index = place % m_messages;
        return lane < GetLaneCount(rank) && index < GetLaneLength(rank, lane) &&
               GetStep(rank, lane, index).peer == peer;
    }

  private:
    /** @param rank a rank @return how many come before it in the chain */
    uint32_t GetSeat(uint32_t rank) const
    {
        const uint32_t behindRoot = (rank + m_size - m_request.root) % m_size;
        const bool reduces = m_request.operation == CollectiveOperation::REDUCE;
        return reduces ? m_size - 1 - behindRoot : behindRoot;
    }

    CollectiveRequest m_request; //!< the operation
    uint32_t m_size;             //!< number of ranks
    uint32_t m_channels;         //!< parallel chains; none in a group of one
    uint32_t m_messages;         //!< of each channel, one after the other
};

} // namespace

TypeId
RingAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RingAlgorithm")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("LlmFabric")
            .AddConstructor<RingAlgorithm>()
            .AddAttribute("Channels",
                          "Number of parallel rings; each has its own queue pairs and an equal "
                          "part of the buffer",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RingAlgorithm::m_channels),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("Bidirectional",
                          "Whether every other channel goes round the other way",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RingAlgorithm::m_isBidirectional),
                          MakeBooleanChecker())
            .AddAttribute("ChainMessage",
                          "Broadcast and reduce: largest message, in bytes; those of a channel "
                          "follow each other along the ring",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&RingAlgorithm::m_chainMessage),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

bool
RingAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_REDUCE ||
           request.operation == CollectiveOperation::ALL_GATHER ||
           request.operation == CollectiveOperation::REDUCE_SCATTER ||
           request.operation == CollectiveOperation::BROADCAST ||
           request.operation == CollectiveOperation::REDUCE;
}

std::shared_ptr<const StepProgram>
RingAlgorithm::MakeProgram(const CollectiveRequest& request,
                           const std::vector<uint32_t>& accelerators,
                           Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    if (request.operation == CollectiveOperation::BROADCAST ||
        request.operation == CollectiveOperation::REDUCE)
    {
        return std::make_shared<ChainProgram>(request, size, m_channels, m_chainMessage);
    }
    return std::make_shared<RingProgram>(request, size, m_channels, m_isBidirectional);
}

} // namespace ns3::llm
