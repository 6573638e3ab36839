// SPDX-License-Identifier: GPL-2.0-only

// Which steps a communicator's ranks take, and whether these do what the operation is.

#include "communicator.h"
#include "operation-text.h"

#include "ns3/input-error.h"

namespace ns3::llm
{

std::shared_ptr<const StepProgram>
Communicator::MakeProgram(const CollectiveRequest& request) const
{
    // nearly always all ranks ask for the same one after the other
    const bool isLast = m_lastProgram && m_lastRequest.operation == request.operation &&
                        m_lastRequest.bytes == request.bytes &&
                        m_lastRequest.root == request.root &&
                        m_lastRequest.matrix == request.matrix;
    if (!isLast)
    {
        m_lastProgram = ChooseProgram(request);
        m_lastRequest = request;
    }
    return m_lastProgram;
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
    if (m_chosen && m_chosen->Supports(request))
    {
        return m_chosen->MakeProgram(request, m_accelerators, m_locality);
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
    return m_chooser->Choose(request, GetStepCosts())
        ->MakeProgram(request, m_accelerators, m_locality);
}

void
Communicator::CallSwitches(uint32_t rank, uint64_t instance, const Step& step)
{
    if (m_reductionGroup == UINT32_MAX)
    {
        m_reductionGroup = m_transport->MakeGroup(m_id, m_accelerators);
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
        m_transport->Reduce(m_reductionGroup, call);
    }
    else
    {
        call.source = m_accelerators.at(step.peer);
        call.destination = m_accelerators[rank];
        m_transport->Multicast(m_reductionGroup, call);
    }
}

} // namespace ns3::llm
