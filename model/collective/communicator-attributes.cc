// SPDX-License-Identifier: GPL-2.0-only

// What can be set of a communicator.

#include "communicator.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3::llm
{

NS_OBJECT_ENSURE_REGISTERED(Communicator);

TypeId
Communicator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::Communicator")
            .SetParent<Object>()
            .SetGroupName("LlmFabric")
            .AddConstructor<Communicator>()
            .AddAttribute("Algorithm",
                          "TypeId of the collective algorithm, if need be with attributes, as in "
                          "ns3::llm::RingAlgorithm[Channels=2]; auto chooses by operation, size, "
                          "group and locality. Point-to-point operations take one message unless "
                          "it supports them",
                          StringValue("auto"),
                          MakeStringAccessor(&Communicator::m_algorithmName),
                          MakeStringChecker())
            .AddAttribute("StepLatency",
                          "Software latency before each send of a chunk",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Communicator::m_stepLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReductionRate",
                          "Rate at which a rank reduces a chunk that came into its own, before "
                          "it can send it on; 0 is no limit",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Communicator::m_reductionRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "LaunchLatency",
                "Time from a rank's call until its first step, as that of a kernel launch",
                TimeValue(Time(0)),
                MakeTimeAccessor(&Communicator::m_launchLatency),
                MakeTimeChecker(Time(0)))
            .AddAttribute("ChunkBytes",
                          "Largest message; a larger one is cut into equal chunks that follow each "
                          "other, of which each is reduced and passed on as it comes. 0: the "
                          "algorithm's messages as they are",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Communicator::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxOutstanding",
                          "Messages that a rank may have begun to send and that are not "
                          "acknowledged, over all its operations; 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Communicator::m_maxOutstanding),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CheckCalls",
                          "Compare what the ranks call as their n-th operation, and end the run if "
                          "they differ. In one process; without it only messages that fit no step "
                          "tell",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Communicator::m_checksCalls),
                          MakeBooleanChecker())
            .AddAttribute("CheckContributions",
                          "Follow whose contributions each byte holds at each rank, and end the "
                          "run if a rank ends with others than the operation says. In one process; "
                          "costs memory and time for each message",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Communicator::m_checksContributions),
                          MakeBooleanChecker())
            .AddAttribute("Priority",
                          "Message::priority of all messages, 0 to 7",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Communicator::m_priority),
                          MakeUintegerChecker<uint32_t>(0, 7))
            .AddTraceSource("OperationDone",
                            "An operation is complete at a rank",
                            MakeTraceSourceAccessor(&Communicator::m_operationDone),
                            "ns3::llm::Communicator::OperationTracedCallback");
    return tid;
}

} // namespace ns3::llm
