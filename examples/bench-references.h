// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_BENCH_REFERENCES_H
#define LLM_FABRIC_BENCH_REFERENCES_H

#include "bench-scenario.h"

#include <cstdint>

/**
 * @file
 * What a hop costs in ns-3 itself, under its default engine and scheduler, without this module.
 */

namespace ns3::llm::bench
{

/** How much goes on at once in a reference. */
struct ReferenceLoad
{
    uint32_t paths = 384;   //!< links, or chains of links, each used in both directions
    uint32_t window = 0;    //!< packets under way in each direction of each path; 0: at line rate
    uint32_t packets = 100; //!< sent in each direction of each path
};

/**
 * The raw hop of ns-3: pairs of PointToPointNetDevice on a link of 100 Gb/s and 1 us.
 *
 * In each direction of each link a source sends packets of 4000 B at line rate, as an ns-3 application
 * does: an event of its own for each, which makes the packet and hands it to the device. So a hop is
 * Create<Packet>(), Send() through the device's DropTailQueue, the transmission and the receive
 * callback, three events; nothing is parsed, routed, traced or kept.
 *
 * With a window, the source has no events: so many packets are under way in each direction, and when
 * one has been received its sender makes the next. That is the cheapest hop there is, of two events.
 *
 * The cost depends on how many events are pending. 384 links have 768 directions, as many as the
 * fat-tree of 128 hosts. At line rate about six are pending for each direction: some four receptions,
 * the end of a transmission, and the source. With a window of one packet it is 954 in all.
 *
 * @param load the load
 * @return what it took
 */
Measurement MeasureRawHop(const ReferenceLoad& load);

/**
 * A hop of UDP/IP in ns-3: chains of four links of 100 Gb/s and 1 us, a host at either end and three
 * routers between, with the Internet stack as ns-3's helpers install it (queue discs included, IPv6
 * not) and static routes. Datagrams of 4000 B: when one has been received, its sender sends the next.
 * A datagram makes four hops. The ratios are taken with one chain and four datagrams under way each
 * way, the cheapest load: with many chains a hop takes twice as long.
 *
 * @param load the load
 * @return what it took
 */
Measurement MeasureUdpHop(const ReferenceLoad& load);

} // namespace ns3::llm::bench

#endif // LLM_FABRIC_BENCH_REFERENCES_H
