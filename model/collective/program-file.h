// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROGRAM_FILE_H
#define LLM_FABRIC_PROGRAM_FILE_H

#include "collective-operation.h"
#include "step-program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A collective program as a file says it, for any size of buffer.
 */
class ProgramFile
{
  public:
    /** A step, with chunks instead of bytes. */
    struct FileStep
    {
        Step step;               //!< all but its bytes
        uint32_t firstChunk = 0; //!< first chunk that it moves
        uint32_t chunkCount = 1; //!< how many, one after the other
    };

    /**
     * Read a program. What makes no sense is refused, with file, rank, lane and step.
     * @param text JSON
     * @param source name of the file, for messages
     */
    ProgramFile(const std::string& text, const std::string& source);

    /** @param name of a file @return what is in it; refused if it cannot be read */
    static std::shared_ptr<const ProgramFile> Read(const std::string& name);

    /** @return what it does */
    CollectiveOperation GetOperation() const
    {
        return m_operation;
    }

    /** @return its root, for operations that have one */
    uint32_t GetRoot() const
    {
        return m_root;
    }

    /** @return number of ranks */
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_lanes.size());
    }

    /** @return name of the file */
    const std::string& GetSource() const
    {
        return m_source;
    }

    /** @param request an operation that it does @return the steps for that size */
    std::shared_ptr<const StepProgram> MakeProgram(const CollectiveRequest& request) const;

  private:
    /** Refuse. @param where in the file @param why what is wrong */
    [[noreturn]] void Refuse(const std::string& where, const std::string& why) const;
    /** Give each message a place: the n-th that a rank sends to another on a channel is the n-th that
     * this one receives. */
    void NumberMessages();
    /** Try it with one byte in each chunk. */
    void Try() const;

    std::string m_source;                                    //!< name of the file
    CollectiveOperation m_operation;                         //!< what it does
    uint32_t m_root = 0;                                     //!< of the operation
    uint32_t m_chunks = 0;                                   //!< of the buffer
    std::vector<std::vector<std::vector<FileStep>>> m_lanes; //!< by rank, lane and place there
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PROGRAM_FILE_H
