// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_CONSERVATION_H
#define LLM_FABRIC_CONSERVATION_H

#include "ns3/fabric-network.h"
#include "ns3/rdma-transport.h"

#include "ns3/abort.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup llm-fabric-test
 * What goes into a network comes out of it.
 */

namespace ns3::llm
{

/**
 * Counts what arrives on each link, and compares that with what ports, buffers, NICs and the pool of
 * frames say. Made between FabricNetwork::Build() and the run; must outlive the run.
 *
 * Bytes balance exactly where nothing was lost, frames where losses are counted. What a link that
 * goes down loses is counted in one number for the frames that had left and those that had not, and
 * PFC frames among them are not told apart: there the balance is a range.
 */
class Conservation : public FrameTransmitter::Observer
{
  public:
    /** @param network built @param transport whose NICs get all that arrives at the terminals, or null:
     * something stands before them */
    explicit Conservation(Ptr<FabricNetwork> network, Ptr<RdmaTransport> transport = nullptr)
        : m_network(network),
          m_transport(transport),
          m_directions(network->GetDirections())
    {
        for (std::size_t i = 0; i < m_directions.size(); ++i)
        {
            // is no const object
            auto& port = const_cast<FrameTransmitter&>(m_directions[i].port->GetTransmitter());
            m_places.resize(std::max<std::size_t>(m_places.size(), port.GetObject() + 1u));
            m_places[port.GetObject()] = i;
            port.AddObserver(this);
        }
        m_arrived.resize(m_directions.size());
    }

    Conservation(const Conservation&) = delete;
    Conservation& operator=(const Conservation&) = delete;

    /** @return false: sums have no order */
    bool NeedsOrder() const override
    {
        return false;
    }

    void FrameArrived(const FrameTransmitter& transmitter, const Frame& frame, uint64_t) override
    {
        const std::size_t place = m_places.at(transmitter.GetObject());
        Sum& sum = m_arrived[place][static_cast<std::size_t>(frame.kind)];
        ++sum.frames;
        sum.bytes += frame.wireBytes;
    }

    /**
     * @param isOver whether all has arrived: nothing may be left in the network
     * @return what does not balance, one sentence a line; "" if all does
     */
    std::string Find(bool isOver = true)
    {
        m_text.str("");
        for (std::size_t i = 0; i < m_directions.size(); ++i)
        {
            CheckLink(i, isOver);
        }
        for (uint32_t s = 0; s < m_network->GetSwitchCount(); ++s)
        {
            CheckSwitch(s, isOver);
        }
        CheckEnds(isOver);
        if (isOver && m_network->GetPool().GetTaken() != 0)
        {
            m_text << m_network->GetPool().GetTaken() << " frames are missing in the pool\n";
        }
        return m_text.str();
    }

    /**
     * End the program if something does not balance. A fixture has no test case to report to.
     * @param isOver see Find()
     */
    void Require(bool isOver = true)
    {
        const std::string text = std::uncaught_exceptions() == 0 ? Find(isOver) : "";
        NS_ABORT_MSG_UNLESS(text.empty(), "the network does not balance:\n" << text);
    }

  private:
    /** What has arrived. */
    struct Sum
    {
        uint64_t frames = 0; //!< frames
        uint64_t bytes = 0;  //!< wire bytes

        /** @param other is added */
        void Add(const Sum& other)
        {
            frames += other.frames;
            bytes += other.bytes;
        }
    };

    using Kinds = std::array<Sum, 8>; //!< by FrameKind

    /** @param isSo whether it is as it has to be @param where the place @param what is wrong */
    template <typename... Parts>
    void Expect(bool isSo, const std::string& where, const Parts&... what)
    {
        if (!isSo)
        {
            m_text << where << ": ";
            (m_text << ... << what);
            m_text << '\n';
        }
    }

    /** @param arrived by kind @param isAll whether what does not cross switches counts: PFC frames, and
     * those of reduction groups, which become others there @return the sum */
    static Sum Total(const Kinds& arrived, bool isAll)
    {
        Sum total;
        for (std::size_t kind = 0; kind < arrived.size(); ++kind)
        {
            const bool isCrossing = kind != static_cast<std::size_t>(FrameKind::PAUSE) &&
                                    kind < static_cast<std::size_t>(FrameKind::REDUCE);
            if (isAll || isCrossing)
            {
                total.Add(arrived[kind]);
            }
        }
        return total;
    }

    /** @param i a direction @return the counters of its port */
    PortCounters Counters(std::size_t i) const
    {
        return m_directions[i].port->GetTransmitter().GetCounters();
    }

    /** What a port has sent arrives. @param i its direction @param isOver see Find() */
    void CheckLink(std::size_t i, bool isOver)
    {
        const std::string& name = m_directions[i].name;
        const FrameTransmitter& port = m_directions[i].port->GetTransmitter();
        const PortCounters sent = Counters(i);
        const Sum arrived = Total(m_arrived[i], true);
        const uint64_t known = arrived.frames + sent.corrupted;
        Expect(sent.frames >= known, name, sent.frames, " frames sent, but ", known, " came");
        Expect(sent.wireBytes >= arrived.bytes, name, "more bytes came than were sent");
        if (!isOver)
        {
            return;
        }
        Expect(sent.frames <= known + sent.lost,
               name,
               sent.frames,
               " frames sent, ",
               arrived.frames,
               " came, ",
               sent.corrupted,
               " were corrupted, ",
               sent.lost,
               " lost with the link");
        if (sent.corrupted + sent.lost == 0)
        {
            Expect(sent.wireBytes == arrived.bytes,
                   name,
                   sent.wireBytes,
                   " B sent, ",
                   arrived.bytes,
                   " B came");
        }
        Expect(port.GetQueueBytes(0) == 0, name, port.GetQueueBytes(0), " B wait");
        const auto peer = m_places.at(port.GetPeer()->GetObject());
        const bool mayMissResume = Counters(peer).corrupted + Counters(peer).lost != 0;
        for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
        {
            Expect(!port.IsPaused(c) || mayMissResume, name, "class ", +c, " is paused");
        }
    }

    /** What came into a switch leaves it. @param s the switch @param isOver see Find() */
    void CheckSwitch(uint32_t s, bool isOver)
    {
        const Ptr<FabricSwitch> at = m_network->GetSwitch(s);
        const std::string name =
            "switch " + std::to_string(s) + " of tier " + std::to_string(at->GetTier());
        Sum in;
        Sum out;
        uint64_t drops = 0;
        uint64_t lost = 0;
        uint64_t corrupted = 0;
        uint64_t pausesSent = 0;
        uint64_t queued = 0;
        for (uint32_t p = 0; p < at->GetPortCount(); ++p)
        {
            const FrameTransmitter& port = at->GetPort(p)->GetTransmitter();
            const std::size_t i = m_places.at(port.GetObject());
            in.Add(Total(m_arrived[m_places.at(port.GetPeer()->GetObject())], false));
            out.Add(Total(m_arrived[i], false));
            const PortCounters counters = Counters(i);
            drops += counters.drops;
            lost += counters.lost;
            corrupted += counters.corrupted;
            pausesSent += counters.pausesSent;
            queued += port.GetQueueBytes(0);
        }
        const uint64_t used = at->GetBuffer().GetUsedBytes();
        // contributions wait in switches outside the queues of ports
        const bool isInQueues = queued >= used && (queued - used) % PAUSE_WIRE_BYTES == 0;
        Expect(isInQueues || (m_network->HasReduction() && !isOver),
               name,
               used,
               " B in the buffer, but ",
               queued,
               " B in the queues");
        const uint64_t gone = out.frames + drops + at->GetUnroutable();
        const auto flow = [&](std::ostream& os)
        {
            os << name << ": " << in.frames << " frames (" << in.bytes << " B) came, " << out.frames
               << " (" << out.bytes << " B) arrived behind it, " << drops << " dropped, "
               << at->GetUnroutable() << " without a route, " << corrupted << " corrupted, " << lost
               << " lost with links\n";
        };
        // PFC frames that are lost make it seem that less is missing: as many as were sent at most
        const uint64_t most = gone + corrupted + lost;
        const uint64_t spare = corrupted + lost != 0 ? 2 * pausesSent : 0;
        if (in.frames < gone || (isOver && (in.frames > most || in.frames + spare < most ||
                                            (most == out.frames && in.bytes != out.bytes))))
        {
            flow(m_text);
        }
        Expect(!isOver || used == 0, name, used, " B are left in the buffer");
        Expect(!isOver || !at->GetBuffer().IsWatched(), name, "a pause is left");
    }

    /** What NICs have sent comes to NICs, kind by kind. @param isOver see Find() */
    void CheckEnds(bool isOver)
    {
        Kinds in{};
        Kinds out{};
        uint64_t losses = 0;
        for (uint32_t s = 0; s < m_network->GetSwitchCount(); ++s)
        {
            losses += m_network->GetSwitch(s)->GetUnroutable();
        }
        for (std::size_t i = 0; i < m_directions.size(); ++i)
        {
            const PortCounters counters = Counters(i);
            losses += counters.drops + counters.corrupted + counters.lost;
        }
        for (uint32_t t = 0; t < m_network->GetTerminalCount(); ++t)
        {
            const FrameTransmitter& port = m_network->GetTerminalPort(t)->GetTransmitter();
            for (std::size_t kind = 0; kind < in.size(); ++kind)
            {
                in[kind].Add(m_arrived[m_places.at(port.GetObject())][kind]);
                out[kind].Add(m_arrived[m_places.at(port.GetPeer()->GetObject())][kind]);
            }
        }
        const char* const names[] = {"data", "ACKs", "NACKs", "CNPs", "PFC frames", "packets"};
        for (std::size_t kind = 0; kind < in.size(); ++kind)
        {
            // PFC frames stay on their link, contributions become results in switches
            if (kind == static_cast<std::size_t>(FrameKind::PAUSE) ||
                kind >= static_cast<std::size_t>(FrameKind::REDUCE))
            {
                continue; // these go from port to port
            }
            const bool isEqual =
                in[kind].frames == out[kind].frames && in[kind].bytes == out[kind].bytes;
            // two terminals back to back have no switch between: all comes out at once
            Expect(in[kind].frames >= out[kind].frames && (isEqual || losses != 0 || !isOver),
                   names[kind],
                   in[kind].frames,
                   " frames (",
                   in[kind].bytes,
                   " B) of NICs came into the network, ",
                   out[kind].frames,
                   " (",
                   out[kind].bytes,
                   " B) to NICs");
        }
        if (m_transport)
        {
            CheckNics(in, out, isOver && losses == 0);
        }
    }

    /** @param in what came from NICs @param out what came to NICs @param isWhole nothing was lost */
    void CheckNics(const Kinds& in, const Kinds& out, bool isWhole)
    {
        const NicCounters nics = m_transport->GetCounters();
        const auto came = [&out](FrameKind kind)
        {
            return out[static_cast<std::size_t>(kind)].frames;
        };
        const uint64_t data = in[static_cast<std::size_t>(FrameKind::DATA)].frames;
        Expect(isWhole ? nics.dataFrames == data : nics.dataFrames >= data,
               "NICs",
               nics.dataFrames,
               " data frames sent, ",
               data,
               " seen");
        Expect(nics.cnpsReceived == came(FrameKind::CNP), "NICs", "CNPs differ");
        Expect(nics.nacksReceived == came(FrameKind::NACK), "NICs", "NACKs differ");
        Expect(came(FrameKind::ACK) + came(FrameKind::NACK) <= came(FrameKind::DATA),
               "NICs",
               "more answers than data");
    }

    Ptr<FabricNetwork> m_network;                       //!< the network
    Ptr<RdmaTransport> m_transport;                     //!< its NICs, or null
    std::vector<FabricNetwork::Direction> m_directions; //!< of all links
    std::vector<std::size_t> m_places;                  //!< direction by number at the clock
    std::vector<Kinds> m_arrived;                       //!< by direction
    std::ostringstream m_text;                          //!< what is wrong
};

} // namespace ns3::llm

#endif // LLM_FABRIC_CONSERVATION_H
