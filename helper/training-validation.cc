// SPDX-License-Identifier: GPL-2.0-only

#include "training-validation.h"

#include "pipeline-bubble.h"

#include "ns3/csv-row.h"
#include "ns3/interleaved-schedule.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/memory-estimate.h"
#include "ns3/one-forward-one-backward-schedule.h"

#include <string>

namespace ns3::llm
{

namespace
{

constexpr auto YEAR_2022 = MegatronSystem::YEAR_2022; //!< software of the runs
constexpr double GIB = 1 << 30;                       //!< bytes

/**
 * @param run a run
 * @return activations of its first stage, GiB
 */
double
GetActivationGib(const PublishedRun& run)
{
    TransformerWorkloadOptions options;
    options.operators.dropout = true; // the closed forms have its masks
    const auto schedule = MakeUsualSchedule(run.strategy.modelChunks);
    const MemoryInput input{run.model, run.strategy, *schedule, options};
    return static_cast<double>(EstimateMemory(input, 0).activations) / GIB;
}

/**
 * @param run a run
 * @return parameters, gradients and optimizer of the matrices of the first stage's blocks, GiB
 */
double
GetMatrixGib(const PublishedRun& run)
{
    const MemoryOptions kept;
    const uint32_t bytes = 2 + kept.gradientBytes + kept.optimizerBytes;
    const auto& shape = run.model.GetShape();
    const auto matrices = static_cast<double>(12 * shape.hidden * shape.hidden * shape.layers);
    return bytes * matrices / (run.strategy.tensorParallel * run.strategy.pipelineParallel) / GIB;
}

} // namespace

std::vector<ValidationRow>
CompareRuns(const std::vector<PublishedRun>& runs, const std::vector<double>& seconds)
{
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        rows.push_back({runs[i].name, runs[i].seconds, seconds.at(i), "s"});
    }
    return rows;
}

std::vector<ValidationRow>
CompareSelectiveRuns()
{
    std::vector<PublishedRun> full;
    std::vector<PublishedRun> selective;
    for (const PublishedRun& run : ReadKorthikantiRuns())
    {
        const bool isFull = run.strategy.recomputation == Recomputation::FULL;
        (isFull ? full : selective).push_back(run);
    }
    const double efficiency = CalibrateMatrixEfficiency(full, YEAR_2022);
    return CompareRuns(selective, PredictRuns(selective, {YEAR_2022, efficiency}));
}

std::vector<ValidationRow>
CompareLeftOutModels()
{
    const std::vector<PublishedRun> runs = ReadKorthikantiRuns();
    std::vector<ValidationRow> rows;
    for (std::size_t out = 0; out < runs.size(); out += 2)
    {
        const std::vector<PublishedRun> left(runs.begin() + out, runs.begin() + out + 2);
        std::vector<PublishedRun> others(runs.begin(), runs.begin() + out);
        others.insert(others.end(), runs.begin() + out + 2, runs.end());
        const double efficiency = CalibrateMatrixEfficiency(others, YEAR_2022);
        for (const auto& row : CompareRuns(left, PredictRuns(left, {YEAR_2022, efficiency})))
        {
            rows.push_back(row);
        }
    }
    return rows;
}

std::vector<ValidationRow>
CompareMemory()
{
    const std::vector<PublishedRun> runs = ReadKorthikantiRuns();
    const auto table = CsvRow::ReadFile("table", FindDataFile("validation/korthikanti-memory.csv"));
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < table.size(); ++i)
    {
        const std::string model = table[i].GetText("model");
        PublishedRun none = runs.at(2 * i);
        none.strategy.recomputation = Recomputation::NONE;
        const auto published = [&](const char* column)
        {
            return table[i].GetNumber(column, true);
        };
        rows.push_back({model + ", parameters and optimizer",
                        published("parameters_optimizer_gib"),
                        GetMatrixGib(none),
                        "GiB"});
        rows.push_back({model + ", activations",
                        published("activations_none_gib"),
                        GetActivationGib(none),
                        "GiB"});
        rows.push_back({model + ", activations, selective",
                        published("activations_selective_gib"),
                        GetActivationGib(runs.at(2 * i + 1)),
                        "GiB"});
    }
    return rows;
}

std::vector<ValidationRow>
CompareBubbles()
{
    const PassTimes times{MicroSeconds(100), MicroSeconds(110), MicroSeconds(90)};
    std::vector<ValidationRow> rows;
    for (const uint32_t stages : {2, 4, 8, 16})
    {
        for (const uint32_t rounds : {1, 3, 8})
        {
            const uint32_t microBatches = rounds * stages;
            const std::string where =
                "p = " + std::to_string(stages) + ", m = " + std::to_string(microBatches);
            const double closed = static_cast<double>(stages - 1) / microBatches;
            const OneForwardOneBackwardSchedule plain;
            rows.push_back({"1F1B, " + where,
                            closed,
                            MeasureBubble(plain, {stages, 1, microBatches}, times),
                            "of busy"});
            for (const uint32_t chunks : {2, 3})
            {
                const InterleavedSchedule interleaved;
                rows.push_back({"interleaved, v = " + std::to_string(chunks) + ", " + where,
                                closed / chunks,
                                MeasureBubble(interleaved, {stages, chunks, microBatches}, times),
                                "of busy"});
            }
        }
    }
    return rows;
}

} // namespace ns3::llm
