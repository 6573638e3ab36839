// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROFILE_OPERATORS_CUDA_H
#define LLM_FABRIC_PROFILE_OPERATORS_CUDA_H

#include "profile-operators-kernels.h"

#include <string>

namespace ns3::llm
{

/**
 * Run a matrix product at bfloat16 on the first CUDA device by cuBLAS. Refused when the program was built
 * without the CUDA toolkit, and when CUDA reports an error.
 * @param op a matrix product
 * @param plan how often
 * @return its time
 */
MeasuredOperator MeasureOnCuda(const ModelOperator& op, const MeasurePlan& plan);

/** @return the first CUDA device's name; refused as MeasureOnCuda() is */
std::string GetCudaDeviceName();

} // namespace ns3::llm

#endif // LLM_FABRIC_PROFILE_OPERATORS_CUDA_H
