// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IDEAL_NETWORK_H
#define LLM_FABRIC_IDEAL_NETWORK_H

#include "ideal-link.h"

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
 * Messages over frames share the line of the sender's NIC evenly; behind a switch they leave in the
 * order in which they came (IdealLink), so that a sender is free when its line is, whatever waits
 * further on. Messages over a fluid domain share all its links at the same time, max-min fairly.
 * Acknowledgments take rate from the data on their links, at the pace at which the data arrives that
 * they are for: the rate of a message on a link is so a piecewise constant function of time, and a
 * change of it reaches the links of its acknowledgments one latency later. Changes too small to
 * matter are not passed on, so that the work grows with messages and not with frames. Times are
 * picoseconds in double precision.
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
    /** A message that waits for those before it. */
    struct Transfer
    {
        uint64_t bytes;   //!< payload
        Action delivered; //!< whom to tell
    };

    /** A message under way. */
    struct Flow
    {
        uint32_t queue = 0;         //!< its queue pair
        Action delivered;           //!< whom to tell
        std::vector<double> delays; //!< by link: until what leaves it comes to the next one's queue
        double wireBits = 0;        //!< to carry
        double tail = 0;            //!< from leaving the last link to delivery
        double ackBits = 0;         //!< wire bits of an acknowledgment; 0 for none
        double ackPerBit = 0;       //!< acknowledgment bits per data bit
        double ackLag = 0;          //!< from a rate out of the last link to that of acknowledgments
        double ackRate = 0;         //!< what the acknowledgments' links were last told
    };

    /** A queue pair and how far the message is that it sends. */
    struct Queue
    {
        PathLeg leg;                    //!< its way
        std::vector<uint32_t> links;    //!< numbers of its links
        std::vector<uint32_t> held;     //!< links that a message has a share of at the same time
        std::vector<uint32_t> ackLinks; //!< numbers of the acknowledgments' links
        std::deque<Transfer> transfers; //!< those that wait
        uint64_t flow = 0;              //!< number of the message that it sends; 0 for none
        double remainingBits = 0;       //!< of it not yet sent
        double rate = 0;                //!< bits per ps
        double settled = 0;             //!< time up to which remainingBits is right
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
        std::vector<uint32_t> flows; //!< queues that send over it, and share it
        std::vector<uint32_t> later; //!< queues that send what comes over it later
        IdealLink behind;            //!< what comes over other links
        uint64_t version = 0;        //!< of `behind`; a change of an older one is void
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
     * @param leg a way over frames
     * @param bytes payload of a message
     * @return the message, with what it has to carry and its latencies
     */
    static Flow FrameMessage(const PathLeg& leg, uint64_t bytes);
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
    /** @param link number of a link @return queues that send what comes over it now or later */
    std::vector<uint32_t> GetSenders(uint32_t link) const;
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
     * A message leaves a link at another rate.
     * @param message its number
     * @param hop place of the link on its way
     * @param rate bits per ps
     */
    void Pass(uint64_t message, std::size_t hop, double rate);
    /**
     * A message has left a link as a whole.
     * @param message its number
     * @param hop place of the link on its way
     */
    void PassEnd(uint64_t message, std::size_t hop);
    /**
     * Look after what leaves a link behind a queue once all that happens at this time has happened.
     * @param link its number
     */
    void ServeSoon(uint32_t link);
    /**
     * Pass on what leaves a link behind a queue at another rate, and see when that happens next.
     * @param link its number
     */
    void Serve(uint32_t link);
    /**
     * @param message its number
     * @param link number of a link of its way
     * @return place of the link there
     */
    std::size_t FindHop(uint64_t message, uint32_t link) const;
    /**
     * Tell the links of the acknowledgments what comes, one latency later.
     * @param message number of the message that they are for
     * @param rate at which it leaves its last link, bits per ps; 0 at its end
     */
    void AnnounceAcks(uint64_t message, double rate);
    /**
     * Change the acknowledgments' share of a link, now.
     * @param link which
     * @param change in bits per ps
     * @param streams change in number of streams
     */
    void ChangeAcks(uint32_t link, double change, int streams);
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
    std::set<uint32_t> m_toServe;               //!< see ServeSoon()
    std::map<uint64_t, Flow> m_flows;           //!< by number, from 1 on
    uint64_t m_lastFlow = 0;                    //!< number given last
    double m_now = 0;                           //!< ps
    uint64_t m_sequence = 0;                    //!< of events
    std::vector<Event> m_events;                //!< what is to do: a heap
    std::vector<Queue> m_queues;                //!< by number
    std::vector<Link> m_links;                  //!< by number
    std::map<uint64_t, uint32_t> m_linkNumbers; //!< by PathLink::id
};

} // namespace ns3::llm

#endif // LLM_FABRIC_IDEAL_NETWORK_H
