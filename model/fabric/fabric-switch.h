// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_SWITCH_H
#define LLM_FABRIC_FABRIC_SWITCH_H

#include "deadlock-detector.h"
#include "ecn-table.h"
#include "fabric-port.h"
#include "flow-ecmp.h"
#include "frame-sink.h"
#include "load-balancer.h"
#include "lossless-check.h"
#include "route-table.h"
#include "shared-buffer.h"
#include "switch-batch.h"
#include "switch-reducer.h"

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * A store-and-forward switch with one shared buffer; aggregated to its node.
 *
 * A frame that has come in whole is counted into the buffer, gets an output port from the routing
 * table (and the load balancer where several lead on), and is queued there. PFC stops the sender of a
 * lossless class, ECN marks at departure. Forwarding takes no time of its own: a fixed latency is part
 * of the link delay.
 */
class FabricSwitch : public Object, public FrameSink
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param port a port of this switch; numbered in the order of the calls
     */
    void AddPort(Ptr<FabricPort> port);

    /** All ports are there and linked: have their transmitters side by side. */
    void PlaceTransmitters();

    /** Their transmitters are set up: size the buffer, set marking. @param seed seed of the run */
    void Configure(uint64_t seed);

    /**
     * Replace the routing table.
     * @param groups groups of ports that lead on equally well, each in the order of port numbers
     * @param groupOf by destination terminal: its group, or NO_ROUTE
     */
    void SetRoutes(std::vector<std::vector<uint16_t>> groups, std::vector<uint16_t> groupOf);

    /** In the routing table: no way. */
    static constexpr uint16_t NO_ROUTE = UINT16_MAX;

    /**
     * @param frame a frame (its destination and entropy count, and what the load balancer looks at)
     * @return the port by which it would leave now, or NO_ROUTE; see LoadBalancer::Foretell()
     */
    uint16_t GetRoute(const TransitFrame& frame) const;

    /**
     * @param tier its tier, 0 next to the accelerators; for its seed and for reports
     * @param place its place in its tier of its fabric or rail
     */
    void SetPlace(uint32_t tier, uint32_t place);

    /**
     * Have a class of a port marked in its own way; before the run. It goes before the attributes.
     * @param port the port
     * @param trafficClass the class
     * @param profile thresholds of this port, as they are; EcnProfile(): no marks
     */
    void SetEcn(uint16_t port, uint8_t trafficClass, const EcnProfile& profile);

    /**
     * @param name for reports, e.g. "rail 3 switch 0"
     * @param faults ends the run; outlives it
     * @param detector is asked about long pauses; outlives the run
     */
    void SetReports(const std::string& name, FabricFaults* faults, DeadlockDetector* detector);

    /** @return what it is called in reports */
    std::string Describe() const;

    /** @return its tier */
    uint32_t GetTier() const
    {
        return m_tier;
    }

    /** @return its place in the tier */
    uint32_t GetPlace() const
    {
        return m_place;
    }

    /** @return number of ports */
    uint32_t GetPortCount() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /** @return wire bytes of the largest frame for which the headroom suffices */
    uint32_t GetMaxFrameBytes() const
    {
        return m_maxFrameBytes;
    }

    /** @param index number of a port @return the port */
    Ptr<FabricPort> GetPort(uint32_t index) const
    {
        return m_ports.at(index);
    }

    /** @return the packet memory */
    const SharedBuffer& GetBuffer() const
    {
        const_cast<FabricSwitch*>(this)->CatchUp();
        return m_buffer;
    }

    /** @return frames dropped because no route led to their destination */
    uint64_t GetUnroutable() const
    {
        const_cast<FabricSwitch*>(this)->CatchUp();
        return m_unroutable;
    }

    /** @return frames of lossless classes dropped for want of headroom: see LosslessDrop */
    uint64_t GetLosslessDrops() const
    {
        const_cast<FabricSwitch*>(this)->CatchUp();
        return m_lossless.GetDrops();
    }

    /** The link of a port has gone down. @param port the port */
    void PortDown(uint16_t port);

    /** @param clock the clock; all is built */
    void SetClock(FrameClock* clock);
    /** From now on have frames handled in batches where nothing speaks against it. */
    void AllowBatches();

    /** In a frame event: handle all up to now, this tick included. */
    void FinishTick();

    void CatchUp() override;
    void ObserversChanged() override;
    void ReceiveFrame(uint16_t port, const TransitFrame& transit) override;

    /** As ReceiveFrame(), for a loop over frames. @param port by which @param transit the frame */
    void Forward(uint16_t port, const TransitFrame& transit)
    {
        const uint16_t route = m_routes.Get(transit.destination);
        const uint16_t out = route < m_portCount ? route : ChooseRoute(transit, route);
        if (__builtin_expect(out == NO_ROUTE, 0))
        {
            TakeUnroutable(port, transit);
        }
        else if (m_buffer.AdmitPlainly(port, transit.trafficClass, transit.wireBytes) ||
                 AdmitWithCare(port, transit))
        {
            m_transmitters[out].Enqueue(transit, port);
        }
        else
        {
            Drop(port, transit, DropReason::NO_ROOM);
        }
    }

    void Prepare(uint16_t port, const TransitFrame& transit, bool isNext) const override;
    void BufferReleased() override;
    void PortReady(uint16_t port) override;
    uint64_t GetPauseLimit() const override;
    void PauseLasts(uint16_t port) override;

    /** Have it reduce for groups; before Configure(). */
    void AllowReduction();

    /** @return what it does for reduction groups, or null */
    SwitchReducer* GetReducer()
    {
        CatchUp();
        return m_reducer.get();
    }

    /** @param pool where dropped frames go */
    void SetPool(FramePool* pool);

    /**
     * What the load balancer may know; before Configure().
     * @param clock the clock
     * @param terminalPlaces by terminal: its place in its fabric or rail
     */
    void SetSurroundings(const FrameClock* clock, const std::vector<uint32_t>* terminalPlaces);

  private:
    void DoDispose() override;
    /** @param port a port @return bytes of headroom of a lossless class there */
    uint64_t HeadroomOf(const FabricPort& port) const;
    /** Set how ports mark. @param seed seed of the run */
    void ConfigureEcn(uint64_t seed);
    /**
     * Choose among the ports of a group.
     * @param frame the frame
     * @param route the group's number after those of the ports, or NO_ROUTE
     * @return the port, or NO_ROUTE
     */
    uint16_t ChooseRoute(const TransitFrame& frame, uint16_t route);
    /** Make the load balancer. @param seed seed of the run */
    void MakeBalancer(uint64_t seed);
    /** Take note of all departures at all ports by now. */
    void SettleAll();
    /**
     * Count a frame in where the quick look was not enough.
     * @param port port by which it came
     * @param frame the frame
     * @return whether there is room
     */
    bool AdmitWithCare(uint16_t port, const TransitFrame& frame);
    /** Take a frame without a route: of a reduction, or to be dropped. @param port by which it came
     * @param frame it */
    void TakeUnroutable(uint16_t port, const TransitFrame& frame);
    /** Drop a frame that came in. @param port by which @param frame the frame
     * @param reason NO_ROOM or NO_ROUTE */
    void Drop(uint16_t port, const TransitFrame& frame, DropReason reason);

    // What every frame touches comes first.
    FrameTransmitter* m_transmitters = nullptr; //!< by port number
    uint32_t m_portCount = 0;                   //!< number of ports, once configured
    RouteTable m_routes;   //!< a port, the number of ports plus a group, or NO_ROUTE
    SharedBuffer m_buffer; //!< packet memory
    std::vector<std::vector<uint16_t>> m_groups;  //!< ports of each group
    Ptr<LoadBalancer> m_balancer;                 //!< chooses within a group
    uint64_t m_ecmpSeed = 0;                      //!< seed of its hash, if m_isEcmp
    bool m_isEcmp = false;                        //!< m_balancer is a plain FlowEcmp
    FramePool* m_pool = nullptr;                  //!< where dropped frames go
    std::vector<Ptr<FabricPort>> m_ports;         //!< the ports
    std::shared_ptr<FrameTransmitter[]> m_memory; //!< of the transmitters
    uint32_t m_tier = 0;                          //!< see SetPlace()
    uint32_t m_place = 0;                         //!< see SetPlace()
    BalancedSwitch m_view;                        //!< for the load balancer
    uint64_t m_unroutable = 0;                    //!< see GetUnroutable()
    LosslessCheck m_lossless;                     //!< counts drops in lossless classes
    std::string m_name;                           //!< see SetReports()
    FabricFaults* m_faults = nullptr;             //!< see SetReports()
    DeadlockDetector* m_detector = nullptr;       //!< see SetReports()
    std::map<std::pair<uint16_t, uint8_t>, EcnProfile> m_ecnProfiles; //!< see SetEcn()
    FrameClock* m_clock = nullptr;            //!< the clock, once all is built
    std::unique_ptr<SwitchBatch> m_batch;     //!< if there may be batches
    std::unique_ptr<SwitchReducer> m_reducer; //!< for groups, if it reduces
    uint64_t m_caughtUp = 0;                  //!< all of before this tick is handled and settled

    std::string m_balancerType;         //!< attribute
    uint64_t m_bufferBytes;             //!< attribute
    uint64_t m_reserveBytes;            //!< attribute
    uint64_t m_headroomBytes;           //!< attribute
    uint64_t m_hysteresisBytes;         //!< attribute
    uint32_t m_maxFrameBytes;           //!< attribute
    double m_alpha;                     //!< attribute
    uint8_t m_losslessMask;             //!< attribute
    bool m_pfc;                         //!< attribute
    bool m_ecn;                         //!< attribute
    uint64_t m_ecnMin;                  //!< attribute
    uint64_t m_ecnMax;                  //!< attribute
    double m_ecnMaxProbability;         //!< attribute
    DataRate m_ecnReferenceRate;        //!< attribute
    std::string m_ecnClasses;           //!< attribute
    std::string m_weights;              //!< attribute
    uint32_t m_quantumBytes;            //!< attribute
    LosslessCheck::DropRule m_dropRule; //!< attribute
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_SWITCH_H
