// SPDX-License-Identifier: GPL-2.0-only

// What finds faults in collective programs finds them, and programs are read from files.

#include "ns3/collective-algorithm.h"
#include "ns3/collective-bound.h"
#include "ns3/collective-operation.h"
#include "ns3/input-error.h"
#include "ns3/listed-program.h"
#include "ns3/program-check.h"
#include "ns3/program-file.h"
#include "ns3/test.h"

#include <fstream>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Op = CollectiveOperation; //!< the operations

/** @param function may refuse @return the refusal's text, or "" */
std::string
GetRefusal(const std::function<void()>& function)
{
    try
    {
        function();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "";
}

/** Steps as a test writes them. */
class WrittenProgram : public ListedProgram
{
  public:
    /** @param ranks lanes of each rank */
    explicit WrittenProgram(const std::vector<RankLanes>& ranks)
        : ListedProgram(static_cast<uint32_t>(ranks.size())),
          m_ranks(ranks)
    {
    }

  private:
    RankLanes MakeLanes(uint32_t rank) const override
    {
        return m_ranks[rank];
    }

    std::vector<RankLanes> m_ranks; //!< by rank
};

/** @param to a rank @param place of the message @param range what is sent @return the step */
ListedStep
Send(uint32_t to, uint32_t place, BufferRange range)
{
    return MakeListedStep(Step::SEND, to, place, {range});
}

/** @param from a rank @param place of the message @param range what comes @return the step */
ListedStep
Receive(uint32_t from, uint32_t place, BufferRange range)
{
    return MakeListedStep(Step::RECEIVE, from, place, {range});
}

/** @param from a rank @param place of the message @param range what comes @return the step */
ListedStep
Reduce(uint32_t from, uint32_t place, BufferRange range)
{
    return MakeListedStep(Step::RECEIVE, from, place, {range}, true);
}

/** @param step a step @param lane that must come first @param index its step @return the step */
ListedStep
After(ListedStep step, uint32_t lane, uint32_t index)
{
    step.step.dependencyLane = lane;
    step.step.dependencyIndex = index;
    return step;
}

/** Each kind of fault is found and named. */
class FaultTestCase : public TestCase
{
  public:
    FaultTestCase()
        : TestCase("Faults of a program are found, with ranks and bytes")
    {
    }

  private:
    void DoRun() override
    {
        const BufferRange all{0, 10};
        const BufferRange half{0, 5};
        // both send to each other and reduce: right
        Expect(Op::ALL_REDUCE,
               {{{Send(1, 0, all)}, {Reduce(1, 0, all)}}, {{Send(0, 0, all)}, {Reduce(0, 0, all)}}},
               "");
        Expect(
            Op::ALL_REDUCE,
            {{{Send(1, 0, half)}, {Reduce(1, 0, all)}}, {{Send(0, 0, all)}, {Reduce(0, 0, half)}}},
            "rank 1 ends without the contribution of rank 0 to bytes 5 to 10");
        Expect(
            Op::ALL_REDUCE,
            {{{Send(1, 0, all)}, {Receive(1, 0, all)}}, {{Send(0, 0, all)}, {Reduce(0, 0, all)}}},
            "rank 0 ends without the contribution of rank 0 to bytes 0 to 10");
        Expect(Op::ALL_REDUCE,
               {{{Send(1, 0, all), Send(1, 1, all)}, {Reduce(1, 0, all)}},
                {{Send(0, 0, all)}, {Reduce(0, 0, all), Reduce(0, 1, all)}}},
               "rank 1 receives from rank 0 (place 1) bytes 0 to 10, in which the contribution of "
               "rank 0 would count twice");
        Expect(Op::ALL_GATHER,
               {{{Send(1, 0, all)}, {Receive(1, 0, {5, 5})}},
                {{Send(0, 0, {5, 5})}, {Receive(0, 0, all)}}},
               "rank 0 sends to rank 1 (place 0) bytes 5 to 10, which it does not have");
        Expect(Op::BROADCAST,
               {{{Send(1, 0, all)}}, {{Receive(0, 0, half)}}},
               "rank 1 receives from rank 0 (place 0) other bytes than were sent");
        Expect(Op::BROADCAST,
               {{{Send(1, 0, half)}}, {{Receive(0, 0, half)}}},
               "rank 1 ends without bytes 5 to 10");
        Expect(Op::BROADCAST,
               {{{Send(1, 0, all), Send(1, 1, all)}}, {{Receive(0, 0, all)}}},
               "rank 0 sends rank 1 a message (place 1) that it does not take");
        Expect(Op::BROADCAST,
               {{}, {{Receive(0, 3, all)}}},
               "it cannot finish: rank 1, lane 0, step 0 waits for what rank 0 does not send "
               "(place 3); 1 lanes wait");
        Expect(Op::BROADCAST,
               {{{Send(2, 0, all)}}, {}},
               "rank 0 has rank 2 as its peer; its peers are the other ranks below 2");
        Expect(Op::BROADCAST,
               {{{Send(0, 0, all)}}, {}},
               "rank 0 has rank 0 as its peer; its peers are the other ranks below 2");
        Expect(Op::BROADCAST,
               {{{After(Send(1, 0, all), 1, 0)}, {After(Send(1, 1, all), 0, 0)}},
                {{Receive(0, 0, all), Receive(0, 1, all)}}},
               "it cannot finish: rank 0, lane 0, step 0 waits for step 0 of its lane 1; 3 lanes "
               "wait");
    }

    /**
     * @param operation of 10 bytes among 2 ranks
     * @param ranks the steps
     * @param fault what must be found
     */
    void Expect(Op operation, const std::vector<RankLanes>& ranks, const std::string& fault)
    {
        const auto program = std::make_shared<WrittenProgram>(ranks);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram({operation, 10, 0}, program), fault, "fault");
    }
};

/** A ring all-reduce of two ranks, as a file has it. */
const std::string RING_OF_TWO = R"({
  "text": "each reduces a half and sends it on",
  "operation": "all-reduce", "ranks": 2, "chunks": 2,
  "programs": [
    {"rank": 0, "lanes": [[{"do": "send", "to": 1, "chunk": 1},
                           {"do": "reduce", "from": 1, "chunk": 0},
                           {"do": "send", "to": 1, "chunk": 0},
                           {"do": "receive", "from": 1, "chunk": 1}]]},
    {"rank": 1, "lanes": [[{"do": "send", "to": 0, "chunk": 0},
                           {"do": "send", "to": 0, "chunk": 1, "afterLane": 1, "afterStep": 0}],
                          [{"do": "reduce", "from": 0, "chunk": 1},
                           {"do": "receive", "from": 0, "chunk": 0},
                           {"do": "wait", "afterLane": 0, "afterStep": 1}]]}
  ]})";

/** Programs from files do what they say. */
class FileTestCase : public TestCase
{
  public:
    FileTestCase()
        : TestCase("A program from a file is checked, and runs for any size")
    {
    }

  private:
    void DoRun() override
    {
        const ProgramFile file(RING_OF_TWO, "two.json");
        for (const uint64_t bytes : {0u, 1u, 2u, 1001u})
        {
            const CollectiveRequest request{Op::ALL_REDUCE, bytes, 0};
            const auto program = file.MakeProgram(request);
            NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program), "", bytes << " bytes");
            NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*program, 0), bytes, "sent by rank 0");
            NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*program, 1), bytes, "sent by rank 1");
        }
        const std::string name = CreateTempDirFilename("two.json");
        std::ofstream(name) << RING_OF_TWO;
        const auto algorithm =
            CollectiveAlgorithm::CreateByName("ns3::llm::FileAlgorithm[File=" + name + "]", "me");
        NS_TEST_EXPECT_MSG_EQ(algorithm->Supports({Op::ALL_REDUCE, 5, 0}), true, "all-reduce");
        NS_TEST_EXPECT_MSG_EQ(algorithm->Supports({Op::ALL_GATHER, 5, 0}), false, "all-gather");
        NS_TEST_EXPECT_MSG_EQ(
            algorithm->MakeProgram({Op::ALL_REDUCE, 5, 0}, {4, 7}, nullptr)->GetSize(),
            2u,
            "ranks");
        const auto refusal = GetRefusal(
            [&]() {
                algorithm->MakeProgram({Op::ALL_REDUCE, 5, 0}, {4, 7, 8}, nullptr);
            });
        NS_TEST_EXPECT_MSG_NE(refusal.find("is for 2 ranks and root 0; the group has 3 ranks"),
                              std::string::npos,
                              refusal);
        CheckParts();
    }

    /** Chunks of operations with parts are those of the ranks, whatever the size. */
    void CheckParts()
    {
        const ProgramFile gather(
            R"({"operation": "all-gather", "ranks": 2, "chunks": 4, "programs": [
                {"rank": 0, "lanes": [[{"do": "send", "to": 1, "chunk": 0, "count": 2},
                                       {"do": "receive", "from": 1, "chunk": 2, "count": 2}]]},
                {"rank": 1, "lanes": [[{"do": "send", "to": 0, "chunk": 2, "count": 2},
                                       {"do": "receive", "from": 0, "chunk": 0, "count": 2}]]}]})",
            "gather.json");
        for (const uint64_t bytes : {0u, 1u, 5u, 7u, 1000u})
        {
            const CollectiveRequest request{Op::ALL_GATHER, bytes, 0};
            NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, gather.MakeProgram(request)),
                                  "",
                                  bytes << " bytes");
        }
        const ProgramFile exchange(
            R"({"operation": "all-to-all", "ranks": 2, "chunks": 4, "programs": [
                {"rank": 0, "lanes": [[{"do": "send", "to": 1, "chunk": 1, "channel": 3},
                                       {"do": "receive", "from": 1, "chunk": 2}]]},
                {"rank": 1, "lanes": [[{"do": "send", "to": 0, "chunk": 2},
                                       {"do": "receive", "from": 0, "chunk": 1,
                                        "channel": 3}]]}]})",
            "exchange.json");
        const CollectiveRequest request{Op::ALL_TO_ALL, 9, 0};
        const auto program = exchange.MakeProgram(request);
        NS_TEST_EXPECT_MSG_EQ(CheckProgram(request, program), "", "all-to-all");
        NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*program, 0), 4u, "9 bytes are 5 and 4");
        NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*program, 1), 5u, "9 bytes are 5 and 4");
        const ProgramFile barrier(
            R"({"operation": "barrier", "ranks": 2, "chunks": 1, "programs": [
                {"rank": 0, "lanes": [[{"do": "send", "to": 1, "chunk": 0},
                                       {"do": "reduce", "from": 1, "chunk": 0}]]},
                {"rank": 1, "lanes": [[{"do": "send", "to": 0, "chunk": 0},
                                       {"do": "reduce", "from": 0, "chunk": 0}]]}]})",
            "barrier.json");
        NS_TEST_EXPECT_MSG_EQ(GetSentBytes(*barrier.MakeProgram({Op::BARRIER, 0, 0}), 0),
                              0u,
                              "a barrier moves nothing");
    }
};

/** Files with faults are refused, with their place. */
class FileFaultTestCase : public TestCase
{
  public:
    FileFaultTestCase()
        : TestCase("A file with a fault is refused with its place and what is allowed")
    {
    }

  private:
    void DoRun() override
    {
        Expect("\"chunks\": 2", "\"chunks\": 2, \"chunk\": 3", "key \"chunk\" is not known");
        Expect("all-reduce", "allreduce", "did you mean \"all-reduce\"?");
        Expect("\"ranks\": 2", "\"ranks\": -2", "\"ranks\" is -2; it must be a whole number");
        Expect("\"rank\": 0", "\"rank\": 2", "\"rank\" is 2; it must be a whole number below 2");
        Expect("\"do\": \"wait\"",
               "\"do\": \"sleep\"",
               "two.json, rank 1, lane 1, step 2: \"do\" is \"sleep\"; allowed: send, receive, "
               "reduce, copy, wait");
        Expect("\"to\": 1", "\"to\": 5", "two.json, rank 0, lane 0, step 0: \"to\" is 5");
        Expect("\"chunk\": 1}", "\"chunk\": 1, \"count\": 2}", "\"count\" is 2");
        Expect("\"afterStep\": 1",
               "\"afterStep\": 9",
               "comes after step 9 of lane 0, which does not exist");
        Expect("\"afterLane\": 1, \"afterStep\": 0",
               "\"afterLane\": 1, \"afterStep\": 2",
               "it cannot finish: rank");
        Expect("\"do\": \"reduce\", \"from\": 1",
               "\"do\": \"receive\", \"from\": 1",
               "it does not do all-reduce");
        Expect("{\n", "[\n", "it is not JSON");
        NS_TEST_EXPECT_MSG_NE(GetRefusal([]() { ProgramFile::Read("/no/such/file"); })
                                  .find("\"/no/such/file\" cannot be read"),
                              std::string::npos,
                              "a file that is not there");
    }

    /**
     * @param text of the right file
     * @param other what takes its place
     * @param why what must be said
     */
    void Expect(const std::string& text, const std::string& other, const std::string& why)
    {
        std::string changed = RING_OF_TWO;
        const std::size_t place = changed.find(text);
        NS_TEST_ASSERT_MSG_NE(place, std::string::npos, text);
        changed.replace(place, text.size(), other);
        const std::string refusal = GetRefusal([&]() { ProgramFile file(changed, "two.json"); });
        NS_TEST_EXPECT_MSG_NE(refusal.find(why), std::string::npos, other << ": " << refusal);
    }
};

/** Requests that make no sense are refused. */
class RequestTestCase : public TestCase
{
  public:
    RequestTestCase()
        : TestCase("Operations that make no sense are refused")
    {
    }

  private:
    void DoRun() override
    {
        Expect({Op::BROADCAST, 10, 4}, 4, "broadcast with root 4 among 4 ranks: the root must be");
        Expect({Op::BARRIER, 10, 0}, 4, "barrier of 10 bytes: it moves none, so give 0");
        Expect({Op::ALL_TO_ALL_V, 0, 0}, 4, "all-to-all-v among 4 ranks has no matrix");
        CollectiveRequest uneven{Op::ALL_TO_ALL_V, 0, 0};
        uneven.matrix = std::make_shared<TrafficMatrix>(TrafficMatrix::MakeEven(3, 30));
        Expect(uneven, 4, "has a matrix of 3 ranks; it needs one of 4 ranks");
        Expect(uneven, 3, "");
        uneven.bytes = 7;
        Expect(uneven, 3, "all-to-all-v of 7 bytes: its matrix says the sizes");
        NS_TEST_EXPECT_MSG_NE(GetRefusal(
                                  []() {
                                      TrafficMatrix(2, {1, 2, 3});
                                  })
                                  .find("of 2 ranks has 3 sizes; it needs 4"),
                              std::string::npos,
                              "a matrix that is no square");
        NS_TEST_EXPECT_MSG_EQ(GetRefusal([]() { TrafficMatrix(1, {UINT64_MAX}); }).empty(),
                              true,
                              "the largest total");
        NS_TEST_EXPECT_MSG_NE(GetRefusal(
                                  []() {
                                      TrafficMatrix(2, {0, UINT64_MAX, 1, 0});
                                  })
                                  .find("at sender 1, receiver 0"),
                              std::string::npos,
                              "more than 2^64 bytes");
    }

    /** @param request an operation @param size number of ranks @param why what must be said */
    void Expect(const CollectiveRequest& request, uint32_t size, const std::string& why)
    {
        const std::string refusal = GetRefusal([&]() { CheckRequest(request, size); });
        NS_TEST_EXPECT_MSG_EQ(refusal.empty(), why.empty(), refusal);
        NS_TEST_EXPECT_MSG_NE(refusal.find(why), std::string::npos, refusal);
    }
};

/** Suite of what finds faults. */
class CollectiveCheckTestSuite : public TestSuite
{
  public:
    CollectiveCheckTestSuite()
        : TestSuite("llm-fabric-collective-check", TestSuite::Type::UNIT)
    {
        AddTestCase(new FaultTestCase);
        AddTestCase(new FileTestCase);
        AddTestCase(new FileFaultTestCase);
        AddTestCase(new RequestTestCase);
    }
};

CollectiveCheckTestSuite g_collectiveCheckTestSuite; //!< registers itself

} // namespace
