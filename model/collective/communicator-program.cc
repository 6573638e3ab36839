// SPDX-License-Identifier: GPL-2.0-only

// Which steps a communicator's ranks take, and whether these do what the operation is.

#include "chunked-program.h"
#include "communicator.h"
#include "operation-text.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

std::shared_ptr<const StepProgram>
Communicator::MakeProgram(const CollectiveRequest& request) const
{
    // nearly always all ranks ask for the same one after the other
    if (!m_lastProgram || !AreEqual(m_lastRequest, request))
    {
        m_lastProgram = ChooseProgram(request);
        m_lastRequest = request;
    }
    return m_lastProgram;
}

void
Communicator::CheckCall(uint32_t rank, uint64_t instance, const CollectiveRequest& request)
{
    if (!m_checksCalls || GetSize() == 1)
    {
        return;
    }
    const auto [place, isFirst] = m_calls.emplace(instance, Call{request, rank, 0});
    Call& call = place->second;
    if (!isFirst && !AreEqual(call.request, request))
    {
        RefuseInput(m_name + ": the ranks' " + DescribeOrdinal(instance) + " operations differ: " +
                    DescribeRank(call.rank) + " does " + DescribeCall(call.request) + ", " +
                    DescribeRank(rank) + " does " + DescribeCall(request) +
                    "; all ranks must start the same operations in the same order");
    }
    if (++call.ranks == GetSize())
    {
        m_calls.erase(place);
    }
}

std::shared_ptr<ContributionCheck>
Communicator::GetCheck(uint64_t instance, const CollectiveRequest& request)
{
    if (!m_checksContributions)
    {
        return nullptr;
    }
    SharedCheck& shared = m_checks[instance];
    if (!shared.check)
    {
        shared.check = std::make_shared<ContributionCheck>(request, MakeProgram(request));
    }
    return shared.check;
}

void
Communicator::RefuseFault(uint64_t instance,
                          const CollectiveRequest& request,
                          const std::string& fault) const
{
    if (!fault.empty())
    {
        RefuseInput(m_name + ", " + DescribeRequest(request) + " (the " +
                    DescribeOrdinal(instance) + "): " + fault +
                    "; the algorithm does not do what the operation is");
    }
}

std::shared_ptr<const StepProgram>
Communicator::ChooseProgram(const CollectiveRequest& request) const
{
    auto program = ChooseAlgorithm(request)->MakeProgram(request, m_accelerators, m_locality);
    if (m_chunkBytes == 0)
    {
        return program;
    }
    return std::make_shared<ChunkedProgram>(std::move(program), m_chunkBytes);
}

Ptr<const CollectiveAlgorithm>
Communicator::ChooseAlgorithm(const CollectiveRequest& request) const
{
    if (m_chosen && m_chosen->Supports(request))
    {
        return m_chosen;
    }
    // whoever names an algorithm for collectives also sends from stage to stage
    if (m_chosen && request.operation != CollectiveOperation::POINT_TO_POINT)
    {
        RefuseInput("Algorithm \"" + m_algorithmName + "\" of " + m_name + " does not do " +
                    llm::GetName(request.operation) + "; choose auto or an algorithm that does");
    }
    if (!m_chooser)
    {
        m_chooser = std::make_shared<AlgorithmChooser>(m_accelerators, m_locality);
    }
    return m_chooser->Choose(request, GetStepCosts());
}

void
Communicator::CallSwitches(uint32_t rank,
                           uint64_t instance,
                           const Step& step,
                           const StepProgram& program)
{
    const auto [group, isNew] = m_reductionGroups.try_emplace(step.group, 0);
    if (isNew)
    {
        std::vector<uint32_t> members;
        for (const uint32_t member : program.GetGroup(step.group))
        {
            members.push_back(m_accelerators[member]);
        }
        group->second = m_transport->MakeGroup(m_id, members);
    }
    Message call;
    call.bytes = step.bytes;
    call.owner = m_id;
    call.instance = static_cast<uint32_t>(instance % MessageTransport::INSTANCES);
    call.place = step.place;
    if (step.kind == Step::REDUCE)
    {
        call.source = m_accelerators[rank];
        call.destination = step.peer == Step::EVERY ? EVERY_MEMBER : m_accelerators.at(step.peer);
        m_transport->Reduce(group->second, call);
    }
    else
    {
        call.source = m_accelerators.at(step.peer);
        call.destination = m_accelerators[rank];
        m_transport->Multicast(group->second, call);
    }
}

} // namespace ns3::llm
