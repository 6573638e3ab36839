// SPDX-License-Identifier: GPL-2.0-only

#include "operator-profile.h"

#include "llm-fabric-data.h"

#include "ns3/input-error.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ns3::llm
{

namespace
{

using Json = nlohmann::json; //!< a JSON value

constexpr const char* FOLDER = "profiles"; //!< in the data directory

/** A precision and its size. */
struct Precision
{
    const char* name; //!< as files have it
    uint32_t bytes;   //!< of a value
};

constexpr Precision PRECISIONS[] = {{"fp64", 8},
                                    {"fp32", 4},
                                    {"bf16", 2},
                                    {"fp16", 2},
                                    {"fp8", 1}}; //!< all

/** An object of a profile, whose keys are read one by one. */
class ProfileObject
{
  public:
    /**
     * @param json the object
     * @param place where it is, for messages
     * @param keys all that it may have; another is refused
     */
    ProfileObject(const Json& json, const std::string& place, const std::vector<std::string>& keys)
        : m_json(json),
          m_place(place)
    {
        if (!json.is_object())
        {
            RefuseInput(place + " must be a JSON object");
        }
        const std::set<std::string> known(keys.begin(), keys.end());
        for (const auto& item : json.items())
        {
            if (known.count(item.key()) == 0)
            {
                RefuseInput(place + ": key '" + item.key() + "' is not known" +
                            DescribeAllowedNames(item.key(), keys));
            }
        }
    }

    /**
     * @param key a key
     * @return its value; refused when it is not there
     */
    const Json& Get(const char* key) const
    {
        const auto found = m_json.find(key);
        if (found == m_json.end())
        {
            RefuseInput(m_place + ": " + key + " is missing");
        }
        return *found;
    }

    /**
     * @param key a key
     * @param required whether it must be there and not be empty
     * @return its text
     */
    std::string GetText(const char* key, bool required) const
    {
        if (!required && !m_json.contains(key))
        {
            return "";
        }
        const Json& value = Get(key);
        if (!value.is_string() || (required && value.get<std::string>().empty()))
        {
            Refuse(key, required ? "is not a text of at least one letter" : "is not a text");
        }
        return value.get<std::string>();
    }

    /**
     * @param key a key
     * @return its value, at least 1
     */
    uint64_t GetCount(const char* key) const
    {
        constexpr double MOST = 1e15; // products of four of them still fit a double
        const Json& value = Get(key);
        if (!value.is_number_integer() || value < 1 || value > MOST)
        {
            Refuse(key, "is not a whole number from 1 to 1e15");
        }
        return value.get<uint64_t>();
    }

    /**
     * @param key a key
     * @return its value, above 0
     */
    double GetPositive(const char* key) const
    {
        const Json& value = Get(key);
        if (!value.is_number() || !(value.get<double>() > 0))
        {
            Refuse(key, "is not a number above 0");
        }
        return value.get<double>();
    }

    /**
     * @param key a key that is there
     * @param why what is wrong with its value
     */
    [[noreturn]] void Refuse(const char* key, const std::string& why) const
    {
        RefuseInput(m_place + ": " + key + " = " + m_json.at(key).dump() + " " + why);
    }

  private:
    const Json& m_json;  //!< the object
    std::string m_place; //!< where it is
};

/**
 * @param json an entry
 * @param place where it is, for messages
 * @return it
 */
OperatorProfileEntry
ReadEntry(const Json& json, const std::string& place)
{
    const std::vector<std::string> common = {"operator", "kind", "precision", "seconds", "source"};
    const std::vector<std::string> ofMatrix = {"batch", "m", "n", "k"};
    const std::vector<std::string> ofVector = {"elements", "bytes"};
    const auto join = [](std::vector<std::string> a, const std::vector<std::string>& b)
    {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    const ProfileObject any(json, place, join(join(common, ofMatrix), ofVector));
    const std::string kind = any.GetText("kind", true);
    if (kind != "matrix" && kind != "vector")
    {
        any.Refuse("kind", "is not known" + DescribeAllowedNames(kind, {"matrix", "vector"}));
    }
    const bool matrix = kind == "matrix";
    const ProfileObject object(json,
                               place + " of kind " + kind,
                               join(common, matrix ? ofMatrix : ofVector));
    OperatorProfileEntry entry;
    entry.name = object.GetText("operator", true);
    entry.kind = matrix ? ModelOperator::MATRIX : ModelOperator::VECTOR;
    if (matrix)
    {
        entry.batch = json.contains("batch") ? object.GetCount("batch") : 1;
        entry.m = object.GetCount("m");
        entry.n = object.GetCount("n");
        entry.k = object.GetCount("k");
    }
    else
    {
        entry.elements = object.GetCount("elements");
        entry.bytes = object.GetCount("bytes");
    }
    entry.precision = object.GetText("precision", true);
    if (entry.GetPrecisionBytes() == 0)
    {
        std::vector<std::string> names;
        for (const auto& precision : PRECISIONS)
        {
            names.emplace_back(precision.name);
        }
        object.Refuse("precision", "is not known" + DescribeAllowedNames(entry.precision, names));
    }
    entry.seconds = object.GetPositive("seconds");
    entry.source = object.GetText("source", false);
    return entry;
}

/**
 * @param entry an entry
 * @return its line in a file
 */
std::string
WriteEntry(const OperatorProfileEntry& entry)
{
    nlohmann::ordered_json json;
    json["operator"] = entry.name;
    if (entry.kind == ModelOperator::MATRIX)
    {
        json["kind"] = "matrix";
        json["batch"] = entry.batch;
        json["m"] = entry.m;
        json["n"] = entry.n;
        json["k"] = entry.k;
    }
    else
    {
        json["kind"] = "vector";
        json["elements"] = entry.elements;
        json["bytes"] = entry.bytes;
    }
    json["precision"] = entry.precision;
    json["seconds"] = entry.seconds;
    if (!entry.source.empty())
    {
        json["source"] = entry.source;
    }
    return json.dump();
}

} // namespace

uint32_t
OperatorProfileEntry::GetPrecisionBytes() const
{
    for (const auto& known : PRECISIONS)
    {
        if (precision == known.name)
        {
            return known.bytes;
        }
    }
    return 0;
}

OperatorSize
OperatorSize::OfProduct(uint64_t batch, uint64_t m, uint64_t n, uint64_t k, uint32_t precisionBytes)
{
    const auto products = static_cast<double>(batch);
    const auto rows = static_cast<double>(m);
    const auto columns = static_cast<double>(n);
    const auto length = static_cast<double>(k);
    const double values = rows * length + length * columns + rows * columns;
    return {2 * products * rows * columns * length, products * values * precisionBytes};
}

OperatorSize
OperatorProfileEntry::GetSize() const
{
    return kind == ModelOperator::MATRIX
               ? OperatorSize::OfProduct(batch, m, n, k, GetPrecisionBytes())
               : OperatorSize{0, static_cast<double>(bytes)};
}

OperatorProfile
OperatorProfile::FromJson(const std::string& text, const std::string& place)
{
    Json root;
    try
    {
        root = Json::parse(text);
    }
    catch (const Json::parse_error& error)
    {
        RefuseInput(place + " is not valid JSON: " + error.what());
    }
    const ProfileObject object(root, place, {"device", "accelerator", "date", "source", "entries"});
    OperatorProfile profile;
    profile.device = object.GetText("device", true);
    profile.accelerator = object.GetText("accelerator", false);
    profile.date = object.GetText("date", true);
    profile.source = object.GetText("source", true);
    if (!profile.accelerator.empty())
    {
        profile.accelerator = Accelerator::FromName(profile.accelerator).name;
    }
    const Json& entries = object.Get("entries");
    if (!entries.is_array() || entries.empty())
    {
        RefuseInput(place + ": entries must be a list of at least one entry");
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
    {
        profile.entries.push_back(
            ReadEntry(entries[i], place + ", entry " + std::to_string(i + 1)));
    }
    return profile;
}

std::vector<std::string>
OperatorProfile::GetBuiltInNames()
{
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(FindDataFile(FOLDER)))
    {
        if (file.path().extension() == ".json")
        {
            names.insert(file.path().stem().string());
        }
    }
    return {names.begin(), names.end()};
}

OperatorProfile
OperatorProfile::Load(const std::string& nameOrPath)
{
    const auto names = GetBuiltInNames();
    std::string path = nameOrPath;
    for (const auto& name : names)
    {
        if (name == nameOrPath)
        {
            path = FindDataFile(std::string(FOLDER) + "/" + name + ".json");
        }
    }
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
    {
        RefuseInput("operator profile '" + nameOrPath +
                    "' is neither a file that can be read nor a name of data/profiles" +
                    DescribeAllowedNames(nameOrPath, names));
    }
    return FromJson(text.str(), path);
}

std::string
OperatorProfile::ToJson() const
{
    const auto quote = [](const std::string& text)
    {
        return Json(text).dump();
    };
    std::string text = "{\n \"device\": " + quote(device) + ",\n";
    if (!accelerator.empty())
    {
        text += " \"accelerator\": " + quote(accelerator) + ",\n";
    }
    text += " \"date\": " + quote(date) + ",\n \"source\": " + quote(source) + ",\n \"entries\": [";
    const char* link = "\n  ";
    for (const auto& entry : entries)
    {
        text += link + WriteEntry(entry);
        link = ",\n  ";
    }
    return text + "\n ]\n}\n";
}

std::string
OperatorProfile::DescribeOperators() const
{
    std::set<std::string> names;
    for (const auto& entry : entries)
    {
        names.insert(
            entry.name + " (" +
            (entry.kind == ModelOperator::MATRIX ? entry.precision + " matrix" : "vector") + ")");
    }
    std::string text;
    for (const auto& name : names)
    {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

} // namespace ns3::llm
