// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TEST_CLOSED_FORM_BYTES_H
#define LLM_FABRIC_TEST_CLOSED_FORM_BYTES_H

#include "pair-bytes.h"

#include <array>

/**
 * @file
 * @ingroup llm-fabric-test
 * The closed forms of the algorithms: bytes from each rank to each other.
 */

namespace ns3::llm
{

/** One message for each pair, or to or from the root. @param op the operation @return bytes */
inline PairBytes
CountDirect(const CountedOperation& op)
{
    using Op = CollectiveOperation;
    PairBytes result(op.size);
    const uint64_t root = op.request.root;
    for (uint64_t a = 0; a < op.size; ++a)
    {
        for (uint64_t b = 0; b < op.size; ++b)
        {
            const Op what = op.request.operation;
            const bool exchanges = what == Op::ALL_TO_ALL || what == Op::ALL_TO_ALL_V;
            result.Add(a, b, op.Scatters() ? op.Part(b) : 0);
            result.Add(a, b, op.Gathers() ? op.Part(a) : 0);
            result.Add(a, b, exchanges ? op.Block(a, b) : 0);
        }
        switch (op.request.operation)
        {
        case Op::BROADCAST:
            result.Add(root, a, op.request.bytes);
            break;
        case Op::REDUCE:
            result.Add(a, root, op.request.bytes);
            break;
        case Op::GATHER:
            result.Add(a, root, op.Part(a));
            break;
        case Op::SCATTER:
            result.Add(root, a, op.Part(a));
            break;
        default:
            break;
        }
    }
    return result;
}

/** One ring: a reduce-scatter sends all parts but the own one on, an all-gather all but the next one's.
 * Broadcast and reduce send all of it along a chain. @param op the operation @return bytes */
inline PairBytes
CountRing(const CountedOperation& op)
{
    using Op = CollectiveOperation;
    PairBytes result(op.size);
    for (uint64_t a = 0; a < op.size; ++a)
    {
        const uint64_t next = (a + 1) % op.size;
        const uint64_t before = (a + op.size - 1) % op.size;
        const uint64_t all = op.request.bytes;
        result.Add(a, next, op.Scatters() ? all - op.Part(a) : 0);
        result.Add(a, next, op.Gathers() ? all - op.Part(next) : 0);
        const bool isBroadcast = op.request.operation == Op::BROADCAST;
        const bool isReduce = op.request.operation == Op::REDUCE;
        result.Add(a, next, isBroadcast && next != op.request.root ? all : 0);
        result.Add(a, before, isReduce && a != op.request.root ? all : 0);
    }
    return result;
}

/** Channels with slices of each part, every other one the other way round, each turned in its domains.
 * @param op the operation @param channels how many @param isTurned whether they are turned
 * @return bytes */
inline PairBytes
CountChannels(const CountedOperation& op, uint64_t channels, bool isTurned)
{
    PairBytes result(op.size);
    for (uint64_t channel = 0; channel < channels; ++channel)
    {
        // the ranks in the order of the ring
        std::vector<uint64_t> order;
        for (uint64_t place = 0; place < op.size; ++place)
        {
            const uint64_t domain = place / op.rails * op.rails;
            order.push_back(isTurned ? domain + (place + channel) % op.rails : place);
        }
        const auto slice = [&](uint64_t rank)
        {
            return GetPart({0, op.Part(rank)}, channels, channel).bytes;
        };
        uint64_t all = 0;
        for (uint64_t rank = 0; rank < op.size; ++rank)
        {
            all += slice(rank);
        }
        for (uint64_t place = 0; place < op.size; ++place)
        {
            uint64_t a = order[place];
            uint64_t b = order[(place + 1) % op.size];
            if (channel % 2 == 1 && !isTurned)
            {
                std::swap(a, b);
            }
            result.Add(a, b, op.Scatters() ? all - slice(a) : 0);
            result.Add(a, b, op.Gathers() ? all - slice(b) : 0);
        }
    }
    return result;
}

/** Round by round: a block with j ranks to go travels by each power of two in j. @param op the
 * operation @return bytes */
inline PairBytes
CountBruck(const CountedOperation& op)
{
    using Op = CollectiveOperation;
    PairBytes result(op.size);
    const uint64_t n = op.size;
    for (uint64_t distance = 1; distance < n; distance *= 2)
    {
        for (uint64_t a = 0; a < n; ++a)
        {
            for (uint64_t i = 0; i < n; ++i)
            {
                const bool isBefore = i < std::min(distance, n - distance);
                if (op.request.operation == Op::ALL_GATHER && isBefore)
                {
                    result.Add(a, (a + n - distance) % n, op.Part(a + i));
                }
                if (op.Gathers() || op.request.operation == Op::BARRIER || (i & distance) == 0)
                {
                    continue;
                }
                const uint64_t at = (a + (i & (distance - 1))) % n; // after the smaller powers
                result.Add(at, (at + distance) % n, op.Block(a, (a + i) % n));
            }
        }
    }
    return result;
}

/** The part of each rank goes along a binomial tree whose root it is. @param op the operation
 * @return bytes */
inline PairBytes
CountPat(const CountedOperation& op)
{
    PairBytes result(op.size);
    const uint64_t n = op.size;
    for (uint64_t root = 0; root < n; ++root)
    {
        for (uint64_t distance = 1; distance < n; distance *= 2)
        {
            for (uint64_t offset = 0; offset + distance < n; offset += 2 * distance)
            {
                const uint64_t lower = (root + offset) % n;
                const uint64_t upper = (root + offset + distance) % n;
                result.Add(op.Gathers() ? lower : upper,
                           op.Gathers() ? upper : lower,
                           op.Part(root));
            }
        }
    }
    return result;
}

/** Up and down a tree: its root is at the seat (from 1) that two divides most often, and so on in what
 * is left and right of it. @param op the operation @return bytes */
inline PairBytes
CountTrees(const CountedOperation& op)
{
    PairBytes result(op.size);
    const uint64_t n = op.size;
    const auto ruler = [](uint64_t seat)
    {
        return static_cast<uint64_t>(__builtin_ctzll(seat));
    };
    for (uint64_t tree = 0; tree < 2; ++tree)
    {
        const uint64_t half = GetPart({0, op.request.bytes}, 2, tree).bytes;
        const auto rankOf = [&](uint64_t seat) // the second tree is mirrored, or shifted by one
        {
            const uint64_t other = n % 2 == 0 ? n - seat : (seat + n - 2) % n;
            return tree == 0 ? seat - 1 : other;
        };
        for (uint64_t seat = 1; seat <= n; ++seat)
        {
            // the parent is the lower of the nearest higher seats on both sides
            uint64_t left = seat - 1;
            uint64_t right = seat + 1;
            while (left > 0 && ruler(left) < ruler(seat))
            {
                --left;
            }
            while (right <= n && ruler(right) < ruler(seat))
            {
                ++right;
            }
            const bool hasLeft = left > 0;
            const bool hasRight = right <= n;
            if (!hasLeft && !hasRight)
            {
                continue; // the root
            }
            const bool takesLeft = hasLeft && (!hasRight || ruler(left) < ruler(right));
            const uint64_t parent = takesLeft ? left : right;
            result.Add(rankOf(seat), rankOf(parent), half);
            result.Add(rankOf(parent), rankOf(seat), half);
        }
    }
    return result;
}

/** Exchanges of aligned blocks of seats; ranks beyond a power of two share a seat. @param op the
 * operation @return bytes */
inline PairBytes
CountHalving(const CountedOperation& op)
{
    uint64_t seats = 1;
    while (seats * 2 <= op.size)
    {
        seats *= 2;
    }
    const uint64_t pairs = op.size - seats;
    const auto hostOf = [&](uint64_t seat)
    {
        return seat < pairs ? 2 * seat : seat + pairs;
    };
    const auto bytesOf = [&](uint64_t first, uint64_t count)
    {
        uint64_t bytes = 0;
        for (uint64_t seat = first; seat < first + count; ++seat)
        {
            bytes += op.Part(hostOf(seat)) + (seat < pairs ? op.Part(hostOf(seat) + 1) : 0);
        }
        return bytes;
    };
    PairBytes result(op.size);
    const bool isReduced = op.request.operation == CollectiveOperation::ALL_REDUCE;
    for (uint64_t seat = 0; seat < seats; ++seat)
    {
        const uint64_t host = hostOf(seat);
        for (uint64_t block = 1; block < seats; block *= 2)
        {
            const uint64_t peer = seat ^ block;
            const uint64_t peers = bytesOf(peer / block * block, block);
            const uint64_t own = bytesOf(seat / block * block, block);
            result.Add(host, hostOf(peer), op.Scatters() ? peers : 0);
            result.Add(host, hostOf(peer), op.Gathers() ? own : 0);
        }
        if (seat < pairs)
        {
            const uint64_t guest = host + 1;
            const uint64_t all = op.request.bytes;
            result.Add(guest, host, isReduced || op.Scatters() ? all : op.Part(guest));
            result.Add(host, guest, isReduced || op.Gathers() ? all : op.Part(guest));
        }
    }
    return result;
}

/** Stages: direct inside a domain, a ring along each rail; all-to-all direct in both. @param op the
 * operation @return bytes */
inline PairBytes
CountStages(const CountedOperation& op)
{
    using Op = CollectiveOperation;
    const uint64_t rails = op.rails;
    const uint64_t domains = op.size / rails;
    PairBytes result(op.size);
    for (uint64_t a = 0; a < op.size; ++a)
    {
        const uint64_t domain = a / rails;
        const uint64_t rail = a % rails;
        const uint64_t next = (domain + 1) % domains;
        const uint64_t share = GetPart({0, op.request.bytes}, rails, rail).bytes;
        // the i-th of the pieces of a rail's share, cut where rounding down cuts
        const auto piece = [&](uint64_t i)
        {
            return share / domains * (i + 1) + share % domains * (i + 1) / domains -
                   share / domains * i - share % domains * i / domains;
        };
        const auto column = [&](uint64_t k) // the parts of all ranks on a rail
        {
            uint64_t bytes = 0;
            for (uint64_t g = 0; g < domains; ++g)
            {
                bytes += op.Part(g * rails + k);
            }
            return bytes;
        };
        const uint64_t across = next * rails + rail;
        const Op what = op.request.operation;
        for (uint64_t k = 0; k < rails; ++k)
        {
            const uint64_t peer = domain * rails + k;
            if (what == Op::ALL_REDUCE)
            {
                result.Add(a, peer, GetPart({0, op.request.bytes}, rails, k).bytes + share);
            }
            else if (what == Op::ALL_GATHER || what == Op::REDUCE_SCATTER)
            {
                result.Add(a, peer, column(what == Op::ALL_GATHER ? rail : k));
            }
            for (uint64_t g = 0; g < domains && !op.Gathers() && !op.Scatters(); ++g)
            {
                result.Add(a, peer, op.Block(a, g * rails + k));
                result.Add(a, g * rails + rail, op.Block(domain * rails + k, g * rails + rail));
            }
        }
        if (what == Op::ALL_REDUCE)
        {
            result.Add(a, across, 2 * share - piece(domain) - piece(next));
        }
        else if (op.Gathers() || op.Scatters())
        {
            result.Add(a, across, column(rail) - op.Part(op.Gathers() ? across : a));
        }
    }
    return result;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_TEST_CLOSED_FORM_BYTES_H
