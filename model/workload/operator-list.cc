// SPDX-License-Identifier: GPL-2.0-only

#include "operator-list.h"

namespace ns3::llm
{

namespace
{

// Operations for each element, counted from the formulas; memory is the limit of all of these.
constexpr uint64_t NORM_FLOPS = 7;           //!< two sums, normalize, scale, shift
constexpr uint64_t NORM_GRADIENT_FLOPS = 12; //!< two sums and their use, scale, shift
constexpr uint32_t SUM_BYTES = 4;            //!< of a gradient's sum over micro-batches

} // namespace

OperatorList::OperatorList(const RankShare& share)
    : m_share(share)
{
}

const RankShare&
OperatorList::GetShare() const
{
    return m_share;
}

const OperatorList::Steps&
OperatorList::GetSteps() const
{
    return m_steps;
}

void
OperatorList::AddForward(const MatrixProduct& product)
{
    TransformerStep step;
    step.op.resultBytes = m_share.options.activationBytes;
    AddProduct(step, product);
}

void
OperatorList::AddInputGradient(const MatrixProduct& product)
{
    AddForward({product.name, product.batch, product.m, product.k, product.n});
}

void
OperatorList::AddSecondGradient(const MatrixProduct& product)
{
    AddForward({product.name, product.batch, product.k, product.n, product.m});
}

void
OperatorList::AddWeightGradient(const MatrixProduct& product)
{
    const bool fused = m_share.options.fusedAccumulation;
    const uint32_t element = m_share.options.activationBytes;
    TransformerStep step;
    step.share = TransformerStep::WEIGHT_GRADIENT;
    step.op.resultBytes = fused ? 2 * SUM_BYTES : element; // read and written, or written
    AddProduct(step, {product.name, product.batch, product.k, product.n, product.m});
    if (!fused && m_share.accumulates)
    {
        const uint64_t weights = product.batch * product.k * product.n;
        AddVector("accumulation", weights, 1, 3 * element * weights).share =
            TransformerStep::WEIGHT_GRADIENT;
    }
}

TransformerStep&
OperatorList::AddProduct(TransformerStep step, const MatrixProduct& product)
{
    step.op.name = product.name;
    step.op.kind = ModelOperator::MATRIX;
    step.op.batch = product.batch;
    step.op.m = product.m;
    step.op.n = product.n;
    step.op.k = product.k;
    step.op.precision = m_share.options.activationBytes;
    step.op.flops = 2 * product.batch * product.m * product.n * product.k;
    step.op.bytes =
        product.batch * (step.op.precision * (product.m * product.k + product.k * product.n) +
                         step.op.resultBytes * product.m * product.n);
    m_steps.push_back(step);
    return m_steps.back();
}

TransformerStep&
OperatorList::AddVector(const char* name,
                        uint64_t elements,
                        uint64_t flopsPerElement,
                        uint64_t bytes,
                        uint32_t kernels)
{
    TransformerStep step;
    step.op.name = name;
    step.op.elements = elements;
    step.op.flops = elements * flopsPerElement;
    step.op.bytes = bytes;
    step.op.kernels = kernels;
    m_steps.push_back(step);
    return m_steps.back();
}

void
OperatorList::AddNorm(const char* name, uint64_t elements, TrainingPass pass)
{
    const bool forward = pass == TrainingPass::FORWARD;
    const bool early = m_share.options.earlyNorms;
    // backward: the gradients of the parameters are summed by a second kernel
    auto& step = AddVector(name,
                           elements,
                           forward ? NORM_FLOPS : NORM_GRADIENT_FLOPS,
                           (forward ? 2 : 3) * m_share.options.activationBytes * elements,
                           forward ? 1 : 2);
    if (forward)
    {
        step.op.access = early ? ModelOperator::EARLY_NORM_FORWARD : ModelOperator::NORM_FORWARD;
    }
    else
    {
        step.op.access = early ? ModelOperator::EARLY_NORM_BACKWARD : ModelOperator::NORM_BACKWARD;
    }
}

void
OperatorList::AddDropout(uint64_t elements, TrainingPass pass)
{
    auto& step =
        AddVector("dropout", elements, 1, (2 * m_share.options.activationBytes + 1) * elements);
    step.op.randomNumbers = pass == TrainingPass::FORWARD ? elements : 0;
}

void
OperatorList::Start(TrainingTask::Kind task,
                    ParallelDimension dimension,
                    uint64_t bytes,
                    TransformerStep::Share share,
                    int32_t peer)
{
    if (m_share.GetSize(dimension) == 1)
    {
        return;
    }
    TransformerStep step;
    step.kind = TransformerStep::COMMUNICATION;
    step.share = share;
    step.task = task;
    step.dimension = dimension;
    step.bytes = bytes;
    step.peer = peer;
    m_steps.push_back(step);
    m_isWaiting = true;
}

void
OperatorList::Wait(TransformerStep::Share share)
{
    if (m_isWaiting)
    {
        TransformerStep step;
        step.kind = TransformerStep::WAIT;
        step.share = share;
        m_steps.push_back(step);
        m_isWaiting = false;
    }
}

void
OperatorList::Exchange(TrainingTask::Kind task, ParallelDimension dimension, uint64_t bytes)
{
    Start(task, dimension, bytes);
    Wait();
}

void
OperatorList::AddGradient(uint64_t parameters, bool expert)
{
    if (parameters > 0)
    {
        TransformerStep step;
        step.kind = TransformerStep::GRADIENT;
        step.share = TransformerStep::WEIGHT_GRADIENT;
        step.parameters = parameters;
        step.expert = expert;
        m_steps.push_back(step);
    }
}

void
OperatorList::AddRecomputation(const OperatorList& forward)
{
    for (TransformerStep step : forward.m_steps)
    {
        step.share = TransformerStep::RECOMPUTATION;
        m_steps.push_back(step);
    }
}

} // namespace ns3::llm
