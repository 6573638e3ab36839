// SPDX-License-Identifier: GPL-2.0-only

#include "parameter-count-comparison.h"

#include "csv-row.h"
#include "llm-fabric-data.h"
#include "transformer-model.h"

namespace ns3::llm
{

double
ParameterCountComparison::GetError() const
{
    return static_cast<double>(counted) / listed - 1;
}

std::vector<ParameterCountComparison>
CompareParameterCounts()
{
    std::vector<ParameterCountComparison> result;
    const std::string path = FindDataFile("validation/huggingface-models.csv");
    for (const auto& row : CsvRow::ReadFile("list of models", path))
    {
        ParameterCountComparison comparison;
        comparison.model = row.GetText("model");
        comparison.builtIn = row.GetText("built_in");
        comparison.counted = TransformerModel::Load(comparison.builtIn).GetParameterCount();
        comparison.listed = 1e9 * row.GetNumber("parameters_e9_computed", true);
        result.push_back(comparison);
    }
    return result;
}

} // namespace ns3::llm
