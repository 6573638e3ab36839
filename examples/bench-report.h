// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_REPORT_H
#define LLM_FABRIC_BENCH_REPORT_H

#include "bench-memory.h"
#include "bench-rounds.h"

#include <ostream>
#include <string>

/**
 * @file
 * What was measured, as text and as JSON.
 */

namespace ns3::llm::bench
{

/** @param results what was measured @param out gets the table */
void PrintSpeed(const Results& results, std::ostream& out);

/** @param use what was measured @param out gets tables of clusters, queue pairs and sizes */
void PrintMemory(const MemoryUse& use, std::ostream& out);

/**
 * Write everything, each measurement included, or refuse if that fails.
 * @param path of the file
 * @param results speed, or null
 * @param use memory, or null
 * @param manifest how to repeat it, as JSON
 */
void WriteJson(const std::string& path,
               const Results* results,
               const MemoryUse* use,
               const std::string& manifest);

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_REPORT_H
