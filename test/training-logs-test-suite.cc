// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-log.h"
#include "ns3/iteration-log.h"
#include "ns3/progress-meter.h"
#include "ns3/text-table.h"
#include "ns3/time-resolution.h"

#include "ns3/test.h"

#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * What a job keeps of its iterations and collectives, and the tables they are printed in.
 */

namespace
{

/** @param us microseconds @return them */
Time
Us(int us)
{
    return MicroSeconds(us);
}

/** @param compute us @param tensor us @param bubble us @return the account */
RankAccount
MakeAccount(int compute, int tensor, int bubble)
{
    RankAccount account;
    account.compute = Us(compute);
    account.Exposed(ParallelDimension::TENSOR) = Us(tensor);
    account.bubble = Us(bubble);
    return account;
}

/** Iterations that overlap. */
class IterationsTestCase : public TestCase
{
  public:
    IterationsTestCase()
        : TestCase(
              "An iteration lasts from the last rank's end of the one before to that of its own")
    {
    }

  private:
    void DoRun() override
    {
        // rank 0 begins its second iteration at 30, while rank 1 ends its first at 50
        IterationLog log;
        log.Open(2, 2, Us(10));
        log.Add(0, 0, MakeAccount(15, 5, 0), Us(30));
        NS_TEST_EXPECT_MSG_EQ(log.GetIterations()[0].ranks, 1, "one rank");
        log.Add(0, 1, MakeAccount(20, 10, 0), Us(60));
        log.Add(1, 0, MakeAccount(30, 7, 3), Us(50));
        log.Add(1, 1, MakeAccount(40, 0, 10), Us(100));
        log.Close(Us(100));
        const auto& iterations = log.GetIterations();
        NS_TEST_ASSERT_MSG_EQ(iterations.size(), 2, "iterations");
        NS_TEST_EXPECT_MSG_EQ(iterations[0].start, Us(10), "begin of the job");
        NS_TEST_EXPECT_MSG_EQ(iterations[0].end, Us(50), "its last rank");
        NS_TEST_EXPECT_MSG_EQ(iterations[0].lastRank, 1, "which");
        NS_TEST_EXPECT_MSG_EQ(iterations[0].last.compute, Us(30), "its account");
        NS_TEST_EXPECT_MSG_EQ(iterations[0].sum.compute, Us(45), "of both");
        NS_TEST_EXPECT_MSG_EQ(iterations[1].start, Us(50), "when the first was over");
        NS_TEST_EXPECT_MSG_EQ(iterations[1].end, Us(100), "end of the job");
        // rank 0 waits from 60 to 100 for rank 1
        NS_TEST_EXPECT_MSG_EQ(iterations[1].sum.bubble, Us(10 + 40), "wait at the end");
        NS_TEST_EXPECT_MSG_EQ(log.GetRanks()[0].bubble, Us(40), "of the rank");
        for (const RankAccount& rank : log.GetRanks())
        {
            NS_TEST_EXPECT_MSG_EQ(rank.GetTotal(), Us(90), "adds up to the job");
        }
    }
};

/** Ties. */
class LastRankTestCase : public TestCase
{
  public:
    LastRankTestCase()
        : TestCase("Of ranks that end together the lowest is the last, in whatever order they come")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::vector<uint32_t>& order :
             {std::vector<uint32_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}})
        {
            IterationLog log;
            log.Open(3, 2, Us(0));
            for (const uint32_t rank : order)
            {
                // rank 0 is early, 1 and 2 end together
                const int end = rank == 0 ? 8 : 9;
                log.Add(rank,
                        0,
                        MakeAccount(end - static_cast<int>(rank), static_cast<int>(rank), 0),
                        Us(end));
            }
            NS_TEST_EXPECT_MSG_EQ(log.GetIterations()[0].lastRank, 1, "last");
            NS_TEST_EXPECT_MSG_EQ(log.GetIterations()[0].last.compute, Us(8), "its account");
            NS_TEST_EXPECT_MSG_EQ(log.GetIterations()[1].ranks, 0, "not yet");
        }
    }
};

/** @param kind what @param bytes size @return the task */
TrainingTask
MakeTask(TrainingTask::Kind kind, uint64_t bytes)
{
    TrainingTask task;
    task.kind = kind;
    task.bytes = bytes;
    return task;
}

/** Collectives. */
class CollectivesTestCase : public TestCase
{
  public:
    CollectivesTestCase()
        : TestCase("A collective's time runs from its last start, a rank's from its own")
    {
    }

  private:
    void DoRun() override
    {
        CollectiveLog log;
        NS_TEST_EXPECT_MSG_EQ(log.AddGroup(ParallelDimension::TENSOR, 2), 0, "number");
        NS_TEST_EXPECT_MSG_EQ(log.AddGroup(ParallelDimension::TENSOR, 3), 1, "number");
        const TrainingTask task = MakeTask(TrainingTask::ALL_REDUCE, 1000);
        log.Started(0, 0, task, Us(10));
        log.Started(0, 0, task, Us(25)); // the next, before the first is over
        NS_TEST_EXPECT_MSG_EQ(log.GetOpenCount(), 2, "two under way");
        log.Started(0, 1, task, Us(20));
        log.Done(0, 1, Us(32));
        log.Done(0, 0, Us(35)); // 10 to 35 and 20 to 32; all from 20 to 35
        NS_TEST_EXPECT_MSG_EQ(log.GetOpenCount(), 1, "one is over");
        log.Started(0, 1, task, Us(40));
        log.Done(0, 0, Us(60)); // 25 to 60
        log.Done(0, 1, Us(61)); // 40 to 61; all from 40 to 61
        for (uint32_t place = 0; place < 3; ++place)
        {
            log.Started(1, place, task, Us(100));
        }
        for (uint32_t place = 0; place < 3; ++place)
        {
            log.Done(1, place, Us(104));
        }
        NS_TEST_EXPECT_MSG_EQ(log.GetOpenCount(), 0, "all over");
        const auto records = log.GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 1, "of one kind and size");
        NS_TEST_EXPECT_MSG_EQ(records[0].count, 3, "operations");
        NS_TEST_EXPECT_MSG_EQ(records[0].total, Us(15 + 21 + 4), "times");
        NS_TEST_EXPECT_MSG_EQ(records[0].max, Us(21), "longest");
        NS_TEST_EXPECT_MSG_EQ(records[0].rankCount, 2 + 2 + 3, "ranks");
        NS_TEST_EXPECT_MSG_EQ(records[0].rankTotal, Us(25 + 12 + 35 + 21 + 3 * 4), "their times");
        NS_TEST_EXPECT_MSG_EQ(records[0].rankMax, Us(35), "longest");
        NS_TEST_EXPECT_MSG_EQ(records[0].group, 0, "the first that finished one");
    }
};

/** Messages. */
class MessagesTestCase : public TestCase
{
  public:
    MessagesTestCase()
        : TestCase("A message's time runs from its sender's start, even if the receiver is late")
    {
    }

  private:
    void DoRun() override
    {
        CollectiveLog log;
        log.AddGroup(ParallelDimension::PIPELINE, 2);
        NS_TEST_EXPECT_MSG_EQ(log.GetSenderStart(0), Time::Max(), "not begun");
        log.Started(0, 1, MakeTask(TrainingTask::RECEIVE, 77), Us(5));
        NS_TEST_EXPECT_MSG_EQ(log.GetSenderStart(0), Time::Max(), "the receiver waits");
        log.Started(0, 0, MakeTask(TrainingTask::SEND, 77), Us(10));
        log.Started(0, 0, MakeTask(TrainingTask::SEND, 88), Us(12));
        NS_TEST_EXPECT_MSG_EQ(log.GetSenderStart(0), Us(10), "the first");
        log.Done(0, 1, Us(15));
        NS_TEST_EXPECT_MSG_EQ(log.GetSenderStart(0), Us(12), "the second is next");
        log.Done(0, 0, Us(16)); // acknowledged
        log.Started(0, 1, MakeTask(TrainingTask::RECEIVE, 88), Us(30));
        log.Done(0, 0, Us(31));
        log.Done(0, 1, Us(32));
        const auto records = log.GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 2, "two sizes");
        const bool isSend = records[0].kind == TrainingTask::SEND;
        NS_TEST_EXPECT_MSG_EQ(isSend, true, "one kind for both ends");
        NS_TEST_EXPECT_MSG_EQ(records[0].total, Us(6), "10 to 16");
        NS_TEST_EXPECT_MSG_EQ(records[0].rankMax, Us(10), "the receiver, 5 to 15");
        NS_TEST_EXPECT_MSG_EQ(records[1].total, Us(20), "12 to 32");
    }
};

/** Tables. */
class TextTableTestCase : public TestCase
{
  public:
    TextTableTestCase()
        : TestCase("Columns are as wide as their widest cell, the first left, without blank ends")
    {
    }

  private:
    void DoRun() override
    {
        TextTable table({"part", "us", "share"});
        NS_TEST_EXPECT_MSG_EQ(table.IsEmpty(), true, "no row");
        table.AddRow({"compute", "12345", "7 %"});
        table.AddRow({"TP", "1", ""});
        NS_TEST_EXPECT_MSG_EQ(table.IsEmpty(), false, "rows");
        std::ostringstream out;
        table.Print(out);
        NS_TEST_EXPECT_MSG_EQ(out.str(),
                              "  part        us  share\n"
                              "  compute  12345    7 %\n"
                              "  TP           1\n",
                              "table");
        std::ostringstream flush;
        table.Print(flush, 0);
        NS_TEST_EXPECT_MSG_EQ(flush.str().substr(0, 4), "part", "no indent");
    }
};

/** Numbers as text. */
class FormatTestCase : public TestCase
{
  public:
    FormatTestCase()
        : TestCase("Numbers are written out in full, sizes in the largest unit that divides them")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(FormatNumber(1e12, 1), "1000000000000.0", "not scientific");
        NS_TEST_EXPECT_MSG_EQ(FormatNumber(2.0 / 3, 3), "0.667", "rounded");
        NS_TEST_EXPECT_MSG_EQ(FormatCount(0), "0", "nothing");
        NS_TEST_EXPECT_MSG_EQ(FormatCount(1000), "1,000", "one comma");
        NS_TEST_EXPECT_MSG_EQ(FormatCount(100000), "100,000", "none ahead");
        NS_TEST_EXPECT_MSG_EQ(FormatCount(UINT64_MAX), "18,446,744,073,709,551,615", "all");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1023), "1,023 B", "bytes");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1024), "1 KiB", "a unit");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1536), "1,536 B", "not one and a half");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(3 << 20), "3 MiB", "another");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1ull << 54), "16,384 TiB", "beyond the last");
    }
};

/** When the end can be told. */
class EstimateTestCase : public TestCase
{
  public:
    EstimateTestCase()
        : TestCase("The end is unknown while nothing is done; a share is kept between 0 and 1")
    {
    }

  private:
    void DoRun() override
    {
        double now = 50;
        ProgressMeter::Work work;
        std::vector<ProgressSnapshot> seen;
        ProgressMeter meter([&]() { return work; },
                            [&](const ProgressSnapshot& snapshot) { seen.push_back(snapshot); },
                            10,
                            [&]() { return now; });
        meter.Tick();
        NS_TEST_EXPECT_MSG_EQ(seen.size(), 0, "not due");
        for (const double share : {0.0, 0.25, 1.5, -1.0})
        {
            now += 10;
            work.share = share;
            meter.Tick();
            meter.Tick();
        }
        NS_TEST_ASSERT_MSG_EQ(seen.size(), 4, "once each");
        NS_TEST_EXPECT_MSG_LT(seen[0].remainingSeconds, 0, "unknown");
        NS_TEST_EXPECT_MSG_EQ_TOL(seen[1].remainingSeconds, 60, 1e-9, "a quarter took 20 s");
        NS_TEST_EXPECT_MSG_EQ(seen[2].share, 1, "not more than all");
        NS_TEST_EXPECT_MSG_EQ_TOL(seen[2].remainingSeconds, 0, 1e-9, "nothing left");
        NS_TEST_EXPECT_MSG_EQ(seen[3].share, 0, "not less than nothing");
    }
};

/** The suite. */
class TrainingLogsTestSuite : public TestSuite
{
  public:
    TrainingLogsTestSuite()
        : TestSuite("llm-fabric-training-logs", TestSuite::Type::UNIT)
    {
        AddTestCase(new IterationsTestCase);
        AddTestCase(new LastRankTestCase);
        AddTestCase(new CollectivesTestCase);
        AddTestCase(new MessagesTestCase);
        AddTestCase(new TextTableTestCase);
        AddTestCase(new FormatTestCase);
        AddTestCase(new EstimateTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingLogsTestSuite; //!< registers the suite

} // namespace
