// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_TRANSPORT_H
#define LLM_FABRIC_RDMA_TRANSPORT_H

#include "locality.h"
#include "message-transport.h"
#include "nic-reductions.h"
#include "rdma-nic.h"
#include "rdma-share-oracle.h"
#include "rdma-traces.h"

#include "ns3/fabric-network.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-transport
 * Carries messages as RDMA writes over a network: RoCEv2 reliable connections.
 *
 * One NIC per terminal of the network; an accelerator may have several terminals, whose NICs share its
 * messages. A queue pair is made for each (source, destination, owner, flow, priority) with its first
 * message and keeps its congestion state between messages.
 */
class RdmaTransport : public MessageTransport, public RdmaTraces
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Put a NIC at every terminal; once, before FabricNetwork::Build().
     * @param network the network
     * @param accelerators accelerator of each terminal; one that comes n times has n NICs, numbered in
     * their order, and NIC i sends to NIC i of others
     */
    void Install(Ptr<FabricNetwork> network, const std::vector<uint32_t>& accelerators);

    /** The network is built. */
    void Start();

    void Send(const Message& message) override;
    uint32_t MakeGroup(uint32_t owner, const std::vector<uint32_t>& members) override;
    void Reduce(uint32_t group, const Message& call) override;
    void Multicast(uint32_t group, const Message& call) override;

    /** @param members accelerators @return what switches of the network can do for them */
    InSwitchReduction GetInSwitchReduction(const std::vector<uint32_t>& members) const;
    /** See Locality. @param members accelerators, for which switches can do it @param source sends,
     * or EVERY_MEMBER @param destination receives, or EVERY_MEMBER @param owner of the messages
     * @return the way */
    GroupPath DescribeGroup(const std::vector<uint32_t>& members,
                            uint32_t source,
                            uint32_t destination,
                            uint32_t owner) const;

    /**
     * What a path over this network looks like.
     * @param source accelerator
     * @param destination accelerator
     * @param flow see Message
     * @return the leg; without links when there is no way
     */
    PathLeg DescribeLeg(uint32_t source, uint32_t destination, uint32_t flow) const;

    /** @param accelerator an accelerator @return whether it has a NIC here */
    bool Serves(uint32_t accelerator) const;
    /** @param accelerator an accelerator with a NIC here @param number which of its NICs @return the
     * NIC */
    const RdmaNic& GetNic(uint32_t accelerator, std::size_t number = 0) const;
    /** @return NICs of each accelerator */
    uint32_t GetNicCount() const;
    /** @return sums over all NICs */
    NicCounters GetCounters() const;
    /** @return queue pairs that gave up, one sentence each */
    const std::vector<std::string>& GetFailures() const;
    /** @return the network */
    Ptr<FabricNetwork> GetNetwork() const;

    /** @return sizes and kinds of its frames, and times; set by Install() */
    const RdmaConfig& GetConfig() const
    {
        return m_config;
    }

    /** For NICs. @param terminal a terminal @return its accelerator */
    uint32_t GetAccelerator(uint32_t terminal) const
    {
        return m_accelerators[terminal];
    }

    /** @param terminal a terminal @return its NIC */
    const RdmaNic& GetNicAt(uint32_t terminal) const
    {
        return *m_nics.at(terminal);
    }

    /** For NICs. @param terminal a terminal @return which of its accelerator's NICs it is */
    uint32_t GetNicNumber(uint32_t terminal) const
    {
        return m_nicNumbers[terminal];
    }

    /** @param accelerator an accelerator @param nic which of its NICs @return its terminal; refused
     * when it has none */
    uint32_t GetTerminal(uint32_t accelerator, std::size_t nic = 0) const;

    /**
     * For NICs.
     * @param source terminal
     * @param destination terminal
     * @param flow see Message
     * @return hash of a queue pair's place, from which its random draws and equal-cost choices come
     */
    uint64_t GetIdentity(uint32_t source, uint32_t destination, uint32_t flow) const;
    /** For NICs. @param identity see GetIdentity() @return entropy of the data frames */
    static uint32_t GetEntropy(uint64_t identity);
    /** For NICs. @copydetails GetIdentity */
    QueuePairInfo MakeInfo(uint32_t source, uint32_t destination, uint32_t flow) const;
    /** For NICs: tell the owner. @param nodeId where @param message what */
    void CallOutDelivered(uint32_t nodeId, const Message& message);
    /** @copydoc CallOutDelivered */
    void CallOutAcknowledged(uint32_t nodeId, const Message& message);
    /** For NICs. @param source accelerator @param destination accelerator @param timeouts so many */
    void ReportFailure(uint32_t source, uint32_t destination, uint32_t timeouts);

  private:
    /** A reduction group. */
    struct Group
    {
        uint32_t number = 0;                   //!< in the network
        std::vector<uint32_t> members;         //!< accelerators
        std::map<uint32_t, uint32_t> memberOf; //!< place among these, by accelerator
    };

    void DoDispose() override;
    /** @param members accelerators @return their terminals */
    std::vector<uint32_t> GetTerminals(const std::vector<uint32_t>& members) const;
    /** @param group handle @param isReduction or a multicast @param call what a member calls */
    void PostToGroup(uint32_t group, bool isReduction, const Message& call);
    /** Make m_config of the attributes. */
    void MakeConfig();
    /** @param tid gets attributes: how queue pairs and NICs share what there is @return it */
    static TypeId AddSharingAttributes(TypeId tid);
    /** Make the part of m_config that AddSharingAttributes() is about. */
    void MakeSharing();
    /** Let the NICs of an accelerator share its messages. */
    void JoinNics();
    /** See DescribeLeg(). @param from terminal @param to terminal @param flow see Message @return the
     * leg */
    PathLeg DescribeWay(uint32_t from, uint32_t to, uint32_t flow) const;
    /** Tell sinks and the owner. @param message is at its destination */
    void Deliver(const Message& message);
    /** Tell sinks and the owner. @param message is known to have arrived */
    void Acknowledge(const Message& message);
    /** Make the loss recovery, and the times of m_config with it. */
    void MakeRecovery();

    Ptr<FabricNetwork> m_network;                          //!< the network
    std::vector<uint32_t> m_accelerators;                  //!< by terminal
    std::map<uint32_t, std::vector<uint32_t>> m_terminals; //!< by accelerator
    std::vector<uint32_t> m_nicNumbers;           //!< by terminal: which of its accelerator's
    std::vector<std::unique_ptr<RdmaNic>> m_nics; //!< by terminal
    Ptr<RdmaCongestionControl> m_control;         //!< of all queue pairs
    Ptr<RdmaLossRecovery> m_recovery;             //!< of all queue pairs
    Ptr<SendEntropy> m_entropy;                   //!< of all queue pairs
    std::unique_ptr<RdmaShareOracle> m_oracle;    //!< if the control asks for shares
    RdmaConfig m_config;                          //!< made of the attributes
    std::string m_controlType;                    //!< attribute
    std::string m_recoveryType;                   //!< attribute
    std::string m_entropyType;                    //!< attribute
    uint32_t m_mtuBytes;                          //!< attribute
    uint32_t m_maxWriteBytes;                     //!< attribute
    bool m_acksMarkChange;                        //!< attribute
    Time m_setupTime;                             //!< attribute
    uint64_t m_maxOutstandingBytes;               //!< attribute
    uint64_t m_nicOutstandingBytes;               //!< attribute
    uint32_t m_queuePairs;                        //!< attribute
    std::string m_queuePairSelection;             //!< attribute
    std::string m_nicSelection;                   //!< attribute
    std::string m_schedulerName;                  //!< attribute
    std::string m_priorityWeights;                //!< attribute
    uint32_t m_dataOverheadBytes;                 //!< attribute
    uint32_t m_firstOverheadBytes;                //!< attribute
    uint32_t m_ackBytes;                          //!< attribute
    uint32_t m_cnpBytes;                          //!< attribute
    uint32_t m_framesPerAck;                      //!< attribute
    uint64_t m_bytesPerAck;                       //!< attribute
    uint8_t m_dataClass;                          //!< attribute
    uint8_t m_controlClass;                       //!< attribute
    uint32_t m_maxTimeouts;                       //!< attribute
    Time m_cnpInterval;                           //!< attribute
    Time m_timeout;                               //!< attribute
    std::vector<std::unique_ptr<NicReductions>> m_reductions; //!< by terminal, if switches reduce
    std::vector<Group> m_groups;                              //!< by handle
    std::vector<std::string> m_failures;                      //!< queue pairs that gave up
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_TRANSPORT_H
