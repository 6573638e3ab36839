// SPDX-License-Identifier: GPL-2.0-only

#include "two-cs-shape.h"

#include "ns3/input-error.h"

#include <string>

namespace ns3::llm
{

std::vector<TwoCsShape>
TwoCsShape::MakeGrid(uint64_t batch)
{
    constexpr uint64_t K = 1024;
    std::vector<TwoCsShape> grid;
    for (uint64_t hidden = K; hidden <= 64 * K; hidden *= 2)
    {
        for (uint64_t length = K; length <= 8 * K; length *= 2)
        {
            for (uint64_t ranks = 4; ranks <= 256; ranks *= 2)
            {
                grid.push_back({hidden, length, batch, ranks});
            }
        }
    }
    return grid;
}

void
TwoCsShape::Check() const
{
    if (hidden == 0 || sequenceLength == 0 || batch == 0 || tensorParallel == 0 ||
        elementBytes == 0 || hidden % tensorParallel != 0)
    {
        RefuseInput(
            "a layer of hidden size " + std::to_string(hidden) + ", sequence length " +
            std::to_string(sequenceLength) + ", batch " + std::to_string(batch) + ", TP " +
            std::to_string(tensorParallel) + " and " + std::to_string(elementBytes) +
            " bytes an element: all must be at least 1, and TP must divide the hidden size");
    }
}

TwoCsShape::Products
TwoCsShape::GetProducts() const
{
    const uint64_t columns = hidden / tensorParallel;
    const uint64_t square = hidden * columns * sequenceLength * batch;
    const uint64_t attention = columns * sequenceLength * sequenceLength * batch;
    return {3 * square, attention, attention, square, 4 * square, 4 * square};
}

uint64_t
TwoCsShape::GetForwardFlops() const
{
    const Products p = GetProducts();
    return 2 * (p.qkv + p.scores + p.values + p.output + p.fc1 + p.fc2);
}

uint64_t
TwoCsShape::GetBackwardFlops() const
{
    return 2 * GetForwardFlops();
}

uint64_t
TwoCsShape::GetTensorMessageBytes() const
{
    return elementBytes * hidden * sequenceLength * batch;
}

uint64_t
TwoCsShape::GetTensorBytes() const
{
    return 4 * GetTensorMessageBytes();
}

uint64_t
TwoCsShape::GetGradientBytes() const
{
    return elementBytes * 12 * hidden * (hidden / tensorParallel);
}

double
TwoCsShape::GetEdge() const
{
    return static_cast<double>(GetForwardFlops() + GetBackwardFlops()) /
           static_cast<double>(GetTensorBytes());
}

double
TwoCsShape::GetSlack() const
{
    return static_cast<double>(GetBackwardFlops()) / static_cast<double>(GetGradientBytes());
}

} // namespace ns3::llm
