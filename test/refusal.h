// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_REFUSAL_H
#define LLM_FABRIC_TEST_REFUSAL_H

#include "ns3/input-error.h"

#include <functional>
#include <string>

/**
 * @file
 * What wrong input is told.
 */

namespace ns3::llm
{

/**
 * Run a function that may refuse its input. Inside of events this is done there, as an event that an
 * exception leaves is never freed.
 * @param function it
 * @return the refusal's text, empty if there was none
 */
inline std::string
GetRefusal(const std::function<void()>& function)
{
    try
    {
        function();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_REFUSAL_H
