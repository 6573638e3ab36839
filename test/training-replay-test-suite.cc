// SPDX-License-Identifier: GPL-2.0-only

#include "refusal.h"
#include "training-replay-support.h"

#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Streams, messages and collectives of replayed iterations, against timelines worked out by hand.
 */

namespace
{

constexpr auto TP = ParallelDimension::TENSOR;        //!< short name
constexpr auto PP = ParallelDimension::PIPELINE;      //!< short name
constexpr auto DP = ParallelDimension::DATA;          //!< short name
constexpr auto CP = ParallelDimension::CONTEXT;       //!< short name
constexpr auto EMB = ParallelDimension::EMBEDDING;    //!< short name
constexpr auto ALL = ParallelDimension::WORLD;        //!< short name
constexpr auto ALL_REDUCE = TrainingTask::ALL_REDUCE; //!< short name
constexpr auto SEND = TrainingTask::SEND;             //!< short name
constexpr auto RECEIVE = TrainingTask::RECEIVE;       //!< short name

/** One stage: what outlasts compute is exposed, streams run side by side. */
class StreamsReplayTestCase : public ReplayTestCase
{
  public:
    StreamsReplayTestCase()
        : ReplayTestCase("collectives run under compute and beside each other; a group of one rank "
                         "costs nothing")
    {
    }

  private:
    void DoRun() override
    {
        // compute 0..100 and 100..250; all-reduce 100..400; compute 400..410
        const Tasks overlap = {Compute(PicoSeconds(100)),
                               Collective(ALL_REDUCE, DP, 300, {0}),
                               Compute(PicoSeconds(150)),
                               Compute(PicoSeconds(10), {1})};
        auto config = MakeConfig({overlap});
        ReplayResult result = Replay(config);
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(410), "iteration");
        NS_TEST_EXPECT_MSG_EQ(result.tasks, 4, "all tasks");
        CheckAccount(result.accounts.at(0), 260, DP, 150, 0);
        config.groups[static_cast<std::size_t>(DP)].size = 1;
        result = Replay(config);
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(260), "alone in its group");

        // TP 0..200 and 200..300, DP 0..250: until 250 DP is to blame, from then on TP
        result = Replay(MakeConfig({{Collective(ALL_REDUCE, TP, 200),
                                     Collective(ALL_REDUCE, DP, 250),
                                     Collective(ALL_REDUCE, TP, 100),
                                     Compute(PicoSeconds(40), {1, 2})}}));
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(340), "iteration");
        CheckAccount(result.accounts.at(0), 40, TP, 50, 0);
        CheckAccount(result.accounts.at(0), 40, DP, 250, 0);

        // a ring exchange along CP has streams of its own and stays within the stage
        result = Replay(MakeConfig({{PointToPoint(SEND, 0, 1000),
                                     PointToPoint(RECEIVE, 0, 1000),
                                     Message(SEND, 60),
                                     Message(RECEIVE, 60),
                                     Compute(PicoSeconds(20)),
                                     Compute(PicoSeconds(5), {3})}}));
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 3), 67, "CP message");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 1), 1007, "PP message");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 5), 72, "compute does not wait for PP");
        CheckAccount(result.accounts.at(0), 25, CP, 47, 0);
    }

    /** @param kind SEND or RECEIVE @param bytes its size @return a message along CP, to rank 0 */
    static TrainingTask Message(TrainingTask::Kind kind, uint64_t bytes)
    {
        return Collective(kind, CP, bytes);
    }
};

/** @param task a message @return the same by rendezvous */
TrainingTask
MeetFor(TrainingTask task)
{
    task.rendezvous = true;
    return task;
}

/** Stages and messages. */
class MessagesReplayTestCase : public ReplayTestCase
{
  public:
    MessagesReplayTestCase()
        : ReplayTestCase("messages are eager and go one after the other out of a NIC and into one")
    {
    }

  private:
    /** A message waits for word from its receiver, which takes as long as an empty message. */
    void CheckRendezvous()
    {
        // the receiver comes at 100, the sender knows at 107: on the way until 117, there at 124
        ReplayResult result = Replay(
            MakeConfig({{MeetFor(PointToPoint(SEND, 1, 10))},
                        {Compute(PicoSeconds(100)), MeetFor(PointToPoint(RECEIVE, 0, 10, {0}))}}));
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(124), "late receiver");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 0), 107, "its NIC has it then");
        // it was ready to send all the time: no bubble
        CheckAccount(result.accounts.at(1), 100, PP, 24, 0);

        // the receiver waits from the start, and the sender has known since 7
        result =
            Replay(MakeConfig({{Compute(PicoSeconds(200)), MeetFor(PointToPoint(SEND, 1, 10, {0}))},
                               {MeetFor(PointToPoint(RECEIVE, 0, 10))}}));
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(217), "late sender");
        CheckAccount(result.accounts.at(1), 0, PP, 17, 200);
    }

    void DoRun() override
    {
        // stage 0: compute 0..10, its message is there at 27; the answer, sent at 57, at 74
        ReplayResult result = Replay(MakeConfig({{Compute(PicoSeconds(10)),
                                                  PointToPoint(SEND, 1, 10, {0}),
                                                  PointToPoint(RECEIVE, 1, 10, {1}),
                                                  Compute(PicoSeconds(20), {2})},
                                                 {PointToPoint(RECEIVE, 0, 10),
                                                  Compute(PicoSeconds(30), {0}),
                                                  PointToPoint(SEND, 0, 10, {1})}}));
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(94), "iteration");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 1), 10, "a send ends when the NIC has it");
        // it waits for the peer to send from 10 to 57, then for the transfer
        CheckAccount(result.accounts.at(0), 30, PP, 17, 47);
        // it waits for the peer to 10, and from its own end, 57, to the end of the iteration
        CheckAccount(result.accounts.at(1), 30, PP, 17, 10 + 37);
        NS_TEST_EXPECT_MSG_EQ(result.ends.at(1), PicoSeconds(57), "own end");

        CheckRendezvous();
        // what came before its receive starts is taken at once
        result =
            Replay(MakeConfig({{PointToPoint(SEND, 1, 10)},
                               {Compute(PicoSeconds(100)), PointToPoint(RECEIVE, 0, 10, {0})}}));
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(100), "early message");

        // stage 0 sends 100 and 50 bytes at 10: on the way until 110 and 160. Stage 1 sends 60 bytes
        // to stage 2 at 20, whose NIC is taken until 160: until 220.
        const std::vector<Tasks> three = {{Compute(PicoSeconds(10)),
                                           PointToPoint(SEND, 1, 100, {0}),
                                           PointToPoint(SEND, 2, 50, {0})},
                                          {Compute(PicoSeconds(20)),
                                           PointToPoint(SEND, 2, 60, {0}),
                                           PointToPoint(RECEIVE, 0, 100),
                                           Compute(PicoSeconds(5), {2})},
                                          {PointToPoint(RECEIVE, 0, 50),
                                           PointToPoint(RECEIVE, 1, 60),
                                           Compute(PicoSeconds(1), {1})}};
        result = Replay(MakeConfig(three));
        NS_TEST_EXPECT_MSG_EQ(GetEnd(1, 2), 117, "first message");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(2, 0), 167, "behind it in the sender's NIC");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(2, 1), 227, "behind that one in the receiver's NIC");
        CheckAccount(result.accounts.at(2), 1, PP, 157 + 60, 10);
        CheckAccount(result.accounts.at(1), 25, PP, 97, 228 - 122);

        m_cost.launchPs = 3;
        Replay(MakeConfig(three));
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 1), 13, "a send takes its launch");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(0, 2), 16, "and so does the one after it");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(1, 2), 120, "which the message has to wait for");
        NS_TEST_EXPECT_MSG_EQ(GetEnd(2, 1), 230, "from the first on");
    }
};

/** Collectives of several stages. */
class MeetingReplayTestCase : public ReplayTestCase
{
  public:
    MeetingReplayTestCase()
        : ReplayTestCase("a collective of several stages begins when the last of them has come")
    {
    }

  private:
    void DoRun() override
    {
        const auto ends = [](int64_t compute) -> Tasks
        {
            return {Compute(PicoSeconds(compute)),
                    Collective(ALL_REDUCE, EMB, 30, {0}),
                    Collective(ALL_REDUCE, ALL, 20, {1})};
        };
        auto config = MakeConfig(
            {ends(10), {Compute(PicoSeconds(5)), Collective(ALL_REDUCE, ALL, 20, {0})}, ends(50)});
        config.groups[static_cast<std::size_t>(EMB)] = {2, {0, 2}};
        config.groups[static_cast<std::size_t>(ALL)] = {12, {0, 1, 2}};
        const ReplayResult result = Replay(config);
        NS_TEST_EXPECT_MSG_EQ(result.time, PicoSeconds(100), "50 + 30 + 20");
        CheckAccount(result.accounts.at(0), 10, EMB, 70, 0);
        CheckAccount(result.accounts.at(0), 10, ALL, 20, 0);
        CheckAccount(result.accounts.at(1), 5, ALL, 95, 0);
        CheckAccount(result.accounts.at(2), 50, EMB, 30, 0);

        config.groups[static_cast<std::size_t>(ALL)].stages = {0, 2};
        NS_TEST_EXPECT_MSG_NE(GetRefusal([&] { Replay(config); }).find("stage 1 (rank 1)"),
                              std::string::npos,
                              "a stage that is not in the group");
    }
};

/** The suite. */
class TrainingReplayTestSuite : public TestSuite
{
  public:
    TrainingReplayTestSuite()
        : TestSuite("llm-fabric-training-replay", TestSuite::Type::UNIT)
    {
        AddTestCase(new StreamsReplayTestCase);
        AddTestCase(new MessagesReplayTestCase);
        AddTestCase(new MeetingReplayTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingReplayTestSuite; //!< registers the suite

} // namespace
