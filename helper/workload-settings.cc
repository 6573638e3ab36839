// SPDX-License-Identifier: GPL-2.0-only

#include "workload-settings.h"

#include "class-list.h"
#include "program-options.h"

#include "ns3/input-error.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ns3::llm
{

namespace
{

/**
 * @tparam Class an abstract class
 * @param option the option that names one of its kind, for the refusal
 * @param name what it says
 * @return one of that class
 */
template <typename Class>
Ptr<Class>
MakeOne(const std::string& option, const std::string& name)
{
    ObjectFactory factory;
    factory.SetTypeId(ParseClasses(option, name, Class::GetTypeId()).front());
    return factory.Create<Class>();
}

/**
 * @param list whole numbers, separated by commas, or ""
 * @return they; anything else is refused
 */
std::vector<uint32_t>
ParseBlocks(const std::string& list)
{
    std::vector<uint32_t> result;
    std::vector<std::string> words;
    if (!list.empty())
    {
        boost::algorithm::split(words, list, boost::algorithm::is_any_of(","));
    }
    for (const std::string& word : words)
    {
        constexpr std::size_t MOST_DIGITS = 6;
        if (word.empty() || word.size() > MOST_DIGITS ||
            word.find_first_not_of("0123456789") != std::string::npos)
        {
            RefuseInput("blocks = '" + list + "': '" + word +
                        "' is no number of blocks; did you mean a list such as 7,5?");
        }
        result.push_back(static_cast<uint32_t>(std::stoul(word)));
    }
    return result;
}

} // namespace

void
WorkloadSettings::Add(ProgramOptions& program)
{
    program.Add("model", "built-in name, or path of a Hugging Face config.json", model);
    program.Add("accelerator", "name in data/accelerators.csv", accelerator);
    program.Add("accelerators", "how many accelerators, one rank on each", accelerators, 1);
    program.Add("tp", "tensor-parallel ranks", tp, 1);
    program.Add("pp", "pipeline stages", pp, 1);
    program.Add("dp", "data-parallel replicas; 0: accelerators / (tp x cp x pp)", dp);
    program.Add("cp", "context-parallel ranks, which share each sequence", cp, 1);
    program.Add("ep", "expert-parallel ranks; must divide dp", ep, 1);
    program.Add("sp", "sequence parallelism: divide norms and residuals as well", sp);
    program.Add("zero", "ZeRO stage: what is divided among replicas", zero, 0, 3);
    program.Add("recompute",
                "activations that are computed again",
                recompute,
                {"none", "selective", "full"});
    program.Add("chunks", "model chunks of a stage", chunks, 1);
    program.Add("blocks",
                "blocks of each model chunk in the model's order, as 7,5; empty: equally many",
                blocks);
    program.Add("schedule",
                "class of the pipeline's schedule; empty: 1F1B, or interleaved with chunks",
                schedule);
    program.Add("costModel", "class of the operators' cost model; empty: roofline", costModel);
    program.Add("microBatches", "micro-batches of a replica", microBatches, 1);
    program.Add("microBatchSize", "sequences of a micro-batch", microBatchSize, 1);
    program.Add("sequenceLength", "tokens of a sequence", sequenceLength, 1);
    program.Add("ignoreMemory", "also run what the memory cannot hold", ignoreMemory);
}

WorkloadSettings
WorkloadSettings::WithStrategy(const std::string& name) const
{
    WorkloadSettings result = *this;
    result.dp = 0;
    const std::pair<const char*, uint32_t*> numbers[] = {
        {"tp", &result.tp},
        {"pp", &result.pp},
        {"dp", &result.dp},
        {"cp", &result.cp},
        {"ep", &result.ep},
        {"zero", &result.zero},
        {"chunks", &result.chunks},
        {"microBatches", &result.microBatches},
        {"microBatchSize", &result.microBatchSize}};
    std::vector<std::string> words;
    boost::algorithm::split(words, name, boost::algorithm::is_any_of("-"));
    for (const std::string& word : words)
    {
        const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
        const std::string key = word.substr(0, digits);
        const std::string value = word.substr(digits);
        const auto number = std::find_if(std::begin(numbers),
                                         std::end(numbers),
                                         [&](const auto& pair) { return key == pair.first; });
        const bool isNumber = value.find_first_not_of("0123456789") == std::string::npos &&
                              !value.empty() && value.size() < 9;
        if (number != std::end(numbers) && isNumber)
        {
            *number->second = static_cast<uint32_t>(std::stoul(value));
        }
        else if (word == "sp")
        {
            result.sp = true;
        }
        else if (word == "none" || word == "selective" || word == "full")
        {
            result.recompute = word;
        }
        else
        {
            RefuseInput("strategy = '" + name + "': '" + word +
                        "' is none of tpN, ppN, dpN, cpN, epN, zeroN, chunksN, microBatchesN, "
                        "microBatchSizeN, sp, none, selective and full, joined by '-'");
        }
    }
    return result;
}

ParallelStrategy
WorkloadSettings::MakeStrategy() const
{
    ParallelStrategy strategy;
    strategy.tensorParallel = tp;
    strategy.pipelineParallel = pp;
    strategy.contextParallel = cp;
    strategy.expertParallel = ep;
    const uint64_t ranks = uint64_t(tp) * pp * cp;
    strategy.dataParallel =
        dp > 0 ? dp : static_cast<uint32_t>(std::max<uint64_t>(1, accelerators / ranks));
    strategy.modelChunks = chunks;
    strategy.microBatchSize = microBatchSize;
    strategy.globalBatchSize = microBatches * microBatchSize * strategy.dataParallel;
    strategy.sequenceLength = sequenceLength;
    strategy.sequenceParallel = sp;
    strategy.zeroStage = zero;
    strategy.recomputation = recompute == "full"        ? Recomputation::FULL
                             : recompute == "selective" ? Recomputation::SELECTIVE
                                                        : Recomputation::NONE;
    strategy.chunkBlocks = ParseBlocks(blocks);
    return strategy;
}

TransformerWorkload::Config
WorkloadSettings::MakeConfig(const TransformerWorkloadOptions& options) const
{
    TransformerWorkload::Config config{TransformerModel::Load(model),
                                       Accelerator::FromName(accelerator),
                                       MakeStrategy(),
                                       nullptr,
                                       nullptr,
                                       options};
    config.options.memory.check = !ignoreMemory;
    if (!schedule.empty())
    {
        config.schedule = MakeOne<PipelineSchedule>("schedule", schedule);
    }
    if (!costModel.empty())
    {
        config.cost = MakeOne<OperatorCostModel>("costModel", costModel);
    }
    return config;
}

} // namespace ns3::llm
