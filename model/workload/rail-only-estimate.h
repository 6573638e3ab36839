// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RAIL_ONLY_ESTIMATE_H
#define LLM_FABRIC_RAIL_ONLY_ESTIMATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-workload
 * What is trained, as the closed form of the rail-only paper sees it (W. Wang et al., arXiv
 * 2307.12169v1).
 */
struct RailOnlyJob
{
    std::string name;           //!< of the model, as the paper has it
    double parameters = 0;      //!< P: of the whole model
    double blocks = 0;          //!< l: transformer blocks
    double hidden = 0;          //!< d: hidden size
    double blockParameters = 0; //!< S_T: parameters of a block whose gradients are summed
    double modelTransfers = 8;  //!< M_cc: hidden vectors that model parallelism moves for a token
    double batchTokens = 0;     //!< b: tokens of an iteration
    double elementBytes = 4;    //!< bytes of a parameter's gradient and of an activation

    /**
     * A model of the paper: GPT3 or OPT (175e9 parameters, S_T = 12 d^2, M_cc = 8), or PaLM (540e9,
     * S_T = P/l, M_cc = 12). S_T, P and the bytes are inferred from its figures.
     * @param name one of these; anything else is refused
     * @param batchTokens tokens of an iteration
     * @return the job
     */
    static RailOnlyJob FromName(const std::string& name, double batchTokens);
    /** @return the names that FromName() takes */
    static std::vector<std::string> GetNames();
};

/**
 * @ingroup llm-fabric-workload
 * What it is trained on: N / K HB domains. The rates are those that reproduce the paper's figures.
 */
struct RailOnlyMachine
{
    double accelerators = 0;             //!< N
    double domainSize = 0;               //!< K: accelerators of an HB domain
    double flopsPerSecond = 989e12;      //!< C: of an accelerator, FLOP/s
    double domainBytesPerSecond = 960e9; //!< B_F: of an accelerator into its HB domain, byte/s
    double nicBytesPerSecond = 50e9;     //!< B_S: of an accelerator's NIC, byte/s
};

/**
 * @ingroup llm-fabric-workload
 * One iteration in closed form: bandwidth alone. There is no latency, overlap, pipeline, bubble,
 * efficiency below the peak or limit of memory in it.
 */
struct RailOnlyEstimate
{
    double computeSeconds = 0; //!< M_flop / (N C), with M_flop = 6 P b
    double modelBytes = 0;     //!< an accelerator moves for model parallelism, in its HB domain
    double insideBytes = 0;    //!< for data parallelism inside its HB domain
    double acrossBytes = 0;    //!< for data parallelism across HB domains, by its NIC
    double modelSeconds = 0;   //!< time of modelBytes
    double insideSeconds = 0;  //!< time of insideBytes
    double acrossSeconds = 0;  //!< time of acrossBytes

    /** @return T: time of the iteration, one part after the other, s */
    double GetSeconds() const;
    /** @return bytes that an accelerator moves */
    double GetBytes() const;
};

/**
 * @ingroup llm-fabric-workload
 * Equation 1 of the paper; with K = N it is the ideal, one HB domain.
 * @param job what; refused unless all numbers are above 0
 * @param machine on what; refused unless all numbers are above 0 and K is at most N
 * @param modelParallel N_M, ranks of a model-parallel group, a real number; refused unless 1 to K
 * @return the iteration
 */
RailOnlyEstimate
EstimateRailOnly(const RailOnlyJob& job, const RailOnlyMachine& machine, double modelParallel);

/**
 * @ingroup llm-fabric-workload
 * Find N_M* = sqrt(2 N S_T / (M_cc b d)), where the time is least, or the end of 1 to K that is
 * nearest. The paper prints a value that is 2 sqrt(2) times smaller, which its figures do not use.
 * @param job what
 * @param machine on what
 * @return N_M, a real number
 */
double FindBestModelParallel(const RailOnlyJob& job, const RailOnlyMachine& machine);

/**
 * @ingroup llm-fabric-workload
 * @param modelParallel N_M, a real number, at least 1
 * @return the power of two that is nearest by ratio, as groups of real machines have it
 */
double RoundModelParallel(double modelParallel);

} // namespace ns3::llm

#endif // LLM_FABRIC_RAIL_ONLY_ESTIMATE_H
