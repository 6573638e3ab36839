// SPDX-License-Identifier: GPL-2.0-only

#include "point-to-point-algorithm.h"

#include "ns3/log.h"

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("PointToPointAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(PointToPointAlgorithm);

namespace
{

/** One lane at each of the two ranks: the message, by rendezvous after an empty one the other way. */
class PointToPointProgram : public StepProgram
{
  public:
    /** @param request the operation */
    explicit PointToPointProgram(const CollectiveRequest& request)
        : m_request(request)
    {
    }

    uint32_t GetSize() const override
    {
        return 2;
    }

    uint32_t GetLaneCount(uint32_t) const override
    {
        return 1;
    }

    uint32_t GetLaneLength(uint32_t, uint32_t) const override
    {
        return m_request.rendezvous ? 2 : 1;
    }

    Step GetStep(uint32_t rank, uint32_t, uint32_t index) const override
    {
        const bool asks = m_request.rendezvous && index == 0;
        Step step;
        step.kind = (rank == m_request.root) != asks ? Step::SEND : Step::RECEIVE;
        step.peer = 1 - rank;
        step.bytes = asks ? 0 : m_request.bytes;
        return step;
    }

  private:
    CollectiveRequest m_request; //!< the operation
};

} // namespace

TypeId
PointToPointAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::PointToPointAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<PointToPointAlgorithm>();
    return tid;
}

bool
PointToPointAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == CollectiveOperation::POINT_TO_POINT;
}

std::shared_ptr<const StepProgram>
PointToPointAlgorithm::MakeProgram(const CollectiveRequest& request,
                                   const std::vector<uint32_t>& accelerators,
                                   Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    CheckSupport(request, static_cast<uint32_t>(accelerators.size()));
    return std::make_shared<PointToPointProgram>(request);
}

} // namespace ns3::llm
