// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_VALIDATION_H
#define LLM_FABRIC_TRAINING_VALIDATION_H

#include "megatron-runs.h"
#include "validation-row.h"

#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * @param runs published runs
 * @param seconds predicted, in the same order
 * @return a row for each
 */
std::vector<ValidationRow> CompareRuns(const std::vector<PublishedRun>& runs,
                                       const std::vector<double>& seconds);

/**
 * @ingroup llm-fabric-helper
 * Calibrate the efficiency of matrix products on the runs with full recomputation, and predict those
 * with selective recomputation.
 * @return a row for each of the four that are predicted
 */
std::vector<ValidationRow> CompareSelectiveRuns();

/**
 * @ingroup llm-fabric-helper
 * Leave out one model after the other: calibrate on the runs of the other three, and predict both of
 * its runs.
 * @return a row for each of the eight runs
 */
std::vector<ValidationRow> CompareLeftOutModels();

/**
 * @ingroup llm-fabric-helper
 * @return the closed forms of arXiv 2205.05198, figure 1, beside the memory estimate: GiB of
 *         activations, and of 18 bytes for each parameter of the matrices
 */
std::vector<ValidationRow> CompareMemory();

/**
 * @ingroup llm-fabric-helper
 * @return bubbles of schedules on equal stages with free communication, beside (p - 1) / m and
 *         (p - 1) / (v m)
 */
std::vector<ValidationRow> CompareBubbles();

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_VALIDATION_H
