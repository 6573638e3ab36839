// SPDX-License-Identifier: GPL-2.0-only

#include "profile-operators-cuda.h"

#include "ns3/input-error.h"

#ifdef LLM_FABRIC_CUDA
#include <algorithm>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <limits>
#endif

namespace ns3::llm
{

#ifdef LLM_FABRIC_CUDA

namespace
{

/** @param status of a call of CUDA or cuBLAS, 0 if it went well @param call its name */
void
Require(int status, const std::string& call)
{
    if (status != 0)
    {
        RefuseInput("--device=cuda: " + call + " gave error " + std::to_string(status));
    }
}

/** Memory of the device, all zero bits. */
class DeviceTensor
{
  public:
    /** @param bytes its size */
    explicit DeviceTensor(std::size_t bytes)
    {
        Require(cudaMalloc(&m_data, bytes), "cudaMalloc");
        Require(cudaMemset(m_data, 0x3c, bytes), "cudaMemset"); // small numbers of all precisions
    }

    ~DeviceTensor()
    {
        cudaFree(m_data);
    }

    DeviceTensor(const DeviceTensor&) = delete;
    DeviceTensor& operator=(const DeviceTensor&) = delete;

    /** @return where it lies */
    void* Get() const
    {
        return m_data;
    }

  private:
    void* m_data = nullptr; //!< where it lies
};

} // namespace

MeasuredOperator
MeasureOnCuda(const ModelOperator& op, const MeasurePlan& plan)
{
    constexpr std::size_t BYTES = 2; // of a bfloat16
    const DeviceTensor a(BYTES * op.batch * op.m * op.k);
    const DeviceTensor b(BYTES * op.batch * op.k * op.n);
    const DeviceTensor c(BYTES * op.batch * op.m * op.n);
    const auto m = static_cast<int>(op.m);
    const auto n = static_cast<int>(op.n);
    const auto k = static_cast<int>(op.k);
    const auto longM = static_cast<long long>(op.m);
    const auto longN = static_cast<long long>(op.n);
    const auto longK = static_cast<long long>(op.k);
    cublasHandle_t handle = nullptr;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    Require(cublasCreate(&handle), "cublasCreate");
    Require(cudaEventCreate(&begin), "cudaEventCreate");
    Require(cudaEventCreate(&end), "cudaEventCreate");
    const float one = 1;
    const float zero = 0;
    // row by row, so that cuBLAS, which goes by columns, is asked for the transposed product
    const auto call = [&]
    {
        Require(cublasGemmStridedBatchedEx(handle,
                                           CUBLAS_OP_N,
                                           CUBLAS_OP_N,
                                           n,
                                           m,
                                           k,
                                           &one, //
                                           b.Get(),
                                           CUDA_R_16BF,
                                           n,
                                           longK * longN, //
                                           a.Get(),
                                           CUDA_R_16BF,
                                           k,
                                           longM * longK,
                                           &zero, //
                                           c.Get(),
                                           CUDA_R_16BF,
                                           n,
                                           longM * longN,
                                           static_cast<int>(op.batch),
                                           CUBLAS_COMPUTE_32F,
                                           CUBLAS_GEMM_DEFAULT),
                "cublasGemmStridedBatchedEx");
    };
    const auto time = [&](uint64_t calls)
    {
        Require(cudaEventRecord(begin), "cudaEventRecord");
        for (uint64_t i = 0; i < calls; ++i)
        {
            call();
        }
        Require(cudaEventRecord(end), "cudaEventRecord");
        Require(cudaEventSynchronize(end), "cudaEventSynchronize");
        float milliseconds = 0;
        Require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
        return 1e-3 * static_cast<double>(milliseconds);
    };
    MeasuredOperator result;
    result.spentSeconds = time(1);
    const double first = time(1);
    const auto calls = static_cast<uint64_t>(plan.blockSeconds / std::max(first, 1e-6)) + 1;
    result.spentSeconds += first;
    result.seconds = std::numeric_limits<double>::infinity();
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat)
    {
        const double block = time(calls);
        result.spentSeconds += block;
        result.seconds = std::min(result.seconds, block / static_cast<double>(calls));
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cublasDestroy(handle);
    return result;
}

std::string
GetCudaDeviceName()
{
    cudaDeviceProp properties{};
    Require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    return properties.name;
}

#else

namespace
{

/** Refuse, as there is no CUDA in this program. */
[[noreturn]] void
RefuseCuda()
{
    RefuseInput(
        "--device=cuda: this program was built without the CUDA toolkit, which CMake did not "
        "find; cpu is allowed");
}

} // namespace

MeasuredOperator
MeasureOnCuda(const ModelOperator&, const MeasurePlan&)
{
    RefuseCuda();
}

std::string
GetCudaDeviceName()
{
    RefuseCuda();
}

#endif

} // namespace ns3::llm
