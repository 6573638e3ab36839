// SPDX-License-Identifier: GPL-2.0-only

#include "file-algorithm.h"

#include "program-file.h"

#include "ns3/input-error.h"
#include "ns3/log.h"
#include "ns3/string.h"

namespace ns3::llm
{

NS_LOG_COMPONENT_DEFINE("FileAlgorithm");

NS_OBJECT_ENSURE_REGISTERED(FileAlgorithm);

TypeId
FileAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::llm::FileAlgorithm")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("LlmFabric")
                            .AddConstructor<FileAlgorithm>()
                            .AddAttribute("File",
                                          "The file that holds the program, as doc/collective.rst "
                                          "describes it",
                                          StringValue(""),
                                          MakeStringAccessor(&FileAlgorithm::m_name),
                                          MakeStringChecker());
    return tid;
}

const ProgramFile&
FileAlgorithm::GetFile() const
{
    if (!m_file)
    {
        m_file = ProgramFile::Read(m_name);
    }
    return *m_file;
}

bool
FileAlgorithm::Supports(const CollectiveRequest& request) const
{
    return request.operation == GetFile().GetOperation();
}

std::shared_ptr<const StepProgram>
FileAlgorithm::MakeProgram(const CollectiveRequest& request,
                           const std::vector<uint32_t>& accelerators,
                           Ptr<const Locality>) const
{
    NS_LOG_FUNCTION(this << GetName(request.operation) << request.bytes << accelerators.size());
    CheckSupport(request, static_cast<uint32_t>(accelerators.size()));
    const ProgramFile& file = GetFile();
    if (accelerators.size() != file.GetSize() || request.root != file.GetRoot())
    {
        RefuseInput(file.GetSource() + " is for " + std::to_string(file.GetSize()) +
                    " ranks and root " + std::to_string(file.GetRoot()) + "; the group has " +
                    std::to_string(accelerators.size()) + " ranks and the operation root " +
                    std::to_string(request.root));
    }
    return file.MakeProgram(request);
}

} // namespace ns3::llm
