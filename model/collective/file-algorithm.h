// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FILE_ALGORITHM_H
#define LLM_FABRIC_FILE_ALGORITHM_H

#include "collective-algorithm.h"

#include <memory>
#include <string>

namespace ns3::llm
{

class ProgramFile;

/**
 * @ingroup llm-fabric-collective
 * An algorithm that is read from a file, so that a new one needs no C++.
 *
 * A file is JSON: the operation, the number of ranks, the number of chunks that the buffer is cut into,
 * and for each rank its lanes of steps (see doc/collective.rst). When it is read, it is tried without a
 * network: a file whose ranks wait for each other, or do not end with what the operation says, is
 * refused with the step in question.
 */
class FileAlgorithm : public CollectiveAlgorithm
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    bool Supports(const CollectiveRequest& request) const override;
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request,
                                                   const std::vector<uint32_t>& accelerators,
                                                   Ptr<const Locality> locality) const override;

  private:
    /** @return the file, read when first asked for */
    const ProgramFile& GetFile() const;

    std::string m_name;                                //!< of the file
    mutable std::shared_ptr<const ProgramFile> m_file; //!< what is in it
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FILE_ALGORITHM_H
