// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IDEAL_NETWORK_H
#define LLM_FABRIC_IDEAL_NETWORK_H

#include "ns3/locality.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * What a network without queues, losses and control would do, at the grain of messages.
 *
 * A message flows at a rate; flows share links by max-min fairness. Acknowledgments take rate from
 * the data on their links, at the pace at which the data arrives that they are for: the rate of a
 * flow is so a piecewise constant function of time, and a change of it reaches the links of its
 * acknowledgments one latency later. Changes too small to matter are not passed on, so that the
 * work grows with messages and not with frames. Times are picoseconds in double precision.
 */
class IdealNetwork
{
  public:
    /** Called when something is due. */
    using Action = std::function<void()>;

    /**
     * Add a queue pair, or a relay's part of one: its messages leave in order, one at a time.
     * @param leg the way they take
     * @return its number
     */
    uint32_t AddQueue(const PathLeg& leg);
    /**
     * Send a message.
     * @param queue number of the queue pair
     * @param bytes payload
     * @param delivered called when the last bit has come
     */
    void Send(uint32_t queue, uint64_t bytes, Action delivered);
    /**
     * Have something done later.
     * @param delay from now, in ps
     * @param action what
     */
    void Schedule(double delay, Action action);
    /** Do what is due until nothing is. */
    void Run();
    /** @return the time, in ps */
    double GetNow() const;

  private:
    /** A message that waits or flows. */
    struct Transfer
    {
        uint64_t bytes;   //!< payload
        Action delivered; //!< whom to tell
    };

    /** A queue pair and the message that flows now. */
    struct Queue
    {
        PathLeg leg;                    //!< its way
        std::vector<uint32_t> links;    //!< numbers of its links
        std::vector<uint32_t> ackLinks; //!< numbers of the acknowledgments' links
        std::deque<Transfer> transfers; //!< the first one flows
        double wireBits = 0;            //!< to carry for the message
        double remainingBits = 0;       //!< of them not yet sent
        double rate = 0;                //!< bits per ps
        double settled = 0;             //!< time up to which remainingBits is right
        double tail = 0;                //!< from the end of sending to delivery
        double ackBits = 0;             //!< wire bits of an acknowledgment; 0 for none
        double ackPerBit = 0;           //!< acknowledgment bits per data bit
        double ackLag = 0;              //!< from a rate to that of its acknowledgments
        double ackRate = 0;             //!< what the acknowledgments' links were last told
        double ackCredit = 0;           //!< bits charged to the message that it does not wait for
        uint64_t version = 0;           //!< of the rate; a finish of an older one is void
    };

    /** One direction of a link. */
    struct Link
    {
        double capacity = 0;         //!< bits per ps
        double ackRate = 0;          //!< of them for acknowledgments
        double ackBits = 0;          //!< carried for the acknowledgments since there were none
        double ackSettled = 0;       //!< time up to which ackBits is right
        uint32_t ackStreams = 0;     //!< messages whose acknowledgments it carries
        std::vector<uint32_t> flows; //!< queues whose message flows over it
    };

    /** Something to do. */
    struct Event
    {
        double time;       //!< when
        uint64_t sequence; //!< orders simultaneous ones
        Action action;     //!< what

        /**
         * @param other another
         * @return whether this one comes later
         */
        bool operator<(const Event& other) const
        {
            return time != other.time ? time > other.time : sequence > other.sequence;
        }
    };

    /**
     * @param links links of a path
     * @param parallel as many equal ways take turns, so that these stand for all of them
     * @return their numbers
     */
    std::vector<uint32_t> AddLinks(const std::vector<PathLink>& links, uint32_t parallel);
    /**
     * Let the first message of a queue flow.
     * @param queue which
     */
    void Begin(uint32_t queue);
    /**
     * Set what a message over frames has to carry, and its latencies.
     * @param flow its queue
     * @param bytes its payload
     */
    static void FrameMessage(Queue& flow, uint64_t bytes);
    /**
     * The flow of a queue is at its end.
     * @param queue which
     * @param version what it was the end of
     */
    void Finish(uint32_t queue, uint64_t version);
    /**
     * Have links shared anew once all that happens at this time has happened.
     * @param links whose flows may change their rates
     */
    void ShareSoon(const std::vector<uint32_t>& links);
    /** Share the links that wait for it, and those that these have flows in common with. */
    void Share();
    /**
     * The same for flows that share links with others.
     * @param flows their queues
     */
    void ShareAmong(std::vector<uint32_t> flows);
    /**
     * Divide the links among flows by max-min fairness.
     * @param flows queues, closed under sharing a link
     * @return a rate for each
     */
    std::vector<double> GetFairRates(const std::vector<uint32_t>& flows) const;
    /**
     * Set a flow's rate from now on.
     * @param queue its queue
     * @param rate bits per ps
     */
    void SetRate(uint32_t queue, double rate);
    /**
     * Tell the links of the acknowledgments what comes, one latency later.
     * @param queue the queue
     */
    void AnnounceAcks(uint32_t queue);
    /**
     * Change the acknowledgments' share of links, now.
     * @param links which
     * @param change in bits per ps
     * @param streams change in number of streams
     */
    void ChangeAcks(const std::vector<uint32_t>& links, double change, int streams);
    /**
     * Bring a link's count of acknowledgment bits up to now.
     * @param link the link
     */
    void SettleAcks(Link& link) const;
    /**
     * Acknowledgments are whole and the rate of bits for them is not: find the difference at the
     * begin and the end of a message that has its first link for itself.
     * @param queue the message's queue
     * @param begins whether it begins now or ends
     * @return bits that the rate charges to the message for the acknowledgment that is being sent
     *         at its begin beyond what is left of it; or at its end, for one that its last frame
     *         does not wait for
     */
    double GetOpenAck(uint32_t queue, bool begins);
    /**
     * @param link a link
     * @return data rate that it has, in bits per ps
     */
    static double GetFreeRate(const Link& link);

    std::set<uint32_t> m_toShare;               //!< see ShareSoon()
    double m_now = 0;                           //!< ps
    uint64_t m_sequence = 0;                    //!< of events
    std::vector<Event> m_events;                //!< what is to do: a heap
    std::vector<Queue> m_queues;                //!< by number
    std::vector<Link> m_links;                  //!< by number
    std::map<uint64_t, uint32_t> m_linkNumbers; //!< by PathLink::id
};

} // namespace ns3::llm

#endif // LLM_FABRIC_IDEAL_NETWORK_H
