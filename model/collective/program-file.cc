// SPDX-License-Identifier: GPL-2.0-only

#include "program-file.h"

#include "collective-meaning.h"
#include "listed-program.h"
#include "program-check.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::json; //!< what a file is

/** Reads the parts of one object; says where in the file when something is wrong. */
class Fields
{
  public:
    /**
     * @param json the object
     * @param where its place, for messages
     * @param allowed its keys; another one is refused
     */
    Fields(const Json& json, const std::string& where, const std::set<std::string>& allowed)
        : m_json(json),
          m_where(where)
    {
        if (!json.is_object())
        {
            Refuse("it must be an object {...}");
        }
        for (const auto& item : json.items())
        {
            if (allowed.count(item.key()) == 0)
            {
                std::string names;
                for (const std::string& name : allowed)
                {
                    names += (names.empty() ? "" : ", ") + name;
                }
                Refuse("key \"" + item.key() + "\" is not known; allowed: " + names);
            }
        }
    }

    /** @param why what is wrong */
    [[noreturn]] void Refuse(const std::string& why) const
    {
        RefuseInput(m_where + ": " + why);
    }

    /** @param key a key @return whether it is there */
    bool Has(const std::string& key) const
    {
        return m_json.contains(key);
    }

    /** @param key a key @param end what its number must be below @return the number */
    uint32_t GetNumber(const std::string& key, uint64_t end) const
    {
        const Json value = m_json.value(key, Json());
        if (!value.is_number_unsigned() || value.get<uint64_t>() >= end)
        {
            Refuse("\"" + key + "\" is " + value.dump() + "; it must be a whole number below " +
                   std::to_string(end));
        }
        return value.get<uint32_t>();
    }

    /** @param key a key @return its text */
    std::string GetText(const std::string& key) const
    {
        const Json value = m_json.value(key, Json());
        if (!value.is_string())
        {
            Refuse("\"" + key + "\" is " + value.dump() + "; it must be a text");
        }
        return value.get<std::string>();
    }

    /** @param key a key @return its list */
    const Json& GetList(const std::string& key) const
    {
        if (!Has(key) || !m_json.at(key).is_array())
        {
            Refuse("\"" + key + "\" must be a list [...]");
        }
        return m_json.at(key);
    }

  private:
    const Json& m_json;  //!< the object
    std::string m_where; //!< for messages
};

constexpr uint64_t MOST = 1u << 20; //!< ranks, chunks and channels are fewer

/**
 * @param json a step
 * @param where its place, for messages
 * @param ranks number of ranks
 * @param chunks number of chunks
 * @return it
 */
ProgramFile::FileStep
ReadStep(const Json& json, const std::string& where, uint32_t ranks, uint32_t chunks)
{
    const Fields fields(
        json,
        where,
        {"do", "to", "from", "chunk", "count", "channel", "afterLane", "afterStep"});
    ProgramFile::FileStep result;
    Step& step = result.step;
    const std::string what = fields.GetText("do");
    const bool moves = what == "send" || what == "receive" || what == "reduce";
    if (!moves && what != "wait" && what != "copy")
    {
        fields.Refuse("\"do\" is \"" + what + "\"; allowed: send, receive, reduce, copy, wait");
    }
    step.kind = !moves ? Step::WAIT : what == "send" ? Step::SEND : Step::RECEIVE;
    step.reduce = what == "reduce";
    if (fields.Has("afterLane") || fields.Has("afterStep"))
    {
        step.dependencyLane = fields.GetNumber("afterLane", MOST);
        step.dependencyIndex = fields.GetNumber("afterStep", UINT32_MAX);
    }
    if (moves)
    {
        step.peer = fields.GetNumber(what == "send" ? "to" : "from", ranks);
        step.flow = fields.Has("channel") ? fields.GetNumber("channel", 64) : 0;
        result.firstChunk = fields.GetNumber("chunk", chunks);
        const uint32_t most = chunks - result.firstChunk;
        result.chunkCount = fields.Has("count") ? fields.GetNumber("count", most + 1) : 1;
    }
    return result;
}

/** The steps of a file for a size of buffer. */
class FileProgram : public ListedProgram
{
  public:
    /**
     * @param lanes by rank
     * @param ranges of each chunk
     * @param isVirtual whether messages have no bytes, as in a barrier
     */
    FileProgram(const std::vector<std::vector<std::vector<ProgramFile::FileStep>>>& lanes,
                BufferRanges ranges,
                bool isVirtual)
        : ListedProgram(static_cast<uint32_t>(lanes.size())),
          m_lanes(lanes),
          m_ranges(std::move(ranges)),
          m_isVirtual(isVirtual)
    {
    }

  private:
    RankLanes MakeLanes(uint32_t rank) const override
    {
        RankLanes result;
        for (const auto& lane : m_lanes[rank])
        {
            result.emplace_back();
            for (const ProgramFile::FileStep& fileStep : lane)
            {
                ListedStep listed{fileStep.step, {}};
                const bool moves = fileStep.step.kind != Step::WAIT;
                for (uint32_t i = 0; moves && i < fileStep.chunkCount; ++i)
                {
                    listed.ranges.push_back(m_ranges[fileStep.firstChunk + i]);
                }
                listed.step.chunk = fileStep.firstChunk;
                listed.step.begin = listed.ranges.empty() ? 0 : listed.ranges.front().begin;
                listed.step.bytes = m_isVirtual ? 0 : GetTotalBytes(listed.ranges);
                result.back().push_back(listed);
            }
        }
        return result;
    }

    std::vector<std::vector<std::vector<ProgramFile::FileStep>>> m_lanes; //!< by rank
    BufferRanges m_ranges;                                                //!< of each chunk
    bool m_isVirtual; //!< messages have no bytes
};

/** @param operation an operation @return whether its buffer has a part for each rank */
bool
HasParts(CollectiveOperation operation)
{
    return operation == CollectiveOperation::ALL_GATHER ||
           operation == CollectiveOperation::REDUCE_SCATTER ||
           operation == CollectiveOperation::GATHER || operation == CollectiveOperation::SCATTER;
}

} // namespace

ProgramFile::ProgramFile(const std::string& text, const std::string& source)
    : m_source(source)
{
    Json json;
    try
    {
        json = Json::parse(text);
    }
    catch (const Json::parse_error& error)
    {
        Refuse("the file", std::string("it is not JSON: ") + error.what());
    }
    const Fields fields(json, source, {"operation", "root", "ranks", "chunks", "programs", "text"});
    m_operation = ParseCollectiveOperation(fields.GetText("operation"));
    const uint32_t ranks = fields.GetNumber("ranks", MOST);
    m_chunks = fields.GetNumber("chunks", MOST);
    m_root = fields.Has("root") ? fields.GetNumber("root", ranks) : 0;
    const bool isExchange = m_operation == CollectiveOperation::ALL_TO_ALL ||
                            m_operation == CollectiveOperation::ALL_TO_ALL_V;
    const uint32_t unit = isExchange ? ranks * ranks : HasParts(m_operation) ? ranks : 1;
    if (ranks == 0 || m_chunks == 0 || m_chunks % unit != 0)
    {
        Refuse("the file",
               std::to_string(m_chunks) + " chunks among " + std::to_string(ranks) + " ranks; " +
                   llm::GetName(m_operation) + " needs a multiple of " + std::to_string(unit));
    }
    m_lanes.resize(ranks);
    for (const Json& program : fields.GetList("programs"))
    {
        const Fields own(program, source + ", \"programs\"", {"rank", "lanes"});
        const uint32_t rank = own.GetNumber("rank", ranks);
        for (const Json& lane : own.GetList("lanes"))
        {
            m_lanes[rank].emplace_back();
            const std::string where = source + ", rank " + std::to_string(rank) + ", lane " +
                                      std::to_string(m_lanes[rank].size() - 1);
            if (!lane.is_array())
            {
                RefuseInput(where + ": it must be a list of steps [...]");
            }
            for (const Json& step : lane)
            {
                m_lanes[rank].back().push_back(
                    ReadStep(step,
                             where + ", step " + std::to_string(m_lanes[rank].back().size()),
                             ranks,
                             m_chunks));
            }
        }
    }
    NumberMessages();
    Try();
}

std::shared_ptr<const ProgramFile>
ProgramFile::Read(const std::string& name)
{
    std::ifstream file(name);
    if (!file)
    {
        RefuseInput("collective program \"" + name + "\" cannot be read; give the path of a file");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return std::make_shared<ProgramFile>(text.str(), name);
}

void
ProgramFile::Refuse(const std::string& where, const std::string& why) const
{
    RefuseInput(m_source + ": " + where + ": " + why);
}

void
ProgramFile::NumberMessages()
{
    // by sender, receiver, channel and kind
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, bool>, uint32_t> counts;
    for (uint32_t rank = 0; rank < m_lanes.size(); ++rank)
    {
        for (uint32_t lane = 0; lane < m_lanes[rank].size(); ++lane)
        {
            for (uint32_t i = 0; i < m_lanes[rank][lane].size(); ++i)
            {
                Step& step = m_lanes[rank][lane][i].step;
                const std::string where = "rank " + std::to_string(rank) + ", lane " +
                                          std::to_string(lane) + ", step " + std::to_string(i);
                const uint32_t other = step.dependencyLane;
                if (other != Step::NONE && (other >= m_lanes[rank].size() ||
                                            step.dependencyIndex >= m_lanes[rank][other].size()))
                {
                    Refuse(where,
                           "it comes after step " + std::to_string(step.dependencyIndex) +
                               " of lane " + std::to_string(other) + ", which does not exist");
                }
                if (step.kind != Step::WAIT)
                {
                    const bool sends = step.kind == Step::SEND;
                    const uint32_t number = counts
                        [{sends ? rank : step.peer, sends ? step.peer : rank, step.flow, sends}]++;
                    step.place = step.flow << 24 | number;
                }
            }
        }
    }
}

void
ProgramFile::Try() const
{
    CollectiveRequest request;
    request.operation = m_operation;
    request.root = m_root;
    request.bytes = m_operation == CollectiveOperation::BARRIER ? 0 : m_chunks;
    if (m_operation == CollectiveOperation::ALL_TO_ALL ||
        m_operation == CollectiveOperation::ALL_TO_ALL_V)
    {
        request.bytes = m_chunks / GetSize();
    }
    if (m_operation == CollectiveOperation::ALL_TO_ALL_V)
    {
        request.matrix =
            std::make_shared<TrafficMatrix>(TrafficMatrix::MakeEven(GetSize(), request.bytes));
        request.bytes = 0;
    }
    const std::string fault = CheckProgram(request, MakeProgram(request));
    if (!fault.empty())
    {
        Refuse("it does not do " + llm::GetName(m_operation), fault);
    }
}

std::shared_ptr<const StepProgram>
ProgramFile::MakeProgram(const CollectiveRequest& request) const
{
    const uint32_t ranks = GetSize();
    const CollectiveMeaning meaning(request, ranks);
    BufferRanges ranges;
    const bool isExchange = request.operation == CollectiveOperation::ALL_TO_ALL ||
                            request.operation == CollectiveOperation::ALL_TO_ALL_V;
    for (uint32_t chunk = 0; chunk < m_chunks; ++chunk)
    {
        BufferRange whole = meaning.GetBuffer();
        uint32_t each = m_chunks;
        if (isExchange)
        {
            each = m_chunks / ranks / ranks;
            whole = meaning.GetBlock(chunk / each / ranks, chunk / each % ranks);
        }
        else if (HasParts(request.operation))
        {
            each = m_chunks / ranks;
            whole = meaning.GetPartOf(chunk / each);
        }
        ranges.push_back(GetPart(whole, each, chunk % each));
    }
    return std::make_shared<FileProgram>(m_lanes,
                                         ranges,
                                         request.operation == CollectiveOperation::BARRIER);
}

} // namespace ns3::llm
