// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RANDOM_LOSS_H
#define LLM_FABRIC_RANDOM_LOSS_H

#include "frame-loss.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Each frame is lost with the same probability, whatever its size.
 */
class RandomLoss : public FrameLoss
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsOrder() const override
    {
        return false;
    }

  private:
    bool DoIsLost(const Frame& frame, uint64_t tick) override;

    double m_rate; //!< attribute
};

/**
 * @ingroup llm-fabric-fabric
 * Each bit is wrong with the same probability, on its own; a frame with a wrong bit is lost: of n
 * wire bytes with 1 - (1 - rate)^(8 n). Preamble and gap count as the rest.
 */
class BitErrorLoss : public FrameLoss
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsOrder() const override
    {
        return false;
    }

  private:
    bool DoIsLost(const Frame& frame, uint64_t tick) override;

    double m_rate; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RANDOM_LOSS_H
