// SPDX-License-Identifier: GPL-2.0-only

#include "model-partition.h"

namespace ns3::llm
{

ModelPartition::ModelPartition(const TransformerModel& model, const ParallelStrategy& strategy)
    : m_model(model),
      m_stages(strategy.pipelineParallel),
      m_chunks(strategy.modelChunks)
{
    const uint32_t count = m_stages * m_chunks;
    const auto equal = static_cast<uint32_t>(model.GetShape().layers / count);
    m_firstBlocks.push_back(0);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t blocks = strategy.chunkBlocks.empty() ? equal : strategy.chunkBlocks.at(i);
        m_firstBlocks.push_back(m_firstBlocks.back() + blocks);
    }
}

uint32_t
ModelPartition::GetBlockCount(uint32_t stage, uint32_t chunk) const
{
    const std::size_t place = chunk * m_stages + stage;
    return m_firstBlocks.at(place + 1) - m_firstBlocks[place];
}

uint32_t
ModelPartition::GetFirstBlock(uint32_t stage, uint32_t chunk) const
{
    return m_firstBlocks.at(chunk * m_stages + stage);
}

std::vector<uint32_t>
ModelPartition::GetBlocks(uint32_t stage) const
{
    std::vector<uint32_t> blocks;
    for (uint32_t chunk = 0; chunk < m_chunks; ++chunk)
    {
        for (uint32_t i = 0; i < GetBlockCount(stage, chunk); ++i)
        {
            blocks.push_back(GetFirstBlock(stage, chunk) + i);
        }
    }
    return blocks;
}

bool
ModelPartition::IsFirst(uint32_t stage, uint32_t chunk) const
{
    return stage == 0 && chunk == 0;
}

bool
ModelPartition::IsLast(uint32_t stage, uint32_t chunk) const
{
    return stage + 1 == m_stages && chunk + 1 == m_chunks;
}

ParameterCount
ModelPartition::GetParameters(uint32_t stage) const
{
    ParameterCount count;
    for (const uint32_t block : GetBlocks(stage))
    {
        count = count + m_model.GetBlockParameters(block);
    }
    if (stage == 0)
    {
        count = count + m_model.GetWordEmbeddingParameters() + m_model.GetPositionParameters();
    }
    if (stage + 1 == m_stages)
    {
        count = count + m_model.GetFinalNormParameters();
        if (!m_model.GetShape().tied || stage > 0)
        {
            count = count + m_model.GetWordEmbeddingParameters();
        }
    }
    return count;
}

} // namespace ns3::llm
