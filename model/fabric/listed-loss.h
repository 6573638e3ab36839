// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_LISTED_LOSS_H
#define LLM_FABRIC_LISTED_LOSS_H

#include "frame-loss.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Loses chosen frames: by number and attempt, in every queue pair that has such a frame, or by their
 * place among the frames of this direction that are of the kinds that may be lost.
 */
class ListedLoss : public FrameLoss
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool NeedsOrder() const override
    {
        return false;
    }

  private:
    void DoBegin() override;
    bool DoIsLost(const Frame& frame, uint64_t tick) override;

    std::string m_text;                              //!< attribute
    std::set<std::pair<uint64_t, uint8_t>> m_frames; //!< (PSN, attempt)
    std::set<uint64_t> m_places;                     //!< from 1
    uint64_t m_count = 0;                            //!< frames so far
};

} // namespace ns3::llm

#endif // LLM_FABRIC_LISTED_LOSS_H
