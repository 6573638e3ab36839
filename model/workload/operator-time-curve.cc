// SPDX-License-Identifier: GPL-2.0-only

#include "operator-time-curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace ns3::llm
{

namespace
{

constexpr std::size_t TERMS = 3;       //!< of a curve
using Row = std::array<double, TERMS>; //!< a value of each term
using Matrix = std::array<Row, TERMS>; //!< of the normal equations

/**
 * Solve the normal equations for some of the terms.
 * @param a their matrix
 * @param b their right side
 * @param chosen a bit for each term that takes part
 * @return the terms, those that take no part 0; nothing when there is no single solution
 */
std::optional<Row>
Solve(Matrix a, Row b, unsigned chosen)
{
    for (std::size_t i = 0; i < TERMS; ++i)
    {
        if (!(chosen >> i & 1u))
        {
            a[i] = {};
            for (auto& row : a)
            {
                row[i] = 0;
            }
            a[i][i] = 1;
            b[i] = 0;
        }
    }
    // columns have length 1, so that a pivot near 0 means terms that cannot be told apart
    constexpr double LEAST_PIVOT = 1e-9;
    for (std::size_t i = 0; i < TERMS; ++i)
    {
        if (a[i][i] < LEAST_PIVOT)
        {
            return std::nullopt;
        }
        for (std::size_t r = 0; r < TERMS; ++r)
        {
            const double factor = a[r][i] / a[i][i];
            if (r == i || factor == 0)
            {
                continue;
            }
            for (std::size_t c = i; c < TERMS; ++c)
            {
                a[r][c] -= factor * a[i][c];
            }
            b[r] -= factor * b[i];
        }
    }
    Row result;
    for (std::size_t i = 0; i < TERMS; ++i)
    {
        result[i] = b[i] / a[i][i];
    }
    return result;
}

/**
 * @param rows the terms of each time, over that time
 * @param allowed a bit for each term that may take part
 * @return factors of at least 0 for which the sums of the rows come closest to 1
 */
Row
FitRows(const std::vector<Row>& rows, unsigned allowed)
{
    Row length{};
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < TERMS; ++i)
        {
            length[i] += row[i] * row[i];
        }
    }
    Matrix a{};
    Row b{};
    for (std::size_t i = 0; i < TERMS; ++i)
    {
        length[i] = length[i] > 0 ? std::sqrt(length[i]) : 1;
    }
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < TERMS; ++i)
        {
            b[i] += row[i] / length[i];
            for (std::size_t j = 0; j < TERMS; ++j)
            {
                a[i][j] += row[i] / length[i] * row[j] / length[j];
            }
        }
    }
    // of all choices of terms, that with the least error: sum (1 - x)^2 = rows - x b at a solution
    Row best{};
    double most = 0;
    for (unsigned chosen = 1; chosen < 1u << TERMS; ++chosen)
    {
        const auto found = (chosen & ~allowed) ? std::nullopt : Solve(a, b, chosen);
        if (!found || *std::min_element(found->begin(), found->end()) < 0)
        {
            continue;
        }
        double explained = 0;
        for (std::size_t i = 0; i < TERMS; ++i)
        {
            explained += (*found)[i] * b[i];
        }
        if (explained > most)
        {
            most = explained;
            best = *found;
        }
    }
    for (std::size_t i = 0; i < TERMS; ++i)
    {
        best[i] /= length[i];
    }
    return best;
}

} // namespace

std::size_t
CountSizes(const std::vector<OperatorProfileEntry>& entries)
{
    std::set<std::pair<double, double>> sizes;
    for (const auto& entry : entries)
    {
        const OperatorSize size = entry.GetSize();
        sizes.insert({size.flops, size.bytes});
    }
    return sizes.size();
}

double
OperatorTimeCurve::GetSeconds(const OperatorSize& size,
                              double computeFactor,
                              double memoryFactor) const
{
    return launchSeconds + secondsPerFlop * size.flops / computeFactor +
           secondsPerByte * size.bytes / memoryFactor;
}

OperatorTimeCurve
OperatorTimeCurve::Fit(const std::vector<OperatorProfileEntry>& entries)
{
    constexpr unsigned LAUNCH = 1;
    constexpr unsigned FLOPS = 2;
    constexpr unsigned BYTES = 4;
    const bool matrix = entries.front().kind == ModelOperator::MATRIX;
    const std::size_t sizes = CountSizes(entries);
    unsigned allowed = matrix ? FLOPS : BYTES;
    allowed |= sizes > 1 ? LAUNCH : 0;
    allowed |= sizes > 2 ? BYTES : 0;
    std::vector<Row> rows;
    for (const auto& entry : entries)
    {
        const OperatorSize size = entry.GetSize();
        rows.push_back({1 / entry.seconds, size.flops / entry.seconds, size.bytes / entry.seconds});
    }
    const Row fitted = FitRows(rows, allowed);
    return {fitted[0], fitted[1], fitted[2]};
}

OperatorTimeCurve
OperatorTimeCurve::Through(const OperatorProfileEntry& entry, double launchSeconds)
{
    const OperatorSize size = entry.GetSize();
    const double rest = entry.seconds - launchSeconds;
    return entry.kind == ModelOperator::MATRIX
               ? OperatorTimeCurve{launchSeconds, rest / size.flops, 0}
               : OperatorTimeCurve{launchSeconds, 0, rest / size.bytes};
}

} // namespace ns3::llm
