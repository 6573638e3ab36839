// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_TRAINING_REPLAY_SUPPORT_H
#define LLM_FABRIC_TRAINING_REPLAY_SUPPORT_H

#include "training-mocks.h"

#include "ns3/iteration-replay.h"

#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * Replays of hand-written stages at hand-made costs.
 */

namespace ns3::llm
{

/** A picosecond per byte; a message is there a latency after its last bit was sent. */
class ByteCost : public CommunicationCost
{
  public:
    Time GetCollectiveTime(ParallelDimension,
                           TrainingTask::Kind,
                           uint64_t bytes,
                           uint32_t) const override
    {
        return PicoSeconds(bytes);
    }

    MessageCost GetMessageCost(ParallelDimension, uint64_t bytes) const override
    {
        return {PicoSeconds(launchPs), PicoSeconds(bytes), PicoSeconds(latencyPs)};
    }

    int64_t launchPs = 0;  //!< of messages, ps
    int64_t latencyPs = 7; //!< of messages, ps
};

/** Base: replays stages of which each has one rank of its number. */
class ReplayTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** Tasks of a stage. */
    using Tasks = std::vector<TrainingTask>;

    /** What a listener was told. */
    struct Record
    {
        uint32_t stage; //!< of which stage
        uint64_t id;    //!< which task
        int64_t start;  //!< its start, ps
        int64_t end;    //!< its end, ps

        /** @param other another record @return whether they are equal */
        bool operator==(const Record& other) const
        {
            return stage == other.stage && id == other.id && start == other.start &&
                   end == other.end;
        }
    };

    /**
     * @param stages tasks of each stage
     * @return what to replay; every group has 4 ranks
     */
    IterationReplay::Config MakeConfig(const std::vector<Tasks>& stages)
    {
        IterationReplay::Config config;
        for (uint32_t stage = 0; stage < stages.size(); ++stage)
        {
            config.ranks.push_back(stage);
        }
        config.factory = [stages](uint32_t rank)
        {
            return std::make_unique<ListGraph>(stages.at(rank));
        };
        config.stageOf = [](uint32_t rank)
        {
            return rank;
        };
        for (auto& group : config.groups)
        {
            group.size = 4;
        }
        config.listener = [this](uint32_t stage, const TrainingTask& task, Time start, Time end)
        {
            m_records.push_back({stage, task.id, start.GetTimeStep(), end.GetTimeStep()});
        };
        return config;
    }

    /**
     * @param config what to replay
     * @return what it came to; its parts have been added up
     */
    ReplayResult Replay(const IterationReplay::Config& config)
    {
        m_records.clear();
        const ReplayResult result = IterationReplay(config, m_cost).Run();
        for (const RankAccount& account : result.accounts)
        {
            NS_TEST_EXPECT_MSG_EQ(account.GetTotal(), result.time, "parts add up to the iteration");
        }
        return result;
    }

    /**
     * Check an account, in ps.
     * @param account it
     * @param compute expected compute
     * @param dimension along which communication is exposed
     * @param exposed expected exposed communication along it
     * @param bubble expected bubble
     */
    void CheckAccount(const RankAccount& account,
                      int64_t compute,
                      ParallelDimension dimension,
                      int64_t exposed,
                      int64_t bubble)
    {
        NS_TEST_EXPECT_MSG_EQ(account.compute, PicoSeconds(compute), "compute");
        NS_TEST_EXPECT_MSG_EQ(account.Exposed(dimension), PicoSeconds(exposed), "exposed");
        NS_TEST_EXPECT_MSG_EQ(account.bubble, PicoSeconds(bubble), "bubble");
    }

    /**
     * @param stage a stage
     * @param id a task of it
     * @return when it ended, ps; -1 if it has not
     */
    int64_t GetEnd(uint32_t stage, uint64_t id) const
    {
        for (const Record& record : m_records)
        {
            if (record.stage == stage && record.id == id)
            {
                return record.end;
            }
        }
        return -1;
    }

    ByteCost m_cost;               //!< what communication costs
    std::vector<Record> m_records; //!< what the listener was told
};

} // namespace ns3::llm

#endif // LLM_FABRIC_TRAINING_REPLAY_SUPPORT_H
