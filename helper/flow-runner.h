// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_FLOW_RUNNER_H
#define LLM_FABRIC_FLOW_RUNNER_H

#include "flow-list.h"

#include "ns3/locality.h"
#include "ns3/lone-message-time.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-helper
 * What became of a flow. A time holds from the state on that it belongs to.
 */
struct FlowRecord
{
    FlowState state = FlowState::WAITING; //!< how far it is
    Time sent;                            //!< when the transport got it
    Time received;                        //!< when the last bit was at the destination
    Time acknowledged;                    //!< when the source knew so
    LoneMessageTime ideal;                //!< alone, over the paths at the begin of the run

    /** @return time to be received over the ideal one; 1 is best */
    double GetSlowdown() const
    {
        return (received - sent).GetDouble() / ideal.delivered.GetDouble();
    }
};

/**
 * @ingroup llm-fabric-helper
 * Runs flows over a transport and records when each was sent, received and acknowledged.
 *
 * It ends when the flows do, or can do no more; DescribeUnfinished() then says what is left. It must
 * live until the run is over.
 */
class FlowRunner
{
  public:
    /**
     * @param transport carries the flows
     * @param locality gives nodes and paths
     * @param owner of the messages; no communicator of the transport may have the same
     */
    FlowRunner(Ptr<MessageTransport> transport, Ptr<const Locality> locality, uint32_t owner = 0);
    FlowRunner(const FlowRunner&) = delete;
    FlowRunner& operator=(const FlowRunner&) = delete;

    /**
     * Have the flows start, from now on; once, before the run. What cannot be run is refused.
     * @param flows the flows
     */
    void Start(FlowList flows);
    /** @param callback called whenever a flow is acknowledged */
    void SetProgressCallback(std::function<void()> callback);

    /** @return the flows */
    const FlowList& GetFlows() const;
    /** @return what became of each */
    const std::vector<FlowRecord>& GetRecords() const;
    /** @return number of flows that are acknowledged */
    uint64_t GetFinishedCount() const;
    /**
     * @param most lines for at most so many flows, and one that counts the rest
     * @return a line for each flow that is not acknowledged: what it waits for
     */
    std::vector<std::string> DescribeUnfinished(std::size_t most = 20) const;

  private:
    /** Flows that start by themselves at one accelerator. */
    struct Starts
    {
        std::vector<uint32_t> flows; //!< in order of (start, place)
        std::size_t next = 0;        //!< the next one
    };

    /** Number the queue pairs of flows that are to have their own. */
    void NumberQueuePairs();
    /** Find who waits for whom, who starts by itself, and the ideal times. */
    void Prepare();
    /** @param source an accelerator: have its next flows start in time */
    void ScheduleNext(uint32_t source);
    /** @param source an accelerator: start the flows whose time has come */
    void StartDue(uint32_t source);
    /** @param place of a flow: send it */
    void Send(uint32_t place);
    /** @param place of a flow that is in a new state: start those that waited for it */
    void StartFollowers(uint32_t place);
    /** @param message is at its destination */
    void Received(const Message& message);
    /** @param message its source knows so */
    void Acknowledged(const Message& message);

    Ptr<MessageTransport> m_transport;                    //!< carries the flows
    Ptr<const Locality> m_locality;                       //!< gives nodes and paths
    uint32_t m_owner;                                     //!< of the messages
    FlowList m_flows;                                     //!< by place
    std::vector<FlowRecord> m_records;                    //!< by place
    std::vector<Starts> m_starts;                         //!< by accelerator
    std::vector<std::pair<uint32_t, uint32_t>> m_waiting; //!< (flow, follower), sorted
    uint64_t m_finished = 0;                              //!< flows acknowledged
    Time m_begin;                                         //!< of the run
    std::function<void()> m_progress;                     //!< see SetProgressCallback()
};

} // namespace ns3::llm

#endif // LLM_FABRIC_FLOW_RUNNER_H
