// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_FAULTS_H
#define LLM_FABRIC_FABRIC_FAULTS_H

#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * What a network cannot go on with. A fault ends the run, and says why.
 */
class FabricFaults
{
  public:
    /**
     * Stop the simulator, once the frame events of this tick are through.
     * @param text what has happened, where, and what to do
     */
    void StopRun(const std::string& text);

    /** @return the faults, in order */
    const std::vector<std::string>& GetTexts() const
    {
        return m_texts;
    }

  private:
    std::vector<std::string> m_texts; //!< the faults
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_FAULTS_H
