// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_CONGESTION_CONTROL_H
#define LLM_FABRIC_RDMA_CONGESTION_CONTROL_H

#include "ns3/hop-telemetry.h"

#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * What a congestion control may know of a queue pair; constant while the queue pair lives.
 */
struct QueuePairInfo
{
    double lineRateBps = 0;          //!< rate of the NIC's link, bit/s
    uint64_t baseRttTicks = 0;       //!< round-trip time of a full frame on the idle path, ps
    uint32_t mtuBytes = 0;           //!< payload of a full frame
    uint32_t frameOverheadBytes = 0; //!< wire bytes of a data frame beyond its payload
    uint32_t forwardHops = 0;        //!< switches on the way of its first frame; 0: unknown

    /** @param chosen a time that goes before the path's, ps; 0: none @return round-trip time, ps */
    double GetBaseTicks(uint64_t chosen = 0) const
    {
        return static_cast<double>(chosen != 0 ? chosen : baseRttTicks);
    }

    /** @param chosen see GetBaseTicks() @return bandwidth-delay product: wire bytes that the line sends
     * in a round trip */
    double GetPathBytes(uint64_t chosen = 0) const
    {
        return lineRateBps * GetBaseTicks(chosen) / 8e12;
    }
};

/**
 * @ingroup llm-fabric-transport
 * What a congestion control decides. Kept per queue pair; a hook changes what it wants to.
 */
struct CongestionDecision
{
    /** No deadline. */
    static constexpr uint64_t NEVER = UINT64_MAX;

    double rateBps = 0; //!< pacing of wire bytes, bit/s; above the line rate means unpaced
    uint64_t windowBytes = UINT64_MAX; //!< cap on unacknowledged payload; one frame may always go
    uint64_t deadlineTicks = NEVER;    //!< when OnDeadline() is due next, absolute ps
};

/**
 * @ingroup llm-fabric-transport
 * What an acknowledgment tells.
 */
struct AckSignal
{
    /** The receiver does not say. */
    static constexpr uint64_t UNKNOWN = UINT64_MAX;

    uint64_t ackedBytes = 0;            //!< payload newly acknowledged (0: duplicate)
    uint64_t inFlightBytes = 0;         //!< payload still unacknowledged afterwards
    uint64_t rttTicks = 0;              //!< since the acknowledged frame's transmission began, ps
    uint64_t ackedPsn = 0;              //!< next PSN the receiver expects
    uint64_t nextPsn = 0;               //!< next PSN the sender will send for the first time
    bool ecnEcho = false;               //!< the frame that it answers was marked
    uint64_t markedBytes = UNKNOWN;     //!< of the payload newly acknowledged, what arrived marked
    uint64_t remoteDelayTicks = 0;      //!< of the RTT, what passed in the receiving host, ps
    uint32_t forwardHops = 0;           //!< switches that the frame passed; 0: unknown
    uint32_t hopCount = 0;              //!< entries of `hops`
    const HopTelemetry* hops = nullptr; //!< of its switches in order, if NeedsTelemetry()

    /** @return markedBytes or, where unknown, all or nothing by the echo */
    uint64_t GetMarkedBytes() const
    {
        return markedBytes != UNKNOWN ? markedBytes : ecnEcho ? ackedBytes : 0;
    }
};

/**
 * @ingroup llm-fabric-transport
 * Decides how fast a queue pair sends. To add a control, derive from
 * RdmaCongestionControlOf<State>, give the class a TypeId, and name it in RdmaTransport's
 * `CongestionControl` attribute.
 *
 * One object serves every queue pair of its configuration and does not change during a run: what
 * changes lies in a trivially copyable state per queue pair. Hooks schedule nothing and keep no
 * pointers. A deadline is served when the queue pair next looks at its rate, at the latest when a
 * frame waits for it, so an idle queue pair costs nothing: OnDeadline() must catch up to `now`.
 */
class RdmaCongestionControl : public Object
{
  public:
    /** Largest state of a queue pair, bytes. */
    static constexpr std::size_t MAX_STATE_BYTES = 256;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return size of the state of a queue pair, at most MAX_STATE_BYTES */
    virtual std::size_t GetStateSize() const = 0;

    /** @return whether AckSignal::hops is to be filled; constant while the control lives */
    virtual bool NeedsTelemetry() const
    {
        return false;
    }

    /** @return wire bytes that telemetry adds to each data frame and to each ACK that echoes it */
    virtual uint32_t GetTelemetryBytes() const
    {
        return 0;
    }

    /**
     * A queue pair begins (or is reset): set its state and its first decision.
     * @param state memory for the state
     * @param info the queue pair
     * @param decision at first line rate, no window, no deadline
     */
    virtual void
    Start(void* state, const QueuePairInfo& info, CongestionDecision& decision) const = 0;
    /**
     * An acknowledgment came in.
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param ack what it says
     * @param decision the decision in force, to be changed
     */
    virtual void OnAck(void* state,
                       const QueuePairInfo& info,
                       uint64_t now,
                       const AckSignal& ack,
                       CongestionDecision& decision) const = 0;
    /**
     * A congestion notification came in.
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void OnCnp(void* state,
                       const QueuePairInfo& info,
                       uint64_t now,
                       CongestionDecision& decision) const = 0;
    /**
     * Frames were lost: a NACK came in.
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void OnLoss(void* state,
                        const QueuePairInfo& info,
                        uint64_t now,
                        CongestionDecision& decision) const = 0;
    /**
     * Nothing was acknowledged for a retransmission timeout.
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void OnTimeout(void* state,
                           const QueuePairInfo& info,
                           uint64_t now,
                           CongestionDecision& decision) const = 0;
    /**
     * The deadline has passed. Do what was due at it and at any later deadline up to `now`, then
     * set the next one (after `now`, or NEVER).
     * @param state the state
     * @param info the queue pair
     * @param now ps, at or after the deadline
     * @param decision the decision in force, to be changed
     */
    virtual void OnDeadline(void* state,
                            const QueuePairInfo& info,
                            uint64_t now,
                            CongestionDecision& decision) const = 0;
};

/**
 * @ingroup llm-fabric-transport
 * Base of a control with the given state: derive from it and override the typed hooks that matter.
 * @tparam State a trivially copyable struct; default-constructed when a queue pair begins
 */
template <typename State>
class RdmaCongestionControlOf : public RdmaCongestionControl
{
    static_assert(std::is_trivially_copyable_v<State>, "a queue pair's state is copied as bytes");
    static_assert(sizeof(State) <= MAX_STATE_BYTES, "a queue pair's state is too large");

  protected:
    /**
     * A queue pair begins; does nothing unless overridden. See Start().
     * @param state the state
     * @param info the queue pair
     * @param decision the decision in force, to be changed
     */
    virtual void DoStart([[maybe_unused]] State& state,
                         [[maybe_unused]] const QueuePairInfo& info,
                         [[maybe_unused]] CongestionDecision& decision) const
    {
    }

    /**
     * An acknowledgment came in; does nothing unless overridden. See OnAck().
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param ack what it says
     * @param decision the decision in force, to be changed
     */
    virtual void DoAck([[maybe_unused]] State& state,
                       [[maybe_unused]] const QueuePairInfo& info,
                       [[maybe_unused]] uint64_t now,
                       [[maybe_unused]] const AckSignal& ack,
                       [[maybe_unused]] CongestionDecision& decision) const
    {
    }

    /**
     * A congestion notification came in; does nothing unless overridden. See OnCnp().
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void DoCnp([[maybe_unused]] State& state,
                       [[maybe_unused]] const QueuePairInfo& info,
                       [[maybe_unused]] uint64_t now,
                       [[maybe_unused]] CongestionDecision& decision) const
    {
    }

    /**
     * Frames were lost; does nothing unless overridden. See OnLoss().
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void DoLoss([[maybe_unused]] State& state,
                        [[maybe_unused]] const QueuePairInfo& info,
                        [[maybe_unused]] uint64_t now,
                        [[maybe_unused]] CongestionDecision& decision) const
    {
    }

    /**
     * A timeout has passed; does nothing unless overridden. See OnTimeout().
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void DoTimeout([[maybe_unused]] State& state,
                           [[maybe_unused]] const QueuePairInfo& info,
                           [[maybe_unused]] uint64_t now,
                           [[maybe_unused]] CongestionDecision& decision) const
    {
    }

    /**
     * The deadline has passed; takes it back unless overridden. See OnDeadline().
     * @param state the state
     * @param info the queue pair
     * @param now ps
     * @param decision the decision in force, to be changed
     */
    virtual void DoDeadline([[maybe_unused]] State& state,
                            [[maybe_unused]] const QueuePairInfo& info,
                            [[maybe_unused]] uint64_t now,
                            CongestionDecision& decision) const
    {
        decision.deadlineTicks = CongestionDecision::NEVER;
    }

  private:
    std::size_t GetStateSize() const final
    {
        return sizeof(State);
    }

    void Start(void* state, const QueuePairInfo& info, CongestionDecision& decision) const final
    {
        DoStart(*new (state) State(), info, decision);
    }

    void OnAck(void* state,
               const QueuePairInfo& info,
               uint64_t now,
               const AckSignal& ack,
               CongestionDecision& decision) const final
    {
        DoAck(*static_cast<State*>(state), info, now, ack, decision);
    }

    void OnCnp(void* state,
               const QueuePairInfo& info,
               uint64_t now,
               CongestionDecision& decision) const final
    {
        DoCnp(*static_cast<State*>(state), info, now, decision);
    }

    void OnLoss(void* state,
                const QueuePairInfo& info,
                uint64_t now,
                CongestionDecision& decision) const final
    {
        DoLoss(*static_cast<State*>(state), info, now, decision);
    }

    void OnTimeout(void* state,
                   const QueuePairInfo& info,
                   uint64_t now,
                   CongestionDecision& decision) const final
    {
        DoTimeout(*static_cast<State*>(state), info, now, decision);
    }

    void OnDeadline(void* state,
                    const QueuePairInfo& info,
                    uint64_t now,
                    CongestionDecision& decision) const final
    {
        DoDeadline(*static_cast<State*>(state), info, now, decision);
    }
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_CONGESTION_CONTROL_H
