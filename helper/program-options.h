// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROGRAM_OPTIONS_H
#define LLM_FABRIC_PROGRAM_OPTIONS_H

#include "ns3/data-rate.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * The command line of a program: as ns-3's CommandLine, with attributes ("--ns3::llm::Dcqcn::G=1")
 * and global values ("--RngRun=2"), but what is wrong is refused with an InputError that names the
 * option, its value, what is allowed and what was probably meant. Options are "--name=value" or
 * "--name value"; a flag needs no value.
 */
class ProgramOptions
{
  public:
    /**
     * @param program name of the program
     * @param description what it does, for --help
     */
    ProgramOptions(std::string program, std::string description);

    /**
     * @param name the option, without dashes
     * @param help what it is for
     * @param value its default; gets the value
     */
    void Add(const std::string& name, const std::string& help, std::string& value);
    /**
     * @param name the option, without dashes
     * @param help what it is for
     * @param value its default; gets the value
     * @param allowed the values that are allowed
     */
    void Add(const std::string& name,
             const std::string& help,
             std::string& value,
             const std::vector<std::string>& allowed);
    /**
     * @param name the option, without dashes
     * @param help what it is for
     * @param value its default; gets the value
     * @param min least value allowed
     * @param max greatest value allowed
     */
    void Add(const std::string& name,
             const std::string& help,
             uint32_t& value,
             uint32_t min = 0,
             uint32_t max = UINT32_MAX);
    /**
     * @param name the option, without dashes
     * @param help what it is for
     * @param value its default; gets the value
     */
    void Add(const std::string& name, const std::string& help, uint64_t& value);
    /**
     * A rate, which needs a unit.
     * @param name the option, without dashes
     * @param help what it is for
     * @param value its default; gets the value
     */
    void Add(const std::string& name, const std::string& help, DataRate& value);
    /**
     * @param name the flag, without dashes
     * @param help what it is for
     * @param value its default; gets the value: true for "--name", or what "--name=true|false" says
     */
    void Add(const std::string& name, const std::string& help, bool& value);

    /**
     * Read the command line. `--help` prints the options and exits with status 0; ns-3's own
     * `--PrintTypeIds`, `--PrintAttributes=TYPE` and the like do what they do in ns-3.
     * @param argc number of words
     * @param argv the words
     */
    void Parse(int argc, char* argv[]) const;

    /** @return the text that --help prints */
    std::string GetHelp() const;

  private:
    /** An option. */
    struct Option
    {
        std::string name;                            //!< without dashes
        std::string help;                            //!< what it is for
        std::string original;                        //!< default as text
        bool isFlag = false;                         //!< may stand without value
        std::function<void(const std::string&)> set; //!< takes a value or refuses it
    };

    /**
     * @param name an option without dashes
     * @return it, or null
     */
    const Option* Find(const std::string& name) const;
    /**
     * Set an attribute's default or a global value, or refuse.
     * @param name its name
     * @param value its value
     * @param hasValue whether a value was given
     */
    void SetForeign(const std::string& name, const std::string& value, bool hasValue) const;

    std::string m_program;         //!< name of the program
    std::string m_description;     //!< what it does
    std::vector<Option> m_options; //!< in the order of Add()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PROGRAM_OPTIONS_H
