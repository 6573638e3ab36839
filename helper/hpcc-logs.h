// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_HPCC_LOGS_H
#define LLM_FABRIC_HPCC_LOGS_H

#include "ns3/fabric-network.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * Writes each pause and resumption in the form of the PFC file of HPCC's simulator, as they come: time in
 * nanoseconds, node that is paused, whether it is a switch (1) or a host (0), number of its port from 1
 * on, and pause (1) or resumption (0). Hosts are numbered as terminals, switches follow them.
 *
 * Set it as the observer of the network. A pause of any class counts.
 */
class HpccPauseLog : public FrameTransmitter::Observer
{
  public:
    /**
     * @param network a network that is built
     * @param out gets the lines, and must outlive this
     */
    HpccPauseLog(const FabricNetwork& network, std::ostream& out);

    void
    FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t tick) override;

  private:
    /** A port. */
    struct Port
    {
        uint32_t node; //!< number of its node
        bool isSwitch; //!< whether that is a switch
        uint32_t port; //!< number of the port, from 1
    };

    std::map<const FrameTransmitter*, Port> m_ports; //!< all
    std::ostream& m_out;                             //!< gets the lines
};

/**
 * @ingroup llm-fabric-helper
 * Looks at the queue of each port of each switch at equal intervals and counts how often it had so many
 * kB (1000 B, rounded down), for the queue-length file of HPCC's simulator.
 */
class HpccQueueLog
{
  public:
    /**
     * Look from now on; before the run.
     * @param network a network that is built
     * @param interval from look to look, above 0
     * @param end no look after so long
     */
    HpccQueueLog(Ptr<const FabricNetwork> network, Time interval, Time end);
    HpccQueueLog(const HpccQueueLog&) = delete;
    HpccQueueLog& operator=(const HpccQueueLog&) = delete;

    /**
     * @param out gets the time of the last look in nanoseconds, and a line for each port: number of the
     *            switch, after those of the terminals, number of the port from 1 on, and how often 0 kB,
     *            1 kB and so on waited there, the frame being sent not counted
     */
    void Write(std::ostream& out) const;

  private:
    /** Look, and again an interval later. */
    void Sample();

    Ptr<const FabricNetwork> m_network; //!< the network
    Time m_interval;                    //!< from look to look
    Time m_end;                         //!< no look later
    Time m_last;                        //!< the last look
    /** By switch, port and kB. */
    std::vector<std::vector<std::vector<uint64_t>>> m_counts;
};

} // namespace ns3::llm

#endif // LLM_FABRIC_HPCC_LOGS_H
