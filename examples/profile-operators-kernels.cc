// SPDX-License-Identifier: GPL-2.0-only

#include "profile-operators-kernels.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <vector>

namespace ns3::llm
{

namespace
{

/** Values of a tensor. */
using Tensor = std::vector<float>;

/** @return seconds for which this thread has been on a core */
double
GetThreadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/** @param size values @return a tensor of values between -1 and 1 that do not repeat soon */
Tensor
MakeTensor(uint64_t size)
{
    Tensor tensor(size);
    uint32_t state = 1;
    for (float& value : tensor)
    {
        state = state * 1664525u + 1013904223u; // a linear congruence, as good as any here
        value = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
    }
    return tensor;
}

/** Layer norm of each row. @param in values @param length of a row @param out results */
void
Normalize(const Tensor& in, uint64_t length, Tensor& out)
{
    for (uint64_t begin = 0; begin < in.size(); begin += length)
    {
        const float* x = in.data() + begin;
        float* y = out.data() + begin;
        float sum = 0;
        float squares = 0;
        for (uint64_t i = 0; i < length; ++i)
        {
            sum += x[i];
            squares += x[i] * x[i];
        }
        const float mean = sum / static_cast<float>(length);
        const float variance = squares / static_cast<float>(length) - mean * mean;
        const float scale = 1 / std::sqrt(variance + 1e-5f);
        for (uint64_t i = 0; i < length; ++i)
        {
            y[i] = (x[i] - mean) * scale;
        }
    }
}

/** Softmax of each row. @param in values @param length of a row @param out results */
void
TakeSoftmax(const Tensor& in, uint64_t length, Tensor& out)
{
    for (uint64_t begin = 0; begin < in.size(); begin += length)
    {
        const float* x = in.data() + begin;
        float* y = out.data() + begin;
        const float largest = *std::max_element(x, x + length);
        float sum = 0;
        for (uint64_t i = 0; i < length; ++i)
        {
            y[i] = std::exp(x[i] - largest);
            sum += y[i];
        }
        const float scale = 1 / sum;
        for (uint64_t i = 0; i < length; ++i)
        {
            y[i] *= scale;
        }
    }
}

/** GELU by the hyperbolic tangent. @param in values @param out results */
void
Activate(const Tensor& in, Tensor& out)
{
    for (std::size_t i = 0; i < in.size(); ++i)
    {
        const float x = in[i];
        out[i] = 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

/** @param a values @param b values to add @param out the sums */
void
AddResidual(const Tensor& a, const Tensor& b, Tensor& out)
{
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        out[i] = a[i] + b[i];
    }
}

/** Products one after the other. @param op their shape @param a left @param b right @param c result */
void
Multiply(const ModelOperator& op, const Tensor& a, const Tensor& b, Tensor& c)
{
    const auto m = static_cast<blasint>(op.m);
    const auto n = static_cast<blasint>(op.n);
    const auto k = static_cast<blasint>(op.k);
    for (uint64_t i = 0; i < op.batch; ++i)
    {
        cblas_sgemm(CblasRowMajor,
                    CblasNoTrans,
                    CblasNoTrans,
                    m,
                    n,
                    k,
                    1,
                    a.data() + i * op.m * op.k,
                    k,
                    b.data() + i * op.k * op.n,
                    n,
                    0,
                    c.data() + i * op.m * op.n,
                    n);
    }
}

/** Time calls of a function. @param call it @param plan how often @return its time */
MeasuredOperator
TimeCalls(const std::function<void()>& call, const MeasurePlan& plan)
{
    const double begin = GetThreadSeconds();
    call(); // memory and instructions arrive
    double first = GetThreadSeconds();
    call();
    first = GetThreadSeconds() - first;
    const auto calls = static_cast<uint64_t>(plan.blockSeconds / std::max(first, 1e-7)) + 1;
    MeasuredOperator result;
    result.seconds = std::numeric_limits<double>::infinity();
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat)
    {
        const double start = GetThreadSeconds();
        for (uint64_t i = 0; i < calls; ++i)
        {
            call();
        }
        const double each = (GetThreadSeconds() - start) / static_cast<double>(calls);
        result.seconds = std::min(result.seconds, each);
    }
    result.spentSeconds = GetThreadSeconds() - begin;
    return result;
}

} // namespace

MeasuredOperator
MeasureOperator(const ModelOperator& op, uint64_t rowLength, const MeasurePlan& plan)
{
    openblas_set_num_threads(1);
    if (op.kind == ModelOperator::MATRIX)
    {
        const Tensor a = MakeTensor(op.batch * op.m * op.k);
        const Tensor b = MakeTensor(op.batch * op.k * op.n);
        Tensor c(op.batch * op.m * op.n);
        return TimeCalls([&] { Multiply(op, a, b, c); }, plan);
    }
    const std::string name = op.name;
    const Tensor in = MakeTensor(op.elements);
    Tensor out(op.elements);
    if (name == "norm")
    {
        return TimeCalls([&] { Normalize(in, rowLength, out); }, plan);
    }
    if (name == "softmax")
    {
        return TimeCalls([&] { TakeSoftmax(in, rowLength, out); }, plan);
    }
    if (name == "activation")
    {
        return TimeCalls([&] { Activate(in, out); }, plan);
    }
    if (name == "residual")
    {
        const Tensor other = MakeTensor(op.elements);
        return TimeCalls([&] { AddResidual(in, other, out); }, plan);
    }
    RefuseInput("operator '" + name +
                "' has no loop to measure; there are norm, softmax, "
                "activation and residual");
}

std::string
GetProcessorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
    {
        const auto colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
        {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

} // namespace ns3::llm
