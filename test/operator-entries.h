// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_OPERATOR_ENTRIES_H
#define LLM_FABRIC_TEST_OPERATOR_ENTRIES_H

#include "ns3/operator-profile.h"

#include <cstdint>
#include <string>

/**
 * @file
 * Entries of profiles, and the operators that they measured.
 */

namespace ns3::llm
{

/**
 * @param name of a matrix product
 * @param edge of it: edge x edge x edge
 * @param precision of its operands
 * @param seconds it took
 * @return an entry
 */
inline OperatorProfileEntry
MakeProduct(const std::string& name, uint64_t edge, const std::string& precision, double seconds)
{
    OperatorProfileEntry entry;
    entry.name = name;
    entry.kind = ModelOperator::MATRIX;
    entry.m = entry.n = entry.k = edge;
    entry.precision = precision;
    entry.seconds = seconds;
    return entry;
}

/**
 * @param name of a vector operator
 * @param bytes it reads and writes
 * @param seconds it took
 * @return an entry
 */
inline OperatorProfileEntry
MakeVector(const std::string& name, uint64_t bytes, double seconds)
{
    OperatorProfileEntry entry;
    entry.name = name;
    entry.elements = bytes / 8;
    entry.bytes = bytes;
    entry.precision = "fp32";
    entry.seconds = seconds;
    return entry;
}

/**
 * @param entry an entry; its name must outlive the operator
 * @return the operator that it measured
 */
inline ModelOperator
MakeOperator(const OperatorProfileEntry& entry)
{
    ModelOperator op;
    op.name = entry.name.c_str();
    op.kind = entry.kind;
    op.batch = entry.batch;
    op.m = entry.m;
    op.n = entry.n;
    op.k = entry.k;
    op.elements = entry.elements;
    op.flops = static_cast<uint64_t>(entry.GetSize().flops);
    op.bytes = static_cast<uint64_t>(entry.GetSize().bytes);
    op.precision = entry.kind == ModelOperator::MATRIX ? entry.GetPrecisionBytes() : 2;
    return op;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_OPERATOR_ENTRIES_H
