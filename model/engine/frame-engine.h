// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FRAME_ENGINE_H
#define LLM_FABRIC_FRAME_ENGINE_H

/**
 * @file
 * @ingroup llm-fabric-engine
 * How a program chooses the module's engine.
 */

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-engine
 * Make FrameSimulatorImpl the default engine of the program: call it in main before the command line
 * is parsed.
 *
 * What the user says comes first. The global value SimulatorImplementationType is changed only while
 * it is "ns3::DefaultSimulatorImpl" and the environment variable NS_GLOBAL_VALUE does not name it; a
 * command line that is parsed later sets it last. So `--SimulatorImplementationType=` with any
 * engine, ns-3's default one included, is obeyed. (After the command line was parsed, its choice of
 * the default engine cannot be told from no choice.)
 *
 * Aborts if the module's engine was to be used but the simulator runs with another one already: ns-3
 * starts it at the first call of Simulator::Schedule(), Simulator::Now() and the like.
 */
void UseFrameEngine();

/**
 * @ingroup llm-fabric-engine
 * Tell whether ns-3's simulator exists, without starting it.
 * @return whether an engine was made and not destroyed yet
 */
bool IsSimulatorStarted();

} // namespace ns3::llm

#endif // LLM_FABRIC_FRAME_ENGINE_H
