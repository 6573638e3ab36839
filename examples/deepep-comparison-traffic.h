// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_DEEPEP_COMPARISON_TRAFFIC_H
#define LLM_FABRIC_DEEPEP_COMPARISON_TRAFFIC_H

#include <cstdint>
#include <string>
#include <vector>

/** Experts of the layer: as many as the largest group has accelerators. */
constexpr uint32_t EXPERTS = 256;

/** A row of data/deepep-all-to-all.csv. */
struct Measured
{
    std::string kernel;      //!< normal or low_latency
    std::string operation;   //!< dispatch or combine
    std::string dtype;       //!< fp8 or bf16
    std::string bottleneck;  //!< what its rate counts
    uint32_t ranks = 0;      //!< accelerators
    uint32_t domainSize = 0; //!< of a node
    uint32_t tokens = 0;     //!< of each accelerator
    uint32_t hidden = 0;     //!< values of a token
    uint32_t topK = 0;       //!< experts of a token
    double latencyUs = 0;    //!< 0: not measured
    double gBytesPerS = 0;   //!< rate
};

/** @return the rows of the systems whose rates are known */
std::vector<Measured> ReadMeasured();

/** Bytes by sender and receiver. */
using Sizes = std::vector<uint64_t>;

/** What a kernel sends. */
struct KernelTraffic
{
    Sizes first;              //!< a copy for each expert, or one for each node, along the rail
    Sizes second;             //!< normal kernels: one for each accelerator, inside nodes
    double firstLogical = 0;  //!< bytes of `first` as the project counts them, all accelerators
    double secondLogical = 0; //!< the same of `second`
};

/**
 * @param row a kernel
 * @param tokens of each accelerator
 * @return what it sends, if experts are drawn at random
 */
KernelTraffic MakeKernelTraffic(const Measured& row, uint32_t tokens);

#endif // LLM_FABRIC_DEEPEP_COMPARISON_TRAFFIC_H
