// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_TEST_SUPPORT_H
#define LLM_FABRIC_FLOW_TEST_SUPPORT_H

#include "refusal.h"

#include "ns3/flow-list.h"
#include "ns3/flow-runner.h"
#include "ns3/input-error.h"
#include "ns3/locality.h"

#include "ns3/test.h"

#include "small-network.h"

#include <fstream>
#include <functional>
#include <memory>
#include <string>

/**
 * @file
 * @ingroup llm-fabric-test
 * What the suites of flows share.
 */

namespace ns3::llm
{

/** What a small network looks like: each accelerator is a domain. */
class SmallLocality : public Locality
{
  public:
    /** @param network the network, which must outlive this */
    explicit SmallLocality(const SmallNetwork* network)
        : m_network(network)
    {
    }

    uint32_t GetAcceleratorCount() const override
    {
        return static_cast<uint32_t>(m_network->hosts.size());
    }

    uint32_t GetDomain(uint32_t accelerator) const override
    {
        return accelerator;
    }

    uint32_t GetRail(uint32_t) const override
    {
        return 0;
    }

    uint32_t GetNodeId(uint32_t accelerator) const override
    {
        return m_network->network->GetTerminalNodeId(accelerator);
    }

    Path GetPath(uint32_t source, uint32_t destination, uint32_t, uint32_t flow) const override
    {
        Path path;
        path.legs.push_back(m_network->transport->DescribeLeg(source, destination, flow));
        return path;
    }

  private:
    const SmallNetwork* m_network; //!< the network
};

/** A test with wrong input. */
class InputTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** @param text content of a file @return its path */
    std::string Write(const std::string& text)
    {
        const std::string path = CreateTempDirFilename("file.txt");
        std::ofstream(path) << text;
        return path;
    }

    /** @param refusal why something was refused @param words it must hold them */
    void ExpectRefusal(const std::string& refusal, const std::string& words)
    {
        NS_TEST_EXPECT_MSG_NE(refusal.find(words),
                              std::string::npos,
                              "'" << refusal << "' has '" << words << "'");
    }
};

/** Hosts at one switch, links of 100 Gb/s and 1 us, frames of 1000 B and 82 B more, no control. */
class FlowStar
{
  public:
    /** @param hosts so many */
    explicit FlowStar(uint32_t hosts)
    {
        SmallNetwork::SetPlain(1000);
        m_hosts = hosts;
    }

    /** @param flows run them, after attributes and losses are set @param begin from then on */
    void Run(const FlowList& flows, Time begin = Time(0))
    {
        net.MakeStar(m_hosts, "100Gbps");
        runner = std::make_unique<FlowRunner>(net.transport, CreateObject<SmallLocality>(&net));
        Simulator::Schedule(begin, &FlowRunner::Start, runner.get(), flows);
        Simulator::Run();
    }

    /** @param place of a flow @return what became of it */
    const FlowRecord& Get(uint32_t place) const
    {
        return runner->GetRecords().at(place);
    }

    SmallNetwork net;                   //!< the network
    std::unique_ptr<FlowRunner> runner; //!< the runner

  private:
    uint32_t m_hosts; //!< so many
};

/** @param source accelerator @param destination accelerator @param bytes size @return a flow */
inline Flow
MakeFlow(uint32_t source, uint32_t destination, uint64_t bytes)
{
    Flow flow;
    flow.source = source;
    flow.destination = destination;
    flow.bytes = bytes;
    return flow;
}

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_TEST_SUPPORT_H
