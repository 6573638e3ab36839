// SPDX-License-Identifier: GPL-2.0-only

#include "two-cs-validation.h"

#include "ns3/csv-row.h"
#include "ns3/llm-fabric-data.h"
#include "ns3/text-table.h"

namespace ns3::llm
{

std::vector<ValidationRow>
CompareTwoCsFirstOrder()
{
    const Accelerator mi210 = Accelerator::FromName("MI210");
    std::vector<ValidationRow> rows;
    for (const CsvRow& row :
         CsvRow::ReadFile("validation file", FindDataFile("validation/two-cs-first-order.csv")))
    {
        const double factor = row.GetNumber("compute_factor", true);
        const TwoCsMachine machine =
            TwoCsMachine::Make(mi210.Scaled(factor, 1, 1), TWO_CS_EFFICIENCY);
        TwoCsShape shape;
        shape.hidden = static_cast<uint64_t>(row.GetNumber("hidden"));
        shape.sequenceLength = static_cast<uint64_t>(row.GetNumber("sequence_length", true));
        shape.tensorParallel = static_cast<uint64_t>(row.GetNumber("tensor_parallel"));
        const bool isSerialized = row.GetText("share") == "serialized";
        const std::string layer = isSerialized ? "H = " + row.GetText("hidden") +
                                                     ", SL = " + row.GetText("sequence_length") +
                                                     ", TP = " + row.GetText("tensor_parallel")
                                               : row.GetText("sequence_length") + " tokens";
        rows.push_back({"two Cs, first order, " + row.GetText("share") + ", " + layer + ", " +
                            FormatNumber(factor, 0) + "x",
                        row.GetNumber("percent", true),
                        isSerialized
                            ? EstimateTwoCs(shape, machine).GetSerializedPercent()
                            : GetFirstOrderOverlap(row.GetNumber("sequence_length"), 2, machine),
                        "%"});
    }
    return rows;
}

std::vector<TwoCsRange>
ReadTwoCsRanges()
{
    std::vector<TwoCsRange> ranges;
    for (const CsvRow& row :
         CsvRow::ReadFile("validation file", FindDataFile("validation/two-cs-ranges.csv")))
    {
        ranges.push_back({row.GetText("share"),
                          row.GetNumber("compute_factor", true),
                          row.GetNumber("low_percent", true),
                          row.GetNumber("high_percent", true)});
    }
    return ranges;
}

} // namespace ns3::llm
