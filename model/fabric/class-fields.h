// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CLASS_FIELDS_H
#define LLM_FABRIC_CLASS_FIELDS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Reads an attribute that lists settings by traffic class: "class:field:field,class:field:field".
 * What is wrong is refused with the attribute, its value, what is wrong and an example.
 */
class ClassFields
{
  public:
    /**
     * @param attribute its name
     * @param text its value
     * @param example a right value
     */
    ClassFields(const std::string& attribute, const std::string& text, const std::string& example);

    /** @return the fields after the class, by class */
    const std::map<uint8_t, std::vector<std::string>>& Get() const
    {
        return m_fields;
    }

    /**
     * Refuse the value.
     * @param what is wrong
     */
    [[noreturn]] void Refuse(const std::string& what) const;

    /**
     * @param text a field
     * @param name what it is
     * @param max largest value allowed
     * @return the whole number that it holds
     */
    uint64_t ReadNumber(const std::string& text, const std::string& name, uint64_t max) const;
    /**
     * @param text a field
     * @param name what it is
     * @return the number that it holds, 0 to 1
     */
    double ReadShare(const std::string& text, const std::string& name) const;

  private:
    std::string m_attribute;                              //!< its name
    std::string m_text;                                   //!< its value
    std::string m_example;                                //!< a right value
    std::map<uint8_t, std::vector<std::string>> m_fields; //!< by class
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CLASS_FIELDS_H
