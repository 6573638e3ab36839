// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_ERROR_MODEL_LOSS_H
#define LLM_FABRIC_ERROR_MODEL_LOSS_H

#include "frame-loss.h"

#include "ns3/error-model.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Asks an ErrorModel of ns-3, with a packet of the frame's wire size and no content.
 *
 * Such a model draws from a stream, frame after frame: its results depend on the order of the frames
 * that ask it.
 */
class ErrorModelLoss : public FrameLoss
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  private:
    void DoBegin() override;
    bool DoIsLost(const Frame& frame, uint64_t tick) override;
    void DoDispose() override;

    Ptr<ErrorModel> m_model; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_ERROR_MODEL_LOSS_H
