// SPDX-License-Identifier: GPL-2.0-only

#include "bench-plan.h"

#include "ns3/rdma-congestion-control.h"
#include "ns3/type-id.h"

#include <algorithm>

namespace ns3::llm::bench
{

namespace
{

/** A scheduler for ns-3's engine, measured where it exists. */
constexpr const char* RADIX_SCHEDULER = "ns3::llm::RadixScheduler";

/** @param workload its name @param hosts of the fat-tree @return it with the usual settings */
Scenario
Make(const std::string& workload, uint32_t hosts)
{
    Scenario scenario;
    scenario.workload = workload;
    scenario.hosts = hosts;
    return scenario;
}

/** Add a row, and after it the same in reference mode. @param scenario the row @param plan gets both */
void
AddInBothModes(Scenario scenario, std::vector<Scenario>& plan)
{
    plan.push_back(scenario);
    scenario.isReferenceMode = true;
    plan.push_back(scenario);
}

/** Add what differs from a workload in one setting. @param base the workload @param plan gets it */
void
AddVariants(const Scenario& base, std::vector<Scenario>& plan)
{
    Scenario observed = base;
    observed.isObserved = true;
    plan.push_back(observed);
    for (const std::string& control : FindOtherControls())
    {
        Scenario other = base;
        other.control = control;
        plan.push_back(other);
    }
    Scenario engine = base;
    engine.engine = DEFAULT_ENGINE;
    plan.push_back(engine);
    TypeId radix;
    if (TypeId::LookupByNameFailSafe(RADIX_SCHEDULER, &radix))
    {
        engine.scheduler = RADIX_SCHEDULER;
        plan.push_back(engine);
    }
}

/** Add what takes longer. @param plan gets it */
void
AddFullRows(std::vector<Scenario>& plan)
{
    for (const std::string workload : {"shift", "incast", "all-to-all", "ring"})
    {
        Scenario fast = Make(workload, 128);
        fast.gigabits = 400;
        plan.push_back(fast);
    }
    for (const std::string workload : {"incast", "all-to-all", "ring"})
    {
        plan.push_back(Make(workload, 1024));
    }
    for (const uint32_t hosts : {54, 250, 432, 686}) // of full fat-trees, as 16, 128 and 1024 are
    {
        plan.push_back(Make("shift", hosts));
    }
    plan.push_back(Make("fluid", 256)); // 65,280 transfers at once
    for (const uint32_t queuePairs : {1, 11, 93, 1023})
    {
        Scenario flows = Make("flows", 128);
        flows.queuePairs = queuePairs;
        plan.push_back(flows);
    }
}

} // namespace

std::vector<Scenario>
MakePlan(Extent extent)
{
    const std::vector<std::string> workloads = {"shift", "incast", "all-to-all", "ring"};
    std::vector<Scenario> plan;
    if (extent == Extent::QUICK)
    {
        for (const std::string& workload : workloads)
        {
            AddInBothModes(Make(workload, 16), plan);
        }
        AddInBothModes(Make("lock-step", 16), plan);
        AddVariants(Make("shift", 16), plan);
        return plan;
    }
    for (const std::string& workload : workloads)
    {
        plan.push_back(Make(workload, 16));
    }
    for (const std::string& workload : workloads)
    {
        AddInBothModes(Make(workload, 128), plan);
    }
    plan.push_back(Make("shift", 1024));
    AddInBothModes(Make("lock-step", 1024), plan);
    AddVariants(Make("shift", 128), plan);
    if (extent == Extent::FULL)
    {
        AddFullRows(plan);
    }
    return plan;
}

std::vector<std::string>
FindOtherControls()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(RdmaCongestionControl::GetTypeId()) && type.HasConstructor() &&
            type.GetName() != USUAL_CONTROL)
        {
            names.push_back(type.GetName());
        }
    }
    std::sort(names.begin(), names.end()); // the registry has the order of linking
    return names;
}

std::string
ShortName(const std::string& type)
{
    const auto colon = type.rfind(':');
    return colon == std::string::npos ? type : type.substr(colon + 1);
}

std::string
DescribeVariant(const Scenario& scenario)
{
    const Scenario usual;
    std::string text;
    auto add = [&text](const std::string& part)
    {
        text += (text.empty() ? "" : ", ") + part;
    };
    if (scenario.isReferenceMode)
    {
        add("reference mode");
    }
    if (scenario.gigabits != usual.gigabits)
    {
        add(std::to_string(scenario.gigabits) + " Gb/s");
    }
    if (scenario.workload == "flows")
    {
        add(std::to_string(scenario.queuePairs) + " queue pairs a NIC");
    }
    if (scenario.isObserved)
    {
        add("observed");
    }
    if (scenario.control != usual.control)
    {
        add(ShortName(scenario.control));
    }
    if (scenario.engine != usual.engine)
    {
        add(ShortName(scenario.engine) + ", " + ShortName(scenario.scheduler));
    }
    return text;
}

} // namespace ns3::llm::bench
