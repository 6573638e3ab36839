// SPDX-License-Identifier: GPL-2.0-only

#include "error-model-loss.h"

#include "ns3/input-error.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(ErrorModelLoss);

TypeId
ErrorModelLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::ErrorModelLoss")
            .SetParent<FrameLoss>()
            .SetGroupName("LlmFabric")
            .AddConstructor<ErrorModelLoss>()
            .AddAttribute("ErrorModel",
                          "Who is asked. As a default it is one object for all directions.",
                          PointerValue(),
                          MakePointerAccessor(&ErrorModelLoss::m_model),
                          MakePointerChecker<ErrorModel>());
    return tid;
}

void
ErrorModelLoss::DoDispose()
{
    m_model = nullptr;
    FrameLoss::DoDispose();
}

void
ErrorModelLoss::DoBegin()
{
    if (!m_model)
    {
        RefuseInput(
            "ns3::llm::ErrorModelLoss::ErrorModel is not set; give it an ErrorModel, such as "
            "ns3::RateErrorModel[ErrorRate=0.001|ErrorUnit=ERROR_UNIT_PACKET]");
    }
}

bool
ErrorModelLoss::DoIsLost(const Frame& frame, uint64_t)
{
    return m_model->IsCorrupt(Create<Packet>(frame.wireBytes));
}

} // namespace ns3::llm
