// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_RDMA_SHARE_ORACLE_H
#define LLM_FABRIC_RDMA_SHARE_ORACLE_H

#include "ns3/fabric-network.h"
#include "ns3/path-shares.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3::llm
{

class RdmaNic;
struct RdmaConfig;

/**
 * @ingroup llm-fabric-transport
 * Knows which queue pairs of a transport have something to send and over which links, and tells each
 * its max-min fair share: what a congestion control gets that asks for it (NeedsShares()).
 *
 * A data frame counts on the links of its way, the acknowledgments that answer it on those of the way
 * back. Rates are shared anew at most once a tick, when a queue pair begins to have something to send,
 * or when the time of its last frame is over. The oracle lives among ns-3's events, so that it hears of
 * it a tick later and is heard another tick later.
 */
class RdmaShareOracle
{
  public:
    /**
     * Refuses a network that is cut between processes or whose balancer chooses frame by frame.
     * @param network the network, built
     * @param nics the NICs, by terminal
     * @param config sizes of frames
     */
    RdmaShareOracle(Ptr<FabricNetwork> network,
                    const std::vector<std::unique_ptr<RdmaNic>>& nics,
                    const RdmaConfig& config);
    RdmaShareOracle(const RdmaShareOracle&) = delete;
    RdmaShareOracle& operator=(const RdmaShareOracle&) = delete;

    /**
     * A queue pair has something to send (from an ns-3 event).
     * @param terminal its NIC's
     * @param index its number there
     */
    void Begin(uint32_t terminal, uint32_t index);
    /**
     * A queue pair has sent all.
     * @param terminal its NIC's
     * @param index its number there
     * @param tick when it would have sent the next frame, ps: until then it has its share
     */
    void End(uint32_t terminal, uint32_t index, uint64_t tick);

  private:
    /** What is known of a queue pair. */
    struct Member
    {
        uint32_t terminal = 0;  //!< of its NIC
        uint32_t index = 0;     //!< at the NIC
        bool isWanting = false; //!< has something to send
        uint64_t told = 0;      //!< share that it was told last; 0: none
    };

    /** Refuse what the oracle cannot know. */
    void Check() const;
    /** @param terminal of the NIC @param index of the queue pair @return its number, made if new */
    uint32_t GetMember(uint32_t terminal, uint32_t index);
    /** @param uses gets those of a way @param source a terminal @param destination a terminal
     * @param entropy of the frames @param weight of each link */
    void AddUses(std::vector<PathShares::Use>& uses,
                 uint32_t source,
                 uint32_t destination,
                 uint32_t entropy,
                 uint32_t weight);
    /** @param member the time of its last frame is over, unless it goes on */
    void Leave(uint32_t member);
    /** Share anew when all that happens now is known. */
    void ScheduleUpdate();
    /** Share anew and tell those whose share is another one. */
    void Update();

    Ptr<FabricNetwork> m_network;                        //!< the network
    const std::vector<std::unique_ptr<RdmaNic>>& m_nics; //!< by terminal
    uint32_t m_ackWeight;                                //!< of acknowledgments, beside data
    PathShares m_shares;                                 //!< its flows are the members
    std::map<uint32_t, uint32_t> m_links;                //!< of m_shares, by transmitter
    std::vector<Member> m_members;                       //!< by number
    std::vector<std::vector<uint32_t>> m_memberOf;       //!< by terminal and index
    bool m_isUpdateDue = false;                          //!< an update is scheduled for now
};

} // namespace ns3::llm

#endif // LLM_FABRIC_RDMA_SHARE_ORACLE_H
