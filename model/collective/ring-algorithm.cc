// SPDX-License-Identifier: GPL-2.0-only

#include "ring-algorithm.h"

#include "ns3/boolean.h"
#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("RingAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(RingAlgorithm);

namespace
{

/** How the rings of the channels lie in the group. */
struct RingShape
{
    uint32_t channels = 1;        //!< parallel rings
    bool isBidirectional = false; //!< every other one goes the other way round
    uint32_t block = 1;           //!< ranks of a domain, which each channel enters at another one
};

/**
 * @param accelerators of each rank
 * @param locality gives the domains; may be null
 * @return how many ranks of each domain follow each other; a group where they do not, or where
 *         domains have different numbers of ranks, is refused
 */
uint32_t
GetBlockSize(const std::vector<uint32_t>& accelerators, Ptr<const Locality> locality)
{
    const auto domainOf = [&](uint32_t rank)
    {
        return locality ? locality->GetDomain(accelerators[rank]) : rank;
    };
    const auto size = static_cast<uint32_t>(accelerators.size());
    uint32_t block = 1;
    while (block < size && domainOf(block) == domainOf(0))
    {
        ++block;
    }
    std::set<uint32_t> seen;
    for (uint32_t rank = 0; rank < size; ++rank)
    {
        const bool isFirst = rank % block == 0;
        const bool fits =
            isFirst ? seen.insert(domainOf(rank)).second : domainOf(rank) == domainOf(rank - 1);
        if (!fits || size % block != 0)
        {
            RefuseInput(
                "RotateInDomains of ns3::llm::RingAlgorithm: rank " + std::to_string(rank) +
                " (accelerator " + std::to_string(accelerators[rank]) + ", domain " +
                std::to_string(domainOf(rank)) + ") of " + std::to_string(size) +
                "; the ranks of a domain must follow each other, and all domains must have " +
                std::to_string(block) + " as the first one has");
        }
    }
    return block;
}

/** The steps of a ring, by formula. */
class RingProgram : public StepProgram
{
  public:
    /**
     * @param request the operation
     * @param size number of ranks
     * @param shape of the rings
     */
    RingProgram(const CollectiveRequest& request, uint32_t size, const RingShape& shape)
        : m_size(size),
          m_channels(size > 1 ? shape.channels : 0),
          m_shape(shape),
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
        const uint32_t seat = GetSeat(channel, rank);
        const uint32_t next = sends ? (seat + 1) % m_size : (seat + m_size - 1) % m_size;
        step.peer = GetRank(channel, next);
        // Step n moves chunk r - 1 - n of the sending seat r, so that chunk r is complete at seat r
        // after N - 1 steps, and step N - 1 is the first that sends it on.
        const uint32_t sender = sends ? seat : next;
        const uint32_t part = GetRank(channel, (sender + 2 * m_size - 1 - number) % m_size);
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
     * The seat of a rank in a channel's ring, where all go from seat to seat + 1.
     * @param channel the channel
     * @param rank a rank
     * @return its seat
     */
    uint32_t GetSeat(uint32_t channel, uint32_t rank) const
    {
        const uint32_t turn = m_shape.block - channel % m_shape.block;
        const uint32_t seat = Turn(rank, turn);
        return IsReversed(channel) ? (m_size - seat) % m_size : seat;
    }

    /** @param channel the channel @param seat a seat of its ring @return the rank there */
    uint32_t GetRank(uint32_t channel, uint32_t seat) const
    {
        return Turn(IsReversed(channel) ? (m_size - seat) % m_size : seat, channel);
    }

    /** @param channel a channel @return whether it goes the other way round */
    bool IsReversed(uint32_t channel) const
    {
        return m_shape.isBidirectional && channel % 2 == 1;
    }

    /** @param place of a rank @param by how many places @return the place, turned in its domain */
    uint32_t Turn(uint32_t place, uint32_t by) const
    {
        const uint32_t inDomain = place % m_shape.block;
        return place - inDomain + (inDomain + by) % m_shape.block;
    }

    uint32_t m_size;      //!< number of ranks
    uint32_t m_channels;  //!< parallel rings; none in a group of one
    RingShape m_shape;    //!< how they lie
    uint64_t m_bytes;     //!< the whole buffer
    uint32_t m_firstStep; //!< first of the steps of an all-reduce that is done
    uint32_t m_endStep;   //!< the one after the last
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
            .AddAttribute("RotateInDomains",
                          "Whether channel c enters each HB domain at its c-th rank, so that the "
                          "channels use the NICs of all ranks; the ranks of a domain must follow "
                          "each other in the group, equally many in each domain",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RingAlgorithm::m_isRotated),
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
                           Ptr<const Locality> locality) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    const auto size = static_cast<uint32_t>(accelerators.size());
    CheckSupport(request, size);
    if (request.operation == CollectiveOperation::BROADCAST ||
        request.operation == CollectiveOperation::REDUCE)
    {
        return std::make_shared<ChainProgram>(request, size, m_channels, m_chainMessage);
    }
    RingShape shape;
    shape.channels = m_channels;
    shape.isBidirectional = m_isBidirectional;
    shape.block = m_isRotated ? GetBlockSize(accelerators, locality) : 1;
    return std::make_shared<RingProgram>(request, size, shape);
}

} // namespace ns3::llm
