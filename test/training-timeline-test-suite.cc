// SPDX-License-Identifier: GPL-2.0-only

#include "training-mocks.h"

#include "ns3/report-folder.h"
#include "ns3/time-resolution.h"
#include "ns3/timeline-picture.h"
#include "ns3/timeline-writer.h"
#include "ns3/training-job.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

/**
 * @file
 * @ingroup llm-fabric-test
 * Timelines as traces and as pictures.
 */

namespace
{

/** Events as written. */
class WriterTestCase : public TestCase
{
  public:
    WriterTestCase()
        : TestCase("a task is a complete event, exact to the picosecond; ranks and streams have "
                   "names")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream out;
        TimelineWriter writer(out);
        TrainingTask forward = Compute(PicoSeconds(5));
        forward.label = "for\"ward";
        forward.microBatch = 3;
        forward.layer = 7;
        writer.Add(2, forward, PicoSeconds(1234567), PicoSeconds(3000000));
        // what a run that was ended leaves behind is one bracket short
        const auto cut = nlohmann::json::parse(out.str() + "]");
        NS_TEST_EXPECT_MSG_EQ(cut.size(), 5, "two names, two places and an event");
        TrainingTask send =
            Collective(TrainingTask::SEND, ParallelDimension::CONTEXT, 1 << 20, {0});
        send.peer = 5;
        writer.Add(2, send, PicoSeconds(0), PicoSeconds(1));
        writer.Add(2,
                   Collective(TrainingTask::ALL_GATHER, ParallelDimension::EXPERT, 10),
                   PicoSeconds(0),
                   PicoSeconds(1));
        writer.Close();
        const auto json = nlohmann::json::parse(out.str());
        const auto& event = json.at(4);
        NS_TEST_EXPECT_MSG_EQ(event.at("ph").get<std::string>(), "X", "complete event");
        NS_TEST_EXPECT_MSG_EQ(event.at("name").get<std::string>(), "for\"ward 3", "name");
        NS_TEST_EXPECT_MSG_EQ(event.at("pid").get<int>(), 2, "rank");
        NS_TEST_EXPECT_MSG_EQ(event.at("ts").get<double>(), 1.234567, "start, us");
        NS_TEST_EXPECT_MSG_EQ(event.at("dur").get<double>(), 1.765433, "duration, us");
        NS_TEST_EXPECT_MSG_EQ(event.at("args").at("layer").get<int>(), 7, "layer");
        std::map<int, std::string> threads;
        std::map<std::string, nlohmann::json> events;
        for (const auto& item : json)
        {
            if (item.at("name") == "thread_name")
            {
                threads[item.at("tid").get<int>()] = item.at("args").at("name");
            }
            events[item.at("name").get<std::string>()] = item;
        }
        NS_TEST_EXPECT_MSG_EQ(events.at("process_name").at("args").at("name").get<std::string>(),
                              "rank 2",
                              "a process for the rank");
        const auto& message = events.at("CP send");
        NS_TEST_EXPECT_MSG_EQ(threads.at(message.at("tid").get<int>()), "CP send", "its stream");
        NS_TEST_EXPECT_MSG_EQ(message.at("args").at("size_bytes").get<int>(), 1 << 20, "its size");
        NS_TEST_EXPECT_MSG_EQ(message.at("args").at("peer").get<int>(), 5, "its peer");
        const auto& gather = events.at("EP all-gather");
        NS_TEST_EXPECT_MSG_EQ(threads.at(gather.at("tid").get<int>()), "EP", "a stream for EP");
        NS_TEST_EXPECT_MSG_EQ(threads.at(event.at("tid").get<int>()), "compute", "and for compute");
    }
};

/** A job's timeline. */
class JobTimelineTestCase : public TestCase
{
  public:
    JobTimelineTestCase()
        : TestCase("a job's trace has every task, none overlaps another of its stream, and compute "
                   "adds up to the account; the picture has as many bars")
    {
    }

  private:
    /** @param rank a rank of four in two stages @return its tasks */
    static std::vector<TrainingTask> MakeTasks(uint32_t rank)
    {
        std::vector<TrainingTask> tasks;
        const bool first = rank < 2;
        for (uint64_t i = 0; i < 4; ++i)
        {
            const uint64_t id = 3 * i;
            if (first)
            {
                tasks.push_back(Compute(MicroSeconds(10 + rank)));
                tasks.push_back(
                    Collective(TrainingTask::ALL_REDUCE, ParallelDimension::TENSOR, 800, {id}));
                tasks.push_back(PointToPoint(TrainingTask::SEND, rank + 2, 1000, {id + 1}));
            }
            else
            {
                tasks.push_back(PointToPoint(TrainingTask::RECEIVE, rank - 2, 1000));
                tasks.push_back(Compute(MicroSeconds(7), {id}));
                tasks.push_back(
                    Collective(TrainingTask::ALL_REDUCE, ParallelDimension::TENSOR, 800, {id + 1}));
            }
            tasks[id].microBatch = static_cast<int32_t>(i);
        }
        return tasks;
    }

    /** @param job to be run, traced to m_trace and to pictures in m_path */
    void Run(Ptr<TrainingJob> job)
    {
        const ReportFolder folder(m_path);
        folder.Prepare();
        TimelineWriter writer(m_trace, [](uint32_t rank) { return "no. " + std::to_string(rank); });
        TimelinePicture picture(folder, "bars");
        job->TraceConnectWithoutContext("Task", MakeCallback(&TimelineWriter::Add, &writer));
        job->TraceConnectWithoutContext("Task", MakeCallback(&TimelinePicture::Add, &picture));
        job->Start();
        Simulator::Run();
        Simulator::Destroy();
        writer.Close();
        const bool drawn =
            picture.Draw("a title", [](uint32_t rank) { return std::to_string(rank); });
        const bool hasGnuplot = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
        NS_TEST_EXPECT_MSG_EQ(drawn, hasGnuplot, "drawn if it can be");
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(m_path + "/bars.png"), drawn, "a picture");
    }

    void DoRun() override
    {
        m_path = CreateTempDirFilename("timeline");
        auto locality = CreateObject<FlatLocality>(4);
        auto layout = JobLayout::MakeIdentity(4);
        layout.AddGroup(ParallelDimension::TENSOR, "TP group 0", {0, 1});
        layout.AddGroup(ParallelDimension::TENSOR, "TP group 1", {2, 3});
        layout.AddPair(0, 2);
        layout.AddPair(1, 3);
        auto job = CreateObject<TrainingJob>();
        job->SetLayout(layout);
        job->SetTransport(
            CreateObject<SerialTransport>(DataRate("8Gbps"), MicroSeconds(1), locality));
        job->SetLocality(locality);
        job->SetGraphFactory([](uint32_t rank)
                             { return std::make_unique<ListGraph>(MakeTasks(rank)); });
        Run(job);

        std::map<std::pair<int, int>, std::vector<std::pair<int64_t, int64_t>>> streams;
        std::map<int, int64_t> compute;
        std::size_t count = 0;
        for (const auto& event : nlohmann::json::parse(m_trace.str()))
        {
            if (event.at("ph") != "X")
            {
                continue;
            }
            ++count;
            const int64_t start = std::llround(event.at("ts").get<double>() * 1e6);
            const int64_t duration = std::llround(event.at("dur").get<double>() * 1e6);
            const int rank = event.at("pid");
            streams[{rank, event.at("tid").get<int>()}].emplace_back(start, start + duration);
            compute[rank] += event.at("cat") == "compute" ? duration : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(count, 4 * 12, "four ranks of twelve tasks");
        NS_TEST_EXPECT_MSG_EQ(count, job->GetTasksDone(), "all tasks");
        NS_TEST_EXPECT_MSG_EQ(streams.size(), 12, "three streams of each rank");
        for (const auto& [stream, times] : streams)
        {
            for (std::size_t i = 1; i < times.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_LT_OR_EQ(times[i - 1].second, times[i].first, "no overlap");
            }
        }
        for (const auto& [rank, sum] : compute)
        {
            const RankAccount& account = job->GetIterations().GetRanks().at(rank);
            NS_TEST_EXPECT_MSG_EQ(account.compute, PicoSeconds(sum), "compute of " << rank);
        }
        std::ifstream data(m_path + "/bars.dat");
        std::size_t lines = 0;
        for (std::string line; std::getline(data, line);)
        {
            ++lines;
        }
        NS_TEST_EXPECT_MSG_EQ(lines, 1 + count, "a header and a line for each task");
    }

    std::string m_path;         //!< of the pictures
    std::ostringstream m_trace; //!< the trace
};

/** The suite. */
class TrainingTimelineTestSuite : public TestSuite
{
  public:
    TrainingTimelineTestSuite()
        : TestSuite("llm-fabric-training-timeline", TestSuite::Type::UNIT)
    {
        AddTestCase(new WriterTestCase);
        AddTestCase(new JobTimelineTestCase);
    }

  private:
    void DoSetup() override
    {
        UsePicoseconds();
    }
} g_trainingTimelineTestSuite; //!< registers the suite

} // namespace
