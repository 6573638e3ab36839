// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_NIC_REDUCTIONS_H
#define LLM_FABRIC_NIC_REDUCTIONS_H

#include "message-transport.h"
#include "rdma-config.h"

#include "ns3/fabric-network.h"
#include "ns3/frame-clock.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3::llm
{

class RdmaTransport;

/**
 * @ingroup llm-fabric-transport
 * What a NIC does as a member of reduction groups: it sends contributions, as far as credits allow,
 * and receives results.
 *
 * It shares the port with the queue pairs of the NIC: as long as both have something to send they take
 * turns, frame by frame. Groups take turns among themselves, in the order of their owners.
 */
class NicReductions
{
  public:
    /** A member's place in a group. */
    struct Membership
    {
        uint32_t group = 0;        //!< number of the group in the network
        uint32_t owner = 0;        //!< owner of its messages
        uint64_t latencyTicks = 0; //!< of the switches on the way of a result, ps
    };

    /** A call of a member. */
    struct Call
    {
        uint32_t group = 0;    //!< number of the group in the network
        bool isSender = false; //!< its payload goes into it
        bool isGetter = false; //!< the result comes to it
        uint32_t ends = 0;     //!< see ReductionFrame::PackEnds()
        uint64_t bytes = 0;    //!< payload
        Message result;        //!< what the member gets in the end; its tag is that of the frames
    };

    /**
     * @param transport whose NIC it is
     * @param network the network
     * @param terminal of the NIC
     * @param nodeId the accelerator's node
     * @param config sizes and classes; outlives this
     */
    NicReductions(RdmaTransport* transport,
                  FabricNetwork* network,
                  uint32_t terminal,
                  uint32_t nodeId,
                  const RdmaConfig& config);

    /** The network is built: the port is known. */
    void Start();
    /** @param membership a group that the NIC becomes a member of; before its first call */
    void Join(const Membership& membership);
    /** Take part in a call (from an ns-3 event). @param call the call */
    void Post(const Call& call);
    /** A result has come (from a frame event). @param frame the frame */
    void Receive(const Frame& frame);
    /** The port may send again, or has something else to send: see when this may. */
    void Kick();

    /** @return frames sent, tokens included */
    uint64_t GetSentFrames() const
    {
        return m_sentFrames;
    }

  private:
    /** A call on its way from an ns-3 event to the frame event that takes it. */
    struct Posted
    {
        uint64_t tick; //!< when it may be taken
        Call call;     //!< the call
    };

    /** A call that is not complete. */
    struct Operation
    {
        Call call;                             //!< the call
        uint64_t firstPsn = 0;                 //!< number of its first frame
        uint64_t frames = 0;                   //!< how many
        uint64_t sentFrames = 0;               //!< of them sent, or spoken for by tokens
        uint64_t gotBytes = 0;                 //!< payload that has come
        uint64_t doneTick = FrameClock::NEVER; //!< when it is complete, once all has come
    };

    /** A group. */
    struct Group
    {
        Membership membership;            //!< the NIC's place in it
        std::deque<Operation> operations; //!< not complete, in the order of calls
        std::size_t sending = 0;          //!< the first that is not all sent
        std::size_t receiving = 0;        //!< the first that is not all received
        uint64_t nextPsn = 0;             //!< of the next call
        uint64_t received = 0;            //!< all before this one have been reduced
    };

    /** Handlers of the frame events. @param object this */
    static void HandleRequest(void* object);
    /** @copydoc HandleRequest */
    static void HandleWake(void* object);
    /** @copydoc HandleRequest */
    static void HandleDone(void* object);
    /** Take the calls that were posted before this tick. */
    void TakePosted();
    /** @param group a group @return whether it has a frame to send and a credit for it */
    bool MaySend(const Group& group) const;
    /** @return place of the group whose turn it is, or the number of groups if none may send */
    std::size_t FindNext() const;
    /** Send if the line is free. */
    void Wake();
    /** Send a frame. @param group of this group, which may */
    void SendOne(Group& group);
    /** Complete what is due. */
    void Finish();
    /** @param number of a group in the network @return the group */
    Group& At(uint32_t number);

    RdmaTransport* m_transport;                  //!< whose NIC it is
    FabricNetwork* m_network;                    //!< the network
    FrameClock* m_clock;                         //!< the clock
    FrameTransmitter* m_port = nullptr;          //!< the port
    const uint32_t m_terminal;                   //!< of the NIC
    const uint32_t m_nodeId;                     //!< of the accelerator
    const RdmaConfig& m_config;                  //!< sizes and classes
    FabricNetwork::ReductionSettings m_settings; //!< of all groups
    uint64_t m_windowFrames;                     //!< frames beyond what has come back
    uint32_t m_object;                           //!< number at the clock
    std::vector<Group> m_groups;                 //!< in the order of owners
    std::vector<uint32_t> m_placeOf;             //!< by number in the network
    std::size_t m_turn = 0;                      //!< place of the group after the last sender
    std::vector<Posted> m_posted;                //!< not yet taken
    uint64_t m_wakeAt = FrameClock::NEVER;       //!< tick of the wake-up in force
    uint64_t m_lineUntil = 0;                    //!< when the last frame has left the line
    uint64_t m_pacedUntil = 0;                   //!< no frame before, for `ReductionEfficiency`
    uint64_t m_sentFrames = 0;                   //!< see GetSentFrames()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_NIC_REDUCTIONS_H
