// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CONTROL_BENCH_H
#define LLM_FABRIC_CONTROL_BENCH_H

#include "ns3/rdma-congestion-control.h"

#include "ns3/double.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * A congestion control driven by its hooks alone, without a network.
 */

namespace ns3::llm
{

/**
 * A queue pair's state and the hooks of its control.
 * @tparam Control the control
 * @tparam State what it keeps
 */
template <typename Control, typename State>
class ControlBench
{
  public:
    static constexpr uint64_t US = 1000000; //!< ticks of a microsecond

    /**
     * @param rate of the line, Gb/s
     * @param baseRtt of the path, us
     * @param mtu payload of a full frame
     */
    explicit ControlBench(double rate = 100, double baseRtt = 10, uint32_t mtu = 1000)
        : control(CreateObject<Control>()),
          hooks(PeekPointer(control))
    {
        info.lineRateBps = rate * 1e9;
        info.baseRttTicks = static_cast<uint64_t>(baseRtt * US);
        info.mtuBytes = mtu;
        info.frameOverheadBytes = 82;
        Start();
    }

    /** Begin anew. */
    void Start()
    {
        decision = CongestionDecision();
        decision.rateBps = info.lineRateBps;
        hooks->Start(&state, info, decision);
    }

    /** Set an attribute and begin anew. @param name its name @param value its value */
    void Set(const std::string& name, const AttributeValue& value)
    {
        control->SetAttribute(name, value);
        Start();
    }

    /** Set an attribute and begin anew. @param name its name @param value its value */
    void Set(const std::string& name, double value)
    {
        Set(name, DoubleValue(value));
    }

    /** @param now ps */
    void CatchUp(uint64_t now)
    {
        if (now >= decision.deadlineTicks)
        {
            hooks->OnDeadline(&state, info, now, decision);
        }
    }

    /** @param now ps */
    void Cnp(uint64_t now)
    {
        CatchUp(now);
        hooks->OnCnp(&state, info, now, decision);
    }

    /** @param now ps */
    void Loss(uint64_t now)
    {
        CatchUp(now);
        hooks->OnLoss(&state, info, now, decision);
    }

    /** @param now ps */
    void Timeout(uint64_t now)
    {
        CatchUp(now);
        hooks->OnTimeout(&state, info, now, decision);
    }

    /** @param now ps @param ack what the acknowledgment says */
    void Ack(uint64_t now, const AckSignal& ack)
    {
        CatchUp(now);
        hooks->OnAck(&state, info, now, ack, decision);
    }

    /** @return rate, Gb/s */
    double Rate() const
    {
        return decision.rateBps / 1e9;
    }

    Ptr<Control> control;               //!< the control
    const RdmaCongestionControl* hooks; //!< its hooks
    QueuePairInfo info;                 //!< the queue pair
    CongestionDecision decision;        //!< in force
    State state;                        //!< set by Start()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CONTROL_BENCH_H
