// SPDX-License-Identifier: GPL-2.0-only

// What the steps of rings are: bytes, contributions, and where they cross domains.

#include "communicator-bench.h"

#include "ns3/ring-algorithm.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/**
 * Bytes that a program lets each rank send.
 * @param program it
 * @return by rank
 */
std::vector<uint64_t>
CountSentBytes(const StepProgram& program)
{
    std::vector<uint64_t> result(program.GetSize());
    for (uint32_t rank = 0; rank < program.GetSize(); ++rank)
    {
        for (uint32_t lane = 0; lane < program.GetLaneCount(rank); ++lane)
        {
            for (uint32_t i = 0; i < program.GetLaneLength(rank, lane); ++i)
            {
                const Step step = program.GetStep(rank, lane, i);
                result[rank] += step.kind == Step::SEND ? step.bytes : 0;
            }
        }
    }
    return result;
}

/** A ring's bytes are exact for any size of buffer and group. */
class RingBytesTestCase : public TestCase
{
  public:
    RingBytesTestCase()
        : TestCase("A ring sends exactly (N - 1) S or 2 (N - 1) S bytes for any S and N")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t channels : {1, 3})
        {
            Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>();
            ring->SetAttribute("Channels", UintegerValue(channels));
            for (const uint32_t size : {1, 2, 3, 4, 7, 8, 13, 64})
            {
                for (const uint64_t bytes :
                     {0ULL, 1ULL, 2ULL, 5ULL, 7ULL, 8ULL, 63ULL, 64ULL, 1'000'003ULL, 1ULL << 40})
                {
                    Check(ring, size, bytes, channels);
                }
            }
        }
    }

    /**
     * Check the three operations.
     * @param ring the algorithm
     * @param size N
     * @param bytes S
     * @param channels number of rings
     */
    void Check(Ptr<RingAlgorithm> ring, uint32_t size, uint64_t bytes, uint32_t channels)
    {
        for (const CollectiveOperation operation : RING_OPERATIONS)
        {
            const auto sent = CountSentBytes(
                *ring->MakeProgram({operation, bytes, 0}, MakeAccelerators(size), nullptr));
            const uint64_t phases = operation == CollectiveOperation::ALL_REDUCE ? 2 : 1;
            NS_TEST_ASSERT_MSG_EQ(std::accumulate(sent.begin(), sent.end(), uint64_t{0}),
                                  phases * (size - 1) * bytes,
                                  llm::GetName(operation) << " of " << bytes << " among " << size);
            for (const uint64_t ofRank : sent)
            {
                // one byte a chunk at most above or below the even share
                const double even = static_cast<double>(phases * (size - 1)) / size * bytes;
                NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(ofRank),
                                          even,
                                          phases * channels + 1e-9 * even,
                                          "share of a rank, " << size << " ranks, " << bytes);
            }
        }
    }
};

/**
 * Who contributed to each chunk at each rank, while a program runs with messages in a random order.
 */
class ContributionRun
{
  public:
    using Set = std::multiset<uint32_t>; //!< contributing ranks; twice would be an error

    /**
     * @param program what to run
     * @param state contributions by (rank, chunk) at the start
     */
    ContributionRun(const StepProgram& program, std::map<std::pair<uint32_t, uint32_t>, Set> state)
        : m_program(program),
          m_state(std::move(state))
    {
    }

    /**
     * Run until nothing moves, choosing at random what goes next.
     * @param random source of the choices
     * @return whether all lanes came to their end and no message is left
     */
    bool Run(Ptr<UniformRandomVariable> random)
    {
        std::vector<std::pair<uint32_t, uint32_t>> lanes;
        for (uint32_t rank = 0; rank < m_program.GetSize(); ++rank)
        {
            for (uint32_t lane = 0; lane < m_program.GetLaneCount(rank); ++lane)
            {
                lanes.emplace_back(rank, lane);
            }
        }
        for (size_t stuck = 0; stuck < 50 * lanes.size();)
        {
            const auto& lane = lanes[random->GetInteger(0, lanes.size() - 1)];
            stuck = Do(lane.first, lane.second) ? 0 : stuck + 1;
        }
        return m_messages.empty() &&
               std::all_of(
                   lanes.begin(),
                   lanes.end(),
                   [&](auto& lane)
                   { return m_next[lane] == m_program.GetLaneLength(lane.first, lane.second); });
    }

    /**
     * @param rank a rank
     * @param chunk a chunk
     * @return who contributed to it there
     */
    const Set& Get(uint32_t rank, uint32_t chunk)
    {
        return m_state[{rank, chunk}];
    }

  private:
    /**
     * Try the next step of a lane.
     * @param rank its rank
     * @param lane the lane
     * @return whether it was done
     */
    bool Do(uint32_t rank, uint32_t lane)
    {
        uint32_t& next = m_next[{rank, lane}];
        if (next == m_program.GetLaneLength(rank, lane))
        {
            return false;
        }
        const Step step = m_program.GetStep(rank, lane, next);
        if (step.dependencyLane != Step::NONE &&
            m_next[{rank, step.dependencyLane}] <= step.dependencyIndex)
        {
            return false;
        }
        Set& mine = m_state[{rank, step.chunk}];
        if (step.kind == Step::SEND)
        {
            m_messages[{rank, step.peer, step.place}] = {step.chunk, step.bytes, step.flow, mine};
        }
        else
        {
            const auto message = m_messages.find({step.peer, rank, step.place});
            if (message == m_messages.end() || std::get<0>(message->second) != step.chunk ||
                std::get<1>(message->second) != step.bytes ||
                std::get<2>(message->second) != step.flow)
            {
                return false;
            }
            Set& theirs = std::get<3>(message->second);
            if (step.reduce)
            {
                mine.insert(theirs.begin(), theirs.end());
            }
            else
            {
                mine = theirs;
            }
            m_messages.erase(message);
        }
        ++next;
        return true;
    }

    const StepProgram& m_program;                             //!< what is run
    std::map<std::pair<uint32_t, uint32_t>, Set> m_state;     //!< by (rank, chunk)
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_next; //!< by (rank, lane)
    /** (chunk, bytes, flow, contributions) by (sender, receiver, place). */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>,
             std::tuple<uint32_t, uint64_t, uint32_t, Set>>
        m_messages;
};

/** Each rank ends with what the operation says. */
class RingMeaningTestCase : public TestCase
{
  public:
    RingMeaningTestCase()
        : TestCase("Each rank ends a ring operation with exactly the contributions it should have")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        for (const uint32_t channels : {1, 2})
        {
            for (const uint32_t size : {1, 2, 3, 5, 8})
            {
                for (const CollectiveOperation operation : RING_OPERATIONS)
                {
                    Check(operation, size, channels, random);
                }
            }
        }
    }

    /**
     * Run one operation and look at every chunk.
     * @param operation which
     * @param size N
     * @param channels number of rings
     * @param random orders the messages
     */
    void Check(CollectiveOperation operation,
               uint32_t size,
               uint32_t channels,
               Ptr<UniformRandomVariable> random)
    {
        Ptr<RingAlgorithm> ring = CreateObject<RingAlgorithm>();
        ring->SetAttribute("Channels", UintegerValue(channels));
        const auto program =
            ring->MakeProgram({operation, 100, 0}, MakeAccelerators(size), nullptr);
        const bool isGather = operation == CollectiveOperation::ALL_GATHER;
        std::map<std::pair<uint32_t, uint32_t>, ContributionRun::Set> start;
        ContributionRun::Set all;
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            all.insert(rank);
            for (uint32_t chunk = 0; chunk < size * channels; ++chunk)
            {
                if (!isGather || chunk % size == rank)
                {
                    start[{rank, chunk}] = {rank};
                }
            }
        }
        ContributionRun run(*program, start);
        NS_TEST_ASSERT_MSG_EQ((size == 1 || run.Run(random)), true, "did not come to its end");
        for (uint32_t rank = 0; rank < size; ++rank)
        {
            for (uint32_t chunk = 0; chunk < size * channels; ++chunk)
            {
                const uint32_t owner = chunk % size;
                if (operation == CollectiveOperation::REDUCE_SCATTER && owner != rank)
                {
                    continue; // what is left there has no meaning
                }
                NS_TEST_ASSERT_MSG_EQ(
                    (run.Get(rank, chunk) == (isGather ? ContributionRun::Set{owner} : all)),
                    true,
                    llm::GetName(operation)
                        << ": chunk " << chunk << " at " << rank << " of " << size);
            }
        }
    }
};

/** All of them. */
class CollectiveRingTestSuite : public TestSuite
{
  public:
    CollectiveRingTestSuite()
        : TestSuite("llm-fabric-collective-ring", TestSuite::Type::UNIT)
    {
        AddTestCase(new RingBytesTestCase);
        AddTestCase(new RingMeaningTestCase);
    }

    void DoSetup() override
    {
        Time::SetResolution(Time::PS);
    }
};

CollectiveRingTestSuite g_collectiveRingTestSuite; //!< registers the suite

} // namespace
