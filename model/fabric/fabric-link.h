// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FABRIC_LINK_H
#define LLM_FABRIC_FABRIC_LINK_H

#include "fabric-port.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-fabric
 * A full-duplex cable between two ports, of one delay, and one rate or one for each way.
 */
class FabricLink : public Channel
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * Refuse what no link can have.
     * @param rate line rate, above 0
     * @param delay propagation, at least 1 ps
     */
    static void Check(DataRate rate, Time delay);

    /**
     * Plug in both ends.
     * @param a one port
     * @param b the other port
     * @param rate line rate of both directions, above 0
     * @param delay propagation, at least 1 ps
     */
    void Attach(Ptr<FabricPort> a, Ptr<FabricPort> b, DataRate rate, Time delay);

    /**
     * Plug in both ends of a link with a rate for each way.
     * @param a one port
     * @param b the other port
     * @param rate line rate from a to b, above 0
     * @param reverseRate line rate from b to a, above 0
     * @param delay propagation, at least 1 ps
     */
    void
    Attach(Ptr<FabricPort> a, Ptr<FabricPort> b, DataRate rate, DataRate reverseRate, Time delay);

    /**
     * Both directions go down or come up (from a frame event).
     * @param isUp whether it is up
     */
    void SetUp(bool isUp);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    void DoDispose() override;

    Ptr<FabricPort> m_ports[2]; //!< the ends
    Time m_delay;               //!< propagation
    DataRate m_rate;            //!< line rate from the first port
    DataRate m_reverseRate;     //!< line rate from the second port
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FABRIC_LINK_H
