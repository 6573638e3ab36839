// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TIME_RESOLUTION_H
#define LLM_FABRIC_TIME_RESOLUTION_H

/**
 * @file
 * @ingroup llm-fabric-engine
 * The module computes in picoseconds: at 400 Gb/s a byte takes 20 of them.
 *
 * ns-3 can change the resolution only once, before the first Simulator::Run(), and only from code:
 * a program does it in main, a test suite in its set-up, and neither in a static initialiser.
 */

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * Make picoseconds the resolution of ns-3's Time. May be called any number of times. Aborts with an
 * explanation if another resolution is in use and cannot be changed safely any more: it was chosen
 * explicitly, a simulation has run with it, or one has begun (time has passed or events are pending).
 */
void UsePicoseconds();

/**
 * @ingroup llm-fabric-engine
 * Abort with a message that says what to call unless the resolution is picoseconds.
 * @param who the class or function that needs it
 */
void RequirePicoseconds(const char* who);

} // namespace ns3::llm

#endif // LLM_FABRIC_TIME_RESOLUTION_H
