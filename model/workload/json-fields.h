// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_JSON_FIELDS_H
#define LLM_FABRIC_JSON_FIELDS_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * Typed access to the keys of a JSON object that a user wrote. Wrong values are refused (InputError)
 * with key, value and file. A key whose value is null counts as absent.
 */
class JsonFields
{
  public:
    /** The names of one quantity, commonest first. */
    using Names = std::vector<const char*>;

    /** Largest number accepted; far above any that a file has. */
    static constexpr uint64_t MAX_COUNT = 1u << 24;

    /**
     * @param json the object; must outlive this
     * @param source the file, for messages
     */
    JsonFields(const nlohmann::json& json, const std::string& source);

    /**
     * @param key a key
     * @return its value; null pointer when absent
     */
    const nlohmann::json* Find(const char* key) const;
    /**
     * @param key a key
     * @return whether it is there, be it null
     */
    bool IsGiven(const char* key) const;
    /**
     * Refuse a value.
     * @param key its key
     * @param why what is wrong
     */
    [[noreturn]] void Refuse(const std::string& key, const std::string& why) const;
    /**
     * @param names the names of a quantity
     * @param least least value allowed
     * @return its value if the file has it, least to MAX_COUNT; refused: anything else, and names
     *         whose values contradict each other
     */
    std::optional<uint64_t> FindCount(const Names& names, uint64_t least = 1) const;
    /**
     * @param names the names of a quantity that must be there
     * @param least least value allowed
     * @return its value
     */
    uint64_t RequireCount(const Names& names, uint64_t least = 1) const;
    /**
     * @param key a key
     * @param most largest number allowed
     * @return its numbers, none when absent; refused: what is no list of whole numbers from 0 to most
     */
    std::vector<uint64_t> GetNumbers(const char* key, uint64_t most) const;
    /**
     * @param names the names of a quantity
     * @return the one that the file uses; the commonest when it uses none
     */
    const char* FindName(const Names& names) const;
    /**
     * @param key a key
     * @param otherwise its value when absent
     * @return the value; refused when it is not true or false
     */
    bool GetFlag(const char* key, bool otherwise) const;

  private:
    /**
     * @param name a key that is there
     * @param least least value allowed
     * @return its value; refused when it is not a whole number in range
     */
    uint64_t GetCount(const char* name, uint64_t least) const;

    const nlohmann::json& m_json; //!< the object
    std::string m_source;         //!< the file
};

} // namespace ns3::llm

#endif // LLM_FABRIC_JSON_FIELDS_H
