// SPDX-License-Identifier: GPL-2.0-only

#include "frame-engine.h"

#include "frame-simulator-impl.h"
#include "ns3-compat.h"

#include "ns3/abort.h"
#include "ns3/event-id.h"
#include "ns3/global-value.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdlib>
#include <string>

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FrameEngine");

namespace
{

/** The global value that names the engine. */
const char* const ENGINE_VALUE = "SimulatorImplementationType";

/** @return whether the environment names the engine */
bool
IsEngineInEnvironment()
{
    const char* values = std::getenv("NS_GLOBAL_VALUE");
    // a list NAME=VALUE;NAME=VALUE
    return values && (";" + std::string(values)).find(";" + std::string(ENGINE_VALUE) + "=") !=
                         std::string::npos;
}

} // namespace

bool
IsSimulatorStarted()
{
    // An event at the end of time has expired only if there is no engine to ask.
    const Ptr<EventImpl> event(MakeEvent([]() {}), false);
    return !Simulator::IsExpired(
        EventId(event, UINT64_MAX, Simulator::NO_CONTEXT, compat::FIRST_EVENT_UID));
}

void
UseFrameEngine()
{
    NS_LOG_FUNCTION_NOARGS();
    const std::string ours = FrameSimulatorImpl::GetTypeId().GetName();
    StringValue value;
    GlobalValue::GetValueByName(ENGINE_VALUE, value);
    const bool isDefault = value.Get() == "ns3::DefaultSimulatorImpl" && !IsEngineInEnvironment();
    if (!isDefault && value.Get() != ours)
    {
        NS_LOG_INFO("the user chose " << value.Get());
        return;
    }
    NS_ABORT_MSG_IF(IsSimulatorStarted() && FrameSimulatorImpl::Get() == nullptr,
                    "UseFrameEngine: the simulator runs already, with another engine than "
                        << ours << ": call UseFrameEngine() before anything that calls Simulator");
    GlobalValue::Bind(ENGINE_VALUE, StringValue(ours));
}

} // namespace ns3::llm
