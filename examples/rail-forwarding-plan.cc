// SPDX-License-Identifier: GPL-2.0-only

#include "rail-forwarding-plan.h"

#include "rail-forwarding-traffic.h"

#include "ns3/input-error.h"
#include "ns3/program-options.h"

#include <algorithm>
#include <map>
#include <sstream>

using namespace ns3::llm;

namespace
{

const std::map<std::string, Way> WAYS = {
    {BASELINE, {"rail-optimized", "DirectAlgorithm", "source", "chunk", false, true}},
    {"ecmp", {"rail-optimized", "DirectAlgorithm", "source", "chunk", false}},
    {"staged", {"rail-only", "HierarchicalAlgorithm", "source", "chunk", false}},
    {"aggregate", {"rail-only", "DirectAlgorithm", "source", "chunk", true}},
    {"chunk", {"rail-only", "DirectAlgorithm", "source", "chunk", false}},
    {"packet", {"rail-only", "DirectAlgorithm", "source", "packet", false}},
    {"destination", {"rail-only", "DirectAlgorithm", "destination", "chunk", false}},
    {"load", {"rail-only", "DirectAlgorithm", "load", "chunk", false}},
};

std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
    {
        words.push_back(word);
    }
    return words;
}

/** Refuse a word that is not among those known. */
void
CheckKnown(const std::string& option,
           const std::string& word,
           const std::vector<std::string>& known)
{
    if (std::find(known.begin(), known.end(), word) == known.end())
    {
        std::string text = "--" + option + ": there is no '" + word + "'; there are:";
        for (const std::string& one : known)
        {
            text += " " + one;
        }
        RefuseInput(text);
    }
}

uint32_t
ParseAccelerators(const std::string& word, uint32_t domainSize)
{
    const bool isNumber = !word.empty() && word.size() < 7 &&
                          word.find_first_not_of("0123456789") == std::string::npos;
    const uint32_t count = isNumber ? static_cast<uint32_t>(std::stoul(word)) : 0;
    if (count < 2 * domainSize || count % domainSize != 0)
    {
        RefuseInput("--accelerators: '" + word + "' is no multiple of --domainSize=" +
                    std::to_string(domainSize) + " with two HB domains at least");
    }
    return count;
}

} // namespace

const Way&
FindWay(const std::string& name)
{
    std::vector<std::string> known;
    for (const auto& [one, way] : WAYS)
    {
        known.push_back(one);
    }
    CheckKnown("ways", name, known);
    return WAYS.at(name);
}

Options
ParseOptions(int argc, char* argv[])
{
    Options options;
    ProgramOptions program("rail-forwarding", "All-to-all on rail-only, by forwarding.");
    program.Add("platforms", "names, with commas", options.platforms);
    program.Add("accelerators", "numbers, with commas", options.accelerators);
    program.Add("routings", "uniform, random, skewed", options.routings);
    program.Add("ways", "ways of forwarding, with commas", options.ways);
    program.Add("domainSize", "K, accelerators in an HB domain", options.domainSize, 2);
    program.Add("bytes", "what each accelerator has in all", options.bytes);
    program.Add("tokenBytes", "a copy of a token", options.tokenBytes);
    program.Add("full", "64 to 512 accelerators", options.full);
    options.runs.Add(program, "print the table");
    program.Parse(argc, argv);
    options.accelerators = options.full ? "64,128,256,512" : options.accelerators;
    if (options.tokenBytes == 0 || options.tokenBytes > options.bytes)
    {
        RefuseInput("--tokenBytes=" + std::to_string(options.tokenBytes) +
                    ": 1 to --bytes=" + std::to_string(options.bytes) + " are allowed");
    }
    return options;
}

std::vector<Run>
PlanRuns(const Options& options)
{
    std::vector<Run> runs;
    for (const std::string& platform : Split(options.platforms))
    {
        for (const std::string& number : Split(options.accelerators))
        {
            for (const std::string& routing : Split(options.routings))
            {
                for (const std::string& way : Split(options.ways))
                {
                    CheckKnown("routings", routing, ListRoutings());
                    FindWay(way);
                    Run run{FindPlatform(platform),
                            ParseAccelerators(number, options.domainSize),
                            routing,
                            way,
                            ""};
                    run.name = platform + "-" + number + "-" + routing + "-" + way;
                    runs.push_back(run);
                }
            }
        }
    }
    return runs;
}
