// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_MEGATRON_REFERENCES_H
#define LLM_FABRIC_MEGATRON_REFERENCES_H

#include <cstdint>

/**
 * @file
 * @ingroup llm-fabric-test
 * Times of the operators of published runs, from a program that shares nothing but the formulas.
 */

namespace ns3::llm
{

/**
 * A run, and what a program of its own that knows only the formulas of doc/workload.rst gives for it:
 * seconds of a block's operators, of a block with its collectives, and of the operators of both ends.
 */
struct MegatronReference
{
    const char* name;         //!< of the model
    uint64_t layers;          //!< blocks
    uint64_t hidden;          //!< hidden size
    uint64_t heads;           //!< heads
    uint32_t tensor;          //!< TP
    uint32_t microBatch;      //!< sequences of 2048 tokens
    uint32_t microBatches;    //!< of an iteration
    bool sequenceParallel;    //!< SP and selective recomputation, else full recomputation
    double forward;           //!< operators, forward
    double backward;          //!< operators, backward
    double recomputation;     //!< operators, once more
    double forwardWith;       //!< with collectives
    double backwardWith;      //!< with collectives and recomputation
    double embeddingForward;  //!< operators
    double embeddingBackward; //!< operators
    double logitsForward;     //!< operators
    double logitsBackward;    //!< operators
};

/** Models of Korthikanti et al. (arXiv 2205.05198), with the software of 2022. */
// clang-format off
inline const MegatronReference MEGATRON_2022[] = {
    {"22B", 48, 6144, 64, 8, 4, 1, false,
     0.00612890321142836, 0.0111850402233386, 0.00612890321142836, 0.00775073597664575, 0.0192961834811438,
     0.000460102776470588, 0.000434196781176471, 0.00391079828878795, 0.00634341049635145},
    {"22B", 48, 6144, 64, 8, 4, 1, true,
     0.00548615446332025, 0.0100570713585893, 0.00119220109736256, 0.00712798722853764, 0.0124350405641644,
     0.0003305728, 0.000304666804705882, 0.00380717430761147, 0.00603253855282204},
    {"175B", 96, 12288, 96, 8, 1, 64, false,
     0.00505676429983918, 0.00999765828418278, 0.00505676429983918, 0.00591268068244788, 0.0161005426072104,
     0.000238051388235294, 0.000363880508235294, 0.00175619572045161, 0.00330777427007969},
    {"175B", 96, 12288, 96, 8, 1, 64, true,
     0.00473538992578513, 0.00943367385180809, 0.000478473376271318, 0.00561130630839383, 0.0105447535044079,
     0.0001732864, 0.00029911552, 0.00170438372986337, 0.00315233829831498},
    {"530B", 105, 20480, 128, 8, 1, 280, false,
     0.0118812386893378, 0.0248117263139983, 0.0118812386893378, 0.0132477659936857, 0.0383631650419835,
     0.000386085647058824, 0.000595800847058824, 0.00269780711055661, 0.00516327038470501},
    {"530B", 105, 20480, 128, 8, 1, 280, true,
     0.0113456147325811, 0.0238717522600405, 0.000703435745623688, 0.0127321420369289, 0.0255765688365821,
     0.000278144, 0.0004878592, 0.00261145379290955, 0.00490421043176383},
    {"1T", 128, 25600, 160, 8, 1, 512, false,
     0.018369574086214, 0.0382151334569921, 0.018369574086214, 0.0200552332166488, 0.0586449575915153,
     0.000478607058823529, 0.000740751058823529, 0.00328631422937223, 0.0063899108319993},
    {"1T", 128, 25600, 160, 8, 1, 512, true,
     0.017700044140268, 0.0370401658895448, 0.00085777608606247, 0.0194057032707028, 0.0391298069031435,
     0.00034368, 0.000605824, 0.0031783725823134, 0.00606608589082283}};
// clang-format on

/** Models of Narayanan et al. (arXiv 2104.04473), with the software of 2021. */
// clang-format off
inline const MegatronReference MEGATRON_2021[] = {
    {"1.7B", 24, 2304, 24, 1, 16, 1, false,
     0.033717465112901, 0.0562810472038172, 0.033717465112901, 0.033717465112901, 0.0899985123167182,
     0.000682154164705882, 0.000782077289411765, 0.069231225472298, 0.0762282968388996},
    {"39.1B", 48, 8192, 64, 8, 4, 12, false,
     0.00946227583816203, 0.0184362334978097, 0.00946227583816203, 0.0115947195251186, 0.0321633967098848,
     0.000608137035294118, 0.000573595708235294, 0.00479602620465844, 0.00795973905886149},
    {"1T", 128, 25600, 160, 8, 1, 512, false,
     0.0185042778790825, 0.0398309363926615, 0.0185042778790825, 0.0201899370095173, 0.0617065325326135,
     0.000478607058823529, 0.000740751058823529, 0.00328631422937223, 0.00656738847905812}};
// clang-format on

} // namespace ns3::llm

#endif // LLM_FABRIC_MEGATRON_REFERENCES_H
