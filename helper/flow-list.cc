// SPDX-License-Identifier: GPL-2.0-only

#include "flow-list.h"

#include "line-fields.h"

#include "ns3/input-error.h"

#include <cmath>

namespace ns3::llm
{

namespace
{

/** Largest size that is taken. */
constexpr uint64_t MAX_BYTES = 1ull << 50;
/** Latest start that is taken, seconds: picoseconds in 64 bits last 106 days. */
constexpr double MAX_START = 1e6;
/** Relays double the number of a queue pair. */
constexpr uint32_t QUEUE_PAIRS = 1u << 30;

/**
 * @param flow a flow with a flow to wait for
 * @param first that flow
 * @return why it cannot wait so, or ""
 */
std::string
FindWaitProblem(const Flow& flow, const Flow& first)
{
    if (flow.afterState != FlowState::RECEIVED && flow.afterState != FlowState::ACKNOWLEDGED)
    {
        return "waits for flow " + std::to_string(flow.after) +
               "; it may wait until that is received or acknowledged";
    }
    const bool isReceived = flow.afterState == FlowState::RECEIVED;
    const uint32_t at = isReceived ? first.destination : first.source;
    if (flow.source == at)
    {
        return "";
    }
    return "starts at accelerator " + std::to_string(flow.source) + " when flow " +
           std::to_string(flow.after) + " is " + (isReceived ? "received" : "acknowledged") +
           " at accelerator " + std::to_string(at) +
           "; a flow can wait only for what happens at its source";
}

} // namespace

void
CheckFlows(const FlowList& flows, uint32_t accelerators)
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const Flow& flow = flows[i];
        std::string problem;
        if (flow.source >= accelerators || flow.destination >= accelerators)
        {
            problem = "goes from accelerator " + std::to_string(flow.source) + " to accelerator " +
                      std::to_string(flow.destination) + "; allowed are 0 to " +
                      std::to_string(accelerators - 1);
        }
        else if (flow.source == flow.destination)
        {
            problem = "goes from accelerator " + std::to_string(flow.source) + " to itself";
        }
        else if (flow.start.IsStrictlyNegative())
        {
            problem = "starts before the begin";
        }
        else if (flow.queuePair != Flow::OWN && flow.queuePair >= QUEUE_PAIRS)
        {
            problem = "has queue pair " + std::to_string(flow.queuePair) + "; allowed are 0 to " +
                      std::to_string(QUEUE_PAIRS - 1);
        }
        else if (flow.after != Flow::NONE && flow.after >= i)
        {
            problem = "waits for flow " + std::to_string(flow.after) +
                      "; a flow can wait only for one that stands before it";
        }
        else if (flow.after != Flow::NONE)
        {
            problem = FindWaitProblem(flow, flows[flow.after]);
        }
        if (!problem.empty())
        {
            RefuseInput("flow " + std::to_string(i) + " " + problem);
        }
    }
}

FlowList
ReadHpccFlows(const std::string& path, uint32_t accelerators)
{
    LineFields file("flow file", path);
    if (!file.Next())
    {
        RefuseInput(path + ": the file is empty; its first line has the number of flows");
    }
    file.Expect({"number of flows"});
    const uint64_t count = file.GetWhole(0, 0, UINT32_MAX - 1);
    FlowList flows;
    while (file.Next())
    {
        if (flows.size() == count)
        {
            file.Refuse("the first line says that there are " + std::to_string(count) +
                        " flows; this is one more");
        }
        file.Expect(
            {"source", "destination", "priority group", "port", "size [B]", "start time [s]"});
        Flow flow;
        flow.source = static_cast<uint32_t>(file.GetWhole(0, 0, accelerators - 1));
        flow.destination = static_cast<uint32_t>(file.GetWhole(1, 0, accelerators - 1));
        if (flow.source == flow.destination)
        {
            file.Refuse(1, "another accelerator than the source is allowed");
        }
        flow.group = static_cast<uint32_t>(file.GetWhole(2, 0, 7));
        file.GetWhole(3, 0, UINT16_MAX);
        flow.bytes = file.GetWhole(4, 1, MAX_BYTES);
        flow.start = PicoSeconds(std::llround(1e12 * file.GetNumber(5, 0, MAX_START)));
        flows.push_back(flow);
    }
    if (flows.size() < count)
    {
        RefuseInput(path + ": the first line says that there are " + std::to_string(count) +
                    " flows, but " + std::to_string(flows.size()) + " follow");
    }
    return flows;
}

} // namespace ns3::llm
