// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RUN_MANIFEST_H
#define LLM_FABRIC_RUN_MANIFEST_H

#include "ns3/object-base.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * What anyone needs to repeat a run: the command, every attribute that differs from its default,
 * seed and run number, and the versions of what it was built from.
 */
class RunManifest
{
  public:
    /** An attribute that differs from its built-in default. */
    struct Change
    {
        std::string original;                   //!< the built-in default
        std::map<std::string, uint64_t> values; //!< other values, and how many objects have each
        uint64_t moreObjects = 0; //!< objects with further values, when there are too many to list
    };

    /** Most different values of an attribute that are listed. */
    static constexpr std::size_t MAX_VALUES = 8;

    /**
     * @param argc number of words
     * @param argv the words of the command line
     */
    void SetCommand(int argc, const char* const* argv);
    /**
     * Add something that no attribute says: "model", "padded vocabulary".
     * @param name what
     * @param value its text
     */
    void AddFact(const std::string& name, const std::string& value);
    /**
     * Look at an object, what it is aggregated with, and all that its attributes point to, for
     * attributes that differ from their built-in defaults. An object is looked at once.
     * @param object the object
     */
    void AddObject(Ptr<Object> object);
    /** AddObject() for every node, its devices with their channels, and its applications. */
    void AddNodes();

    /** @return by "TypeId::Attribute": what Config::SetDefault() and the like have changed */
    static std::map<std::string, std::pair<std::string, std::string>> FindChangedDefaults();
    /** @return by "TypeId::Attribute": what differs in the objects added */
    const std::map<std::string, Change>& GetChanges() const;

    /** @return all of it as JSON */
    std::string ToJson() const;

  private:
    /**
     * Look at one object, without what it is aggregated with.
     * @param object the object
     */
    void Visit(Ptr<Object> object);
    /**
     * Look at the attributes that one of an object's types declares.
     * @param object the object
     * @param tid the type
     */
    void VisitType(Ptr<Object> object, TypeId tid);

    std::vector<std::string> m_command;                       //!< words of the command line
    std::vector<std::pair<std::string, std::string>> m_facts; //!< name and text
    std::set<Ptr<Object>> m_seen;            //!< objects looked at, held so that none can return
    std::map<std::string, Change> m_changes; //!< by attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RUN_MANIFEST_H
