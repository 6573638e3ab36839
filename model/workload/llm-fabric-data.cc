// SPDX-License-Identifier: GPL-2.0-only

#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <sstream>

#ifndef LLM_FABRIC_DATA_DIR
#error "the build must define LLM_FABRIC_DATA_DIR: directories, separated by ':'"
#endif

namespace ns3::llm
{

namespace
{

/**
 * @param text a name
 * @return it in lower case
 */
std::string
ToLower(std::string text)
{
    std::transform(text.begin(),
                   text.end(),
                   text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/**
 * @param a a word
 * @param b another
 * @return how many letters must be changed, added or removed to turn one into the other
 */
std::size_t
CountEdits(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

} // namespace

std::string
FindDataFile(const std::string& path)
{
    const char* environment = std::getenv("LLM_FABRIC_DATA");
    const bool given = environment && *environment;
    const std::string places = given ? environment : LLM_FABRIC_DATA_DIR;
    std::istringstream list(places);
    std::string directory;
    while (std::getline(list, directory, ':'))
    {
        const std::string candidate = directory + "/" + path;
        std::error_code ignored;
        if (std::filesystem::exists(candidate, ignored))
        {
            return candidate;
        }
    }
    RefuseInput("data file '" + path + "' is not in " + places +
                (given ? " (from the environment variable LLM_FABRIC_DATA)"
                       : "; set the environment variable LLM_FABRIC_DATA to the data directory"));
}

std::string
FindNearestName(const std::string& name, const std::vector<std::string>& allowed)
{
    const std::string wanted = ToLower(name);
    std::string nearest;
    std::size_t fewest = wanted.size() / 2 + 1;
    for (const auto& candidate : allowed)
    {
        const std::size_t edits = CountEdits(wanted, ToLower(candidate));
        if (edits < fewest)
        {
            fewest = edits;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string
DescribeAllowedNames(const std::string& name, const std::vector<std::string>& allowed)
{
    const std::string nearest = FindNearestName(name, allowed);
    std::string text = nearest.empty() ? ". " : "; did you mean " + nearest + "? ";
    text += "Allowed: ";
    for (std::size_t i = 0; i < allowed.size(); ++i)
    {
        text += (i ? ", " : "") + allowed[i];
    }
    return text;
}

} // namespace ns3::llm
