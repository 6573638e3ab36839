// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-matrix.h"

#include "ns3/input-error.h"

#include <string>

namespace ns3::llm
{

TrafficMatrix::TrafficMatrix(uint32_t size, const std::vector<uint64_t>& bytes)
    : m_size(size),
      m_begin{0}
{
    if (bytes.size() != uint64_t{size} * size)
    {
        RefuseInput("a traffic matrix of " + std::to_string(size) + " ranks has " +
                    std::to_string(bytes.size()) + " sizes; it needs " +
                    std::to_string(uint64_t{size} * size) + ", by sender and then by receiver");
    }
    m_begin.reserve(bytes.size() + 1);
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        const uint64_t end = m_begin.back() + bytes[i];
        if (end < m_begin.back())
        {
            RefuseInput("the sizes of a traffic matrix add up to more than 2^64 bytes at sender " +
                        std::to_string(i / size) + ", receiver " + std::to_string(i % size));
        }
        m_begin.push_back(end);
    }
}

TrafficMatrix
TrafficMatrix::MakeEven(uint32_t size, uint64_t bytes)
{
    std::vector<uint64_t> sizes;
    sizes.reserve(uint64_t{size} * size);
    for (uint32_t sender = 0; sender < size; ++sender)
    {
        for (uint32_t receiver = 0; receiver < size; ++receiver)
        {
            sizes.push_back(GetPart({0, bytes}, size, receiver).bytes);
        }
    }
    return TrafficMatrix(size, sizes);
}

} // namespace ns3::llm
