// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_INPUT_ERROR_H
#define LLM_FABRIC_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * Wrong input, found before anything ran. The text names the field, its value, what is allowed and
 * what was probably meant. A program's main catches it, prints it and exits with status 2.
 */
class InputError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @ingroup llm-fabric-engine
 * Refuse wrong input.
 * @param message the text, without a prefix
 */
[[noreturn]] inline void
RefuseInput(const std::string& message)
{
    throw InputError(message);
}

} // namespace ns3::llm

#endif // LLM_FABRIC_INPUT_ERROR_H
