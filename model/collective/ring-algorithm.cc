// SPDX-License-Identifier: GPL-2.0-only

#include "ring-algorithm.h"

#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

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
     */
    RingProgram(const CollectiveRequest& request, uint32_t size, uint32_t channels)
        : m_size(size),
          m_channels(size > 1 ? channels : 0),
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
        step.peer = sends ? (rank + 1) % m_size : (rank + m_size - 1) % m_size;
        // Step n moves chunk r - 1 - n of the sending rank r, so that chunk r is complete at rank r
        // after N - 1 steps, and step N - 1 is the first that sends it on.
        const uint32_t sender = sends ? rank : step.peer;
        const uint32_t part = (sender + 2 * m_size - 1 - number) % m_size;
        step.chunk = channel * m_size + part;
        step.bytes = GetChunkBytes(step.chunk);
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

  private:
    /**
     * @param chunk a chunk
     * @return its size in bytes
     */
    uint64_t GetChunkBytes(uint64_t chunk) const
    {
        const uint64_t count = static_cast<uint64_t>(m_size) * m_channels;
        return m_bytes / count + (chunk < m_bytes % count ? 1 : 0);
    }

    uint32_t m_size;      //!< number of ranks
    uint32_t m_channels;  //!< parallel rings; none in a group of one
    uint64_t m_bytes;     //!< the whole buffer
    uint32_t m_firstStep; //!< first of the steps of an all-reduce that is done
    uint32_t m_endStep;   //!< the one after the last
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
                          MakeUintegerChecker<uint32_t>(1, 64));
    return tid;
}

bool
RingAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::ALL_REDUCE ||
           request.operation == CollectiveOperation::ALL_GATHER ||
           request.operation == CollectiveOperation::REDUCE_SCATTER;
}

std::shared_ptr<const StepProgram>
RingAlgorithm::MakeProgram(const CollectiveRequest& request,
                           const std::vector<uint32_t>& accelerators,
                           Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    if (!Supports(request) || accelerators.empty())
    {
        RefuseInput("ns3::llm::RingAlgorithm cannot do " + GetName(request.operation) + " among " +
                    std::to_string(accelerators.size()) +
                    " ranks; it does all-reduce, all-gather and reduce-scatter among 1 or more");
    }
    return std::make_shared<RingProgram>(request,
                                         static_cast<uint32_t>(accelerators.size()),
                                         m_channels);
}

} // namespace ns3::llm
