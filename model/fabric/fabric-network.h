// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_NETWORK_H
#define LLM_FABRIC_FABRIC_NETWORK_H

#include "deadlock-detector.h"
#include "fabric-faults.h"
#include "fabric-link.h"
#include "fabric-port.h"
#include "fabric-switch.h"
#include "frame-loss.h"
#include "reduction-tree.h"

#include "ns3/data-rate.h"
#include "ns3/frame-clock.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * Switches, terminals and links that frames of one address space cross: the NIC network of a
 * cluster, or one HB domain.
 *
 * A terminal is a NIC's port; terminals are numbered from 0 in the order of AddTerminal(). Routes are
 * all shortest paths over links that are up; they follow when a link goes down or comes up.
 */
class FabricNetwork : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @param clock the clock of this network; first call of all */
    void SetClock(Ptr<FrameClock> clock);

    /** @return the clock */
    Ptr<FrameClock> GetClock() const
    {
        return m_clock;
    }

    /** @param prefix goes before the names of switches that are added from here on */
    void SetNamePrefix(const std::string& prefix);

    /**
     * @param node its node
     * @param tier its tier, 0 next to the terminals
     * @param place its place in the tier of its fabric or rail (see FabricSwitch::SetPlace)
     * @param name for reports, e.g. "rail 3 switch 0"
     * @return number of the vertex, for Connect()
     */
    uint32_t AddSwitch(Ptr<Node> node, uint32_t tier, uint32_t place, const std::string& name);

    /**
     * @param node the accelerator's node
     * @param place its place in its fabric or rail, for draws and equal-cost choices
     * @param name for reports, e.g. "accelerator 12 NIC"
     * @return number of the vertex, for Connect(); see GetTerminal()
     */
    uint32_t AddTerminal(Ptr<Node> node, uint32_t place, const std::string& name);

    /**
     * Add a link. A terminal takes one.
     * @param a vertex at one end
     * @param b vertex at the other end
     * @param rate line rate
     * @param delay propagation
     * @return number of the link, for SetLinkState()
     */
    uint32_t Connect(uint32_t a, uint32_t b, DataRate rate, Time delay);

    /**
     * Add a link with a rate for each way.
     * @param a vertex at one end
     * @param b vertex at the other end
     * @param rate line rate from a to b
     * @param reverseRate line rate from b to a
     * @param delay propagation
     * @return number of the link, for SetLinkState()
     */
    uint32_t Connect(uint32_t a, uint32_t b, DataRate rate, DataRate reverseRate, Time delay);

    /**
     * All is connected and all terminals have their owners: size the buffers, fill the routing
     * tables. Refuses terminals without a link.
     */
    void Build();

    /**
     * Have a link go down or come up, at a given time from now on or before the run.
     * @param link number of the link
     * @param at when, after now
     * @param isUp whether it comes up
     */
    void SetLinkState(uint32_t link, Time at, bool isUp);

    /** @param vertex vertex of a terminal @return its number as a terminal */
    uint32_t GetTerminal(uint32_t vertex) const;

    /** @return number of terminals */
    uint32_t GetTerminalCount() const
    {
        return static_cast<uint32_t>(m_terminals.size());
    }

    /** @param terminal a terminal @return its port */
    Ptr<FabricPort> GetTerminalPort(uint32_t terminal) const;
    /** @param terminal a terminal @return its place in its fabric or rail */
    uint32_t GetTerminalPlace(uint32_t terminal) const;
    /** @param terminal a terminal @return id of its node */
    uint32_t GetTerminalNodeId(uint32_t terminal) const;
    /** @param terminal a terminal @param owner who gets its frames; before Build() */
    void SetTerminalOwner(uint32_t terminal, FrameSink* owner);

    /** @return number of switches */
    uint32_t GetSwitchCount() const
    {
        return static_cast<uint32_t>(m_switches.size());
    }

    /** @param index a switch, in the order of AddSwitch() @return the switch */
    Ptr<FabricSwitch> GetSwitch(uint32_t index) const;

    /** @return number of links */
    uint32_t GetLinkCount() const
    {
        return static_cast<uint32_t>(m_edges.size());
    }

    /** One direction of a link, for reports. */
    struct Direction
    {
        std::string name;             //!< "from -> to"
        Ptr<const FabricPort> port;   //!< the sending port
        bool betweenSwitches = false; //!< neither end is a terminal
    };

    /** @return both directions of every link, in the order of Connect() */
    std::vector<Direction> GetDirections() const;

    /**
     * The way of a frame now.
     * @param source a terminal
     * @param destination another terminal
     * @param entropy what equal-cost choices are made from
     * @return the sending ports in order; empty when there is no way
     */
    std::vector<Ptr<FabricPort>>
    GetPath(uint32_t source, uint32_t destination, uint32_t entropy) const;

    /** @return whether its switches reduce for groups: attribute InSwitchReduction */
    bool HasReduction() const
    {
        return m_hasReduction;
    }

    /** What reduction groups of this network are like. */
    struct ReductionSettings
    {
        Time latency;             //!< of each switch that a frame of a group crosses
        uint32_t windowBytes = 0; //!< payload that a member sends beyond what it has got back
        uint32_t outstanding = 0; //!< calls of a group that a member has under way
        double efficiency = 1;    //!< part of the line rate at which members send
        uint32_t tokenBytes = 0;  //!< wire bytes of a frame without payload
        uint32_t destination = 0; //!< of frames: no terminal
    };

    /** @return the attributes */
    ReductionSettings GetReductionSettings() const;

    /**
     * @param terminals members of a group
     * @param turn a number of the group
     * @return the tree over which it would reduce now; without nodes if there is none
     */
    ReductionTree FindReductionTree(const std::vector<uint32_t>& terminals, uint32_t turn) const;

    /**
     * Make a reduction group; when the network is built, at any time.
     * @param tree of its members
     * @param windowFrames most frames that a member sends beyond what it has got back
     * @param trafficClass of its frames
     * @return its number, which its frames carry as queuePair
     */
    uint32_t
    AddReductionGroup(const ReductionTree& tree, uint32_t windowFrames, uint8_t trafficClass);

    /**
     * @param tree a tree
     * @param member one of its members
     *
     * @return the ports by which a frame goes from the root to the member, in order; the way up are
     *         their peers
     */
    std::vector<Ptr<FabricPort>> GetWayDown(const ReductionTree& tree, uint32_t member) const;

    /** @return where the frames of this network come from */
    FramePool& GetPool()
    {
        return m_pool;
    }

    /** @return what ended the run: drops in lossless classes, deadlocks; empty when nothing did */
    const std::vector<std::string>& GetFaults() const
    {
        return m_faults.GetTexts();
    }

    /**
     * Have one direction of a link lose frames; before Build().
     * @param direction its place in GetDirections()
     * @param loss says which; serves this direction alone
     */
    void SetFrameLoss(uint32_t direction, Ptr<FrameLoss> loss);

    /** @param observer sees the arrivals at all ports; nullptr: none */
    void SetObserver(FrameTransmitter::Observer* observer);

  private:
    /** A switch or a terminal. */
    struct Vertex
    {
        Ptr<Node> node;                     //!< its node
        Ptr<FabricSwitch> fabricSwitch;     //!< the switch, or null
        uint32_t terminal = UINT32_MAX;     //!< number as a terminal
        uint32_t place = 0;                 //!< place in its fabric or rail
        uint32_t tier = 0;                  //!< tier of a switch
        std::string name;                   //!< for reports
        std::vector<uint32_t> neighbors;    //!< by port number: vertex at the other end
        std::vector<Ptr<FabricPort>> ports; //!< by number
    };

    /** A link and its ends. */
    struct Edge
    {
        uint32_t a = 0;                   //!< vertex
        uint32_t b = 0;                   //!< vertex
        Ptr<FabricLink> link;             //!< the link; its device 0 is at a
        FabricNetwork* network = nullptr; //!< this network
        uint32_t object = 0;              //!< number at the clock
        std::map<uint64_t, bool> changes; //!< by tick: comes up or goes down
        Ptr<FrameLoss> losses[2];         //!< of the ways from a and from b, or null
    };

    void DoDispose() override;
    /** @param tid gets attributes: how switches reduce */
    static void AddReductionAttributes(TypeId tid);
    /** Make a port. @param vertex at which vertex @return the port */
    Ptr<FabricPort> MakePort(uint32_t vertex);
    /** Have the links lose what is said to be lost. @param seed hash of the run's seed */
    void InstallLosses(uint64_t seed);
    /** @return switches, terminals, and links that are up */
    std::vector<RouteBuilder::Vertex> MakeGraph() const;
    /** End the run if a tree of a group crosses a link that has gone down. @param edge the link */
    void CheckTrees(const Edge& edge);
    /** Fill the tables of all switches. */
    void FillRoutes();
    /** Handler of FrameEventKind::LINK_STATE. @param object the edge */
    static void HandleLinkState(void* object);

    Ptr<FrameClock> m_clock;                             //!< the clock
    FabricFaults m_faults;                               //!< what ended the run
    DeadlockDetector m_detector;                         //!< looks at pauses that last
    FramePool m_pool;                                    //!< frames
    std::vector<Vertex> m_vertices;                      //!< switches and terminals
    std::vector<uint32_t> m_terminals;                   //!< vertex of each terminal
    std::vector<uint32_t> m_terminalPlaces;              //!< place of each terminal
    std::vector<uint32_t> m_switches;                    //!< vertex of each switch
    std::vector<std::unique_ptr<Edge>> m_edges;          //!< links
    std::vector<FrameSink*> m_owners;                    //!< of each terminal
    FrameTransmitter::Observer* m_observer = nullptr;    //!< sees arrivals
    bool m_isReference;                                  //!< attribute
    bool m_hasBatches;                                   //!< attribute
    std::string m_lossType;                              //!< attribute
    Time m_deadlockTimeout;                              //!< attribute
    bool m_hasReduction;                                 //!< attribute
    Time m_reductionLatency;                             //!< attribute
    uint32_t m_reductionWindow;                          //!< attribute
    uint32_t m_reductionOutstanding;                     //!< attribute
    double m_reductionEfficiency;                        //!< attribute
    uint32_t m_reductionTokenBytes;                      //!< attribute
    uint32_t m_groupCount = 0;                           //!< reduction groups
    std::set<std::pair<uint32_t, uint16_t>> m_treePorts; //!< (vertex, port) of trees, looking down
    std::string m_namePrefix;                            //!< see SetNamePrefix()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_NETWORK_H
