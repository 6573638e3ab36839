// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PORT_TRACES_H
#define LLM_FABRIC_PORT_TRACES_H

#include "port-tracer.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3::llm
{

class FabricPort;

/**
 * @ingroup llm-fabric-fabric
 * The trace sources of a port. They are made when the first sink connects: a port without sinks has
 * none, and pays nothing.
 */
class PortTraces : public PortTracer
{
  public:
    /** Of a frame: port, frame, bytes in the queue of its class, time. */
    using FrameTrace = TracedCallback<Ptr<const FabricPort>, const Frame&, uint32_t, Time>;
    /** Of a pause: port, class, whether it stops or goes on, time. */
    using PauseTrace = TracedCallback<Ptr<const FabricPort>, uint8_t, bool, Time>;
    /** Of a drop: port, frame, reason, time. */
    using DropTrace = TracedCallback<Ptr<const FabricPort>, const Frame&, DropReason, Time>;

    /** @param port whose traces they are */
    explicit PortTraces(const FabricPort* port)
        : m_port(port)
    {
    }

    void Enqueued(const Frame& frame, uint32_t queueBytes, uint64_t tick) override;
    void Dequeued(const Frame& frame, uint32_t queueBytes, uint64_t tick) override;
    void Marked(const Frame& frame, uint32_t queueBytes, uint64_t tick) override;
    void PauseSent(uint8_t trafficClass, bool isStop, uint64_t tick) override;
    void PauseReceived(uint8_t trafficClass, bool isStop, uint64_t tick) override;
    void Dropped(const Frame& frame, DropReason reason, uint64_t tick) override;

    FrameTrace enqueue;       //!< frames queued
    FrameTrace dequeue;       //!< frames that start
    FrameTrace mark;          //!< frames marked
    PauseTrace pauseSent;     //!< PFC frames sent
    PauseTrace pauseReceived; //!< PFC frames received
    DropTrace drop;           //!< frames lost

  private:
    const FabricPort* m_port; //!< whose traces they are
};

/**
 * @ingroup llm-fabric-fabric
 * @param source a trace source
 * @return what connects sinks to it, at any port
 */
Ptr<const TraceSourceAccessor> MakePortTraceAccessor(PortTraces::FrameTrace PortTraces::*source);
/** @copydoc MakePortTraceAccessor(PortTraces::FrameTrace PortTraces::*) */
Ptr<const TraceSourceAccessor> MakePortTraceAccessor(PortTraces::PauseTrace PortTraces::*source);
/** @copydoc MakePortTraceAccessor(PortTraces::FrameTrace PortTraces::*) */
Ptr<const TraceSourceAccessor> MakePortTraceAccessor(PortTraces::DropTrace PortTraces::*source);

} // namespace ns3::llm

#endif // LLM_FABRIC_PORT_TRACES_H
