// SPDX-License-Identifier: GPL-2.0-only

#include "published-runs.h"

#include "ns3/csv-row.h"
#include "ns3/llm-fabric-data.h"

namespace ns3::llm
{

namespace
{

constexpr uint64_t SEQUENCE_LENGTH = 2048; //!< tokens, of all runs
constexpr uint64_t VOCABULARY = 51200;     //!< padded, of all runs

/**
 * @param row a row of a table
 * @param column its name
 * @return the whole number there
 */
uint32_t
GetCount(const CsvRow& row, const std::string& column)
{
    return static_cast<uint32_t>(row.GetNumber(column, true));
}

/**
 * @param row a row of a table
 * @param name of the run
 * @return what both tables say in the same words
 */
PublishedRun
MakeRun(const CsvRow& row, const std::string& name)
{
    const uint32_t layers = GetCount(row, "layers");
    const uint32_t hidden = GetCount(row, "hidden");
    ParallelStrategy strategy;
    strategy.tensorParallel = GetCount(row, "tensor");
    strategy.pipelineParallel = GetCount(row, "pipeline");
    strategy.modelChunks = GetCount(row, "interleave");
    strategy.microBatchSize = GetCount(row, "micro_batch");
    strategy.globalBatchSize = GetCount(row, "global_batch");
    strategy.sequenceLength = SEQUENCE_LENGTH;
    strategy.dataParallel =
        GetCount(row, "gpus") / (strategy.tensorParallel * strategy.pipelineParallel);
    strategy.recomputation = Recomputation::FULL;
    const double s = SEQUENCE_LENGTH;
    const double v = VOCABULARY;
    const double h = hidden;
    const double l = layers;
    const double flops = 96 * double(strategy.globalBatchSize) * s * l * h * h *
                         (1 + s / (6 * h) + v / (16 * l * h));
    return {name,
            MakeGptModel(name, layers, hidden, GetCount(row, "heads")),
            strategy,
            0,
            flops,
            false};
}

} // namespace

TransformerModel
MakeGptModel(const std::string& name, uint64_t layers, uint64_t hidden, uint64_t heads)
{
    TransformerShape shape;
    shape.name = name;
    shape.family = "gpt2";
    shape.hidden = hidden;
    shape.layers = layers;
    shape.heads = heads;
    shape.keyValueHeads = heads;
    shape.headSize = hidden / heads;
    shape.feedForward = 4 * hidden;
    shape.vocabulary = VOCABULARY;
    shape.maxPositions = SEQUENCE_LENGTH;
    shape.positionRows = SEQUENCE_LENGTH;
    shape.tied = true;
    shape.qkvBias = true;
    shape.outputBias = true;
    shape.feedForwardBias = true;
    return TransformerModel(shape);
}

std::vector<PublishedRun>
ReadKorthikantiRuns()
{
    std::vector<PublishedRun> runs;
    for (const CsvRow& row :
         CsvRow::ReadFile("table", FindDataFile("validation/korthikanti-table5.csv")))
    {
        PublishedRun run = MakeRun(row, row.GetText("model") + " full");
        run.seconds = row.GetNumber("seconds_full", true);
        runs.push_back(run);
        run.name = row.GetText("model") + " selective";
        run.seconds = row.GetNumber("seconds_selective", true);
        run.strategy.recomputation = Recomputation::SELECTIVE;
        run.strategy.sequenceParallel = true;
        runs.push_back(run);
    }
    return runs;
}

std::vector<PublishedRun>
ReadNarayananRuns()
{
    constexpr double TERA = 1e12;
    std::vector<PublishedRun> runs;
    for (const CsvRow& row :
         CsvRow::ReadFile("table", FindDataFile("validation/narayanan-table1.csv")))
    {
        PublishedRun run = MakeRun(row, row.GetText("params_b") + "B");
        const double rate = TERA * row.GetNumber("tflops_per_gpu", true);
        run.seconds = run.flops / (rate * static_cast<double>(run.strategy.GetRankCount()));
        run.overlapGradients = row.GetText("data_parallel") == "overlapped";
        runs.push_back(run);
    }
    return runs;
}

} // namespace ns3::llm
