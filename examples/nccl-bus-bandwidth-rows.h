// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NCCL_BUS_BANDWIDTH_ROWS_H
#define LLM_FABRIC_NCCL_BUS_BANDWIDTH_ROWS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::llm
{

/** A published measurement of a collective: a line of data/nccl-busbw.csv. */
struct Measurement
{
    uint32_t line = 0;        //!< in the file
    std::string operation;    //!< in the module's words
    uint32_t ranks = 0;       //!< GPUs
    uint32_t nodes = 0;       //!< servers
    std::string system;       //!< as the source names it
    double nicGbps = 0;       //!< of a GPU's NICs; 0 if there is none or nobody says
    uint64_t bytes = 0;       //!< S; 0 if nobody says
    double busGBytesPerS = 0; //!< bus bandwidth; from size and time where these are there
    std::string algorithm;    //!< as far as it is known
};

/** @param path of a file of measurements @return they, in the order of the file */
std::vector<Measurement> ReadMeasurements(const std::string& path);

/** A protocol of the library, by which it moves data. */
struct Protocol
{
    std::string name;  //!< "LL", "Simple"
    double share = 1;  //!< of a link's rate that is payload
    double stepUs = 0; //!< software latency of a step
};

/** Constants of a class of systems. */
struct SystemClass
{
    double domainGbps = 0;           //!< of a GPU into its HB domain, one direction
    double domainEfficiency = 1;     //!< share of it that a ring gets
    double switchEfficiency = 0;     //!< share that a reduction in the switch gets; 0: has none
    uint32_t switchRanks = 0;        //!< fewest ranks for which it is used
    double nicEfficiency = 1;        //!< share of the NIC's rate that is left for frames
    double nicUs = 0;                //!< latency between NICs beyond the frames'
    double launchUs = 0;             //!< of an operation
    double switchUs = 0;             //!< more of one that is reduced in the switch
    double reductionGBytesPerS = 0;  //!< see Communicator; 0: no limit
    uint64_t chunkBytes = 0;         //!< see Communicator
    std::vector<Protocol> protocols; //!< the fastest is taken
};

/** What is known of a system. */
struct System
{
    std::string className;   //!< which constants
    uint32_t domain = 0;     //!< GPUs of an HB domain; 0: those of a node
    uint32_t meshGpus = 0;   //!< as many are joined in pairs; 0: by a switch
    std::string acrossNodes; //!< all-reduce: "ring", "tree", "switch tree"
    std::string leftOut;     //!< why its rows cannot be described, if so
};

/** The systems of the measurements, and their constants. */
struct SystemTable
{
    std::map<std::string, SystemClass> classes; //!< by name
    std::map<std::string, System> systems;      //!< by the name that measurements use
};

/** @param path of a file of systems, JSON @return they */
SystemTable ReadSystems(const std::string& path);

} // namespace ns3::llm

#endif // LLM_FABRIC_NCCL_BUS_BANDWIDTH_ROWS_H
