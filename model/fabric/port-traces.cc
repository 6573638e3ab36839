// SPDX-License-Identifier: GPL-2.0-only

#include "port-traces.h"

#include "fabric-port.h"

#include <string>

namespace ns3::llm
{

namespace
{

/** @param tick ps @return it as a time */
Time
ToTime(uint64_t tick)
{
    return PicoSeconds(static_cast<int64_t>(tick));
}

/**
 * Connects sinks to a trace source of a port.
 * @tparam Trace the type of the source
 */
template <typename Trace>
class PortTraceAccessor : public TraceSourceAccessor
{
  public:
    /** @param source the trace source */
    explicit PortTraceAccessor(Trace PortTraces::*source)
        : m_source(source)
    {
    }

    bool ConnectWithoutContext(ObjectBase* obj, const CallbackBase& cb) const override
    {
        auto port = dynamic_cast<FabricPort*>(obj);
        if (port)
        {
            (port->GetTraces().*m_source).ConnectWithoutContext(cb);
        }
        return port;
    }

    bool Connect(ObjectBase* obj, std::string context, const CallbackBase& cb) const override
    {
        auto port = dynamic_cast<FabricPort*>(obj);
        if (port)
        {
            (port->GetTraces().*m_source).Connect(cb, context);
        }
        return port;
    }

    bool DisconnectWithoutContext(ObjectBase* obj, const CallbackBase& cb) const override
    {
        auto port = dynamic_cast<FabricPort*>(obj);
        if (port)
        {
            (port->GetTraces().*m_source).DisconnectWithoutContext(cb);
        }
        return port;
    }

    bool Disconnect(ObjectBase* obj, std::string context, const CallbackBase& cb) const override
    {
        auto port = dynamic_cast<FabricPort*>(obj);
        if (port)
        {
            (port->GetTraces().*m_source).Disconnect(cb, context);
        }
        return port;
    }

  private:
    Trace PortTraces::*m_source; //!< the trace source
};

} // namespace

void
PortTraces::Enqueued(const Frame& frame, uint32_t queueBytes, uint64_t tick)
{
    enqueue(m_port, frame, queueBytes, ToTime(tick));
}

void
PortTraces::Dequeued(const Frame& frame, uint32_t queueBytes, uint64_t tick)
{
    dequeue(m_port, frame, queueBytes, ToTime(tick));
}

void
PortTraces::Marked(const Frame& frame, uint32_t queueBytes, uint64_t tick)
{
    mark(m_port, frame, queueBytes, ToTime(tick));
}

void
PortTraces::PauseSent(uint8_t trafficClass, bool isStop, uint64_t tick)
{
    pauseSent(m_port, trafficClass, isStop, ToTime(tick));
}

void
PortTraces::PauseReceived(uint8_t trafficClass, bool isStop, uint64_t tick)
{
    pauseReceived(m_port, trafficClass, isStop, ToTime(tick));
}

void
PortTraces::Dropped(const Frame& frame, DropReason reason, uint64_t tick)
{
    drop(m_port, frame, reason, ToTime(tick));
}

Ptr<const TraceSourceAccessor>
MakePortTraceAccessor(PortTraces::FrameTrace PortTraces::*source)
{
    return Create<PortTraceAccessor<PortTraces::FrameTrace>>(source);
}

Ptr<const TraceSourceAccessor>
MakePortTraceAccessor(PortTraces::PauseTrace PortTraces::*source)
{
    return Create<PortTraceAccessor<PortTraces::PauseTrace>>(source);
}

Ptr<const TraceSourceAccessor>
MakePortTraceAccessor(PortTraces::DropTrace PortTraces::*source)
{
    return Create<PortTraceAccessor<PortTraces::DropTrace>>(source);
}

} // namespace ns3::llm
