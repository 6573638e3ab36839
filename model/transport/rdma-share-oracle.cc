// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-share-oracle.h"

#include "rdma-nic.h"

#include "ns3/input-error.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ns3::llm
{

namespace
{

/** No member yet. */
constexpr uint32_t NONE = UINT32_MAX;

} // namespace

RdmaShareOracle::RdmaShareOracle(Ptr<FabricNetwork> network,
                                 const std::vector<std::unique_ptr<RdmaNic>>& nics,
                                 const RdmaConfig& config)
    : m_network(network),
      m_nics(nics),
      m_memberOf(nics.size())
{
    Check();
    const double dataBytes = config.framesPerAck * (config.mtuBytes + config.dataOverheadBytes);
    m_ackWeight =
        static_cast<uint32_t>(std::ceil(PathShares::UNIT * (config.ackBytes / dataBytes)));
}

void
RdmaShareOracle::Check() const
{
    for (uint32_t s = 0; s < m_network->GetSwitchCount(); ++s)
    {
        StringValue balancer;
        m_network->GetSwitch(s)->GetAttribute("LoadBalancer", balancer);
        if (balancer.Get() != "ns3::llm::FlowEcmp")
        {
            RefuseInput("the congestion control knows the path of each flow, so LoadBalancer '" +
                        balancer.Get() + "' is not allowed; ns3::llm::FlowEcmp is");
        }
    }
    for (uint32_t t = 0; t < m_network->GetTerminalCount(); ++t)
    {
        const auto node = NodeList::GetNode(m_network->GetTerminalNodeId(t));
        if (node->GetSystemId() != Simulator::GetSystemId())
        {
            RefuseInput("the congestion control knows all flows, so the network must lie in one "
                        "process; terminal " +
                        std::to_string(t) + " has system id " +
                        std::to_string(node->GetSystemId()));
        }
    }
}

void
RdmaShareOracle::AddUses(std::vector<PathShares::Use>& uses,
                         uint32_t source,
                         uint32_t destination,
                         uint32_t entropy,
                         uint32_t weight)
{
    for (const auto& port : m_network->GetPath(source, destination, entropy))
    {
        const FrameTransmitter& transmitter = port->GetTransmitter();
        const auto [link, isNew] = m_links.emplace(transmitter.GetObject(), 0);
        if (isNew)
        {
            link->second = m_shares.AddLink(transmitter.GetRate().GetBitRate());
        }
        uses.push_back({link->second, weight});
    }
}

uint32_t
RdmaShareOracle::GetMember(uint32_t terminal, uint32_t index)
{
    auto& members = m_memberOf[terminal];
    members.resize(std::max<std::size_t>(members.size(), index + 1), NONE);
    if (members[index] == NONE)
    {
        const SendQueuePair& queuePair = m_nics[terminal]->GetQueuePair(index);
        const uint32_t entropy = queuePair.GetEntropy();
        const uint32_t to = queuePair.destination;
        std::vector<PathShares::Use> uses;
        AddUses(uses, terminal, to, entropy, PathShares::UNIT);
        AddUses(uses, to, terminal, RdmaReceiver::AnswerEntropy(entropy), m_ackWeight);
        members[index] = m_shares.AddFlow(std::move(uses));
        m_members.push_back({terminal, index});
    }
    return members[index];
}

void
RdmaShareOracle::Begin(uint32_t terminal, uint32_t index)
{
    const uint32_t member = GetMember(terminal, index);
    m_members[member].isWanting = true;
    m_shares.SetActive(member, true);
    ScheduleUpdate();
}

void
RdmaShareOracle::End(uint32_t terminal, uint32_t index, uint64_t tick)
{
    const uint32_t member = GetMember(terminal, index);
    m_members[member].isWanting = false;
    const auto now = static_cast<uint64_t>(Simulator::Now().GetPicoSeconds());
    Simulator::Schedule(PicoSeconds(tick > now ? tick - now : 0),
                        &RdmaShareOracle::Leave,
                        this,
                        member);
}

void
RdmaShareOracle::Leave(uint32_t member)
{
    if (!m_members[member].isWanting)
    {
        m_shares.SetActive(member, false);
        ScheduleUpdate();
    }
}

void
RdmaShareOracle::ScheduleUpdate()
{
    if (!m_isUpdateDue)
    {
        m_isUpdateDue = true;
        Simulator::ScheduleNow(&RdmaShareOracle::Update, this);
    }
}

void
RdmaShareOracle::Update()
{
    m_isUpdateDue = false;
    m_shares.Update();
    std::vector<uint32_t> changed;
    for (const uint32_t member : m_shares.GetActive())
    {
        if (m_members[member].told != m_shares.GetRate(member))
        {
            changed.push_back(member);
        }
    }
    // a NIC serves its queue pairs in the order in which it is told
    std::sort(changed.begin(),
              changed.end(),
              [this](uint32_t a, uint32_t b)
              {
                  return std::tie(m_members[a].terminal, m_members[a].index) <
                         std::tie(m_members[b].terminal, m_members[b].index);
              });
    for (const uint32_t member : changed)
    {
        Member& one = m_members[member];
        one.told = m_shares.GetRate(member);
        m_nics[one.terminal]->GiveShare(one.index, static_cast<double>(one.told));
    }
}

} // namespace ns3::llm
