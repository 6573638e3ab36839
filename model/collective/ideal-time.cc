// SPDX-License-Identifier: GPL-2.0-only

#include "ideal-time.h"

#include "ideal-network.h"

#include "ns3/abort.h"
#include "ns3/message-transport.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::llm
{

namespace
{

/** Evaluates one step program. */
class IdealRun
{
  public:
    /**
     * @param program the steps
     * @param accelerators accelerator of each rank
     * @param locality gives the paths
     * @param costs what steps cost beside the network
     * @param owner the communicator's id
     */
    IdealRun(const StepProgram& program,
             const std::vector<uint32_t>& accelerators,
             Ptr<const Locality> locality,
             const StepCosts& costs,
             uint32_t owner)
        : m_program(program),
          m_accelerators(accelerators),
          m_locality(locality),
          m_costs(costs),
          m_owner(owner),
          m_lanes(program.GetSize()),
          m_arrivals(program.GetSize())
    {
    }

    /** @return the time of the last step */
    Time Run()
    {
        for (uint32_t rank = 0; rank < m_program.GetSize(); ++rank)
        {
            m_lanes[rank].resize(m_program.GetLaneCount(rank));
            for (uint32_t lane = 0; lane < m_lanes[rank].size(); ++lane)
            {
                m_lanes[rank][lane].length = m_program.GetLaneLength(rank, lane);
            }
            Advance(rank);
        }
        m_network.Run();
        for (uint32_t rank = 0; rank < m_program.GetSize(); ++rank)
        {
            for (const Lane& lane : m_lanes[rank])
            {
                NS_ABORT_MSG_IF(lane.next < lane.length,
                                "the step program cannot finish: rank " << rank << " waits");
            }
        }
        return PicoSeconds(static_cast<int64_t>(std::llround(m_end)));
    }

  private:
    /** How far a lane is. */
    struct Lane
    {
        uint32_t next = 0;   //!< its next step
        uint32_t length = 0; //!< its number of steps
        bool isBusy = false; //!< whether the next step has begun
    };

    /**
     * Do what a rank can do now.
     * @param rank the rank
     */
    void Advance(uint32_t rank)
    {
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t lane = 0; lane < m_lanes[rank].size(); ++lane)
            {
                moved |= TryStep(rank, lane);
            }
        }
    }

    /**
     * Do the next step of a lane if it can go.
     * @param rank the rank
     * @param lane the lane
     * @return whether it is done
     */
    bool TryStep(uint32_t rank, uint32_t lane)
    {
        Lane& state = m_lanes[rank][lane];
        if (state.isBusy || state.next == state.length)
        {
            return false;
        }
        const Step step = m_program.GetStep(rank, lane, state.next);
        if (step.dependencyLane != Step::NONE &&
            m_lanes[rank][step.dependencyLane].next <= step.dependencyIndex)
        {
            return false;
        }
        if (step.kind == Step::RECEIVE && m_arrivals[rank].erase({step.peer, step.place}) == 0)
        {
            return false;
        }
        const Time cost = GetStepCost(step, m_costs);
        if (cost.IsZero())
        {
            Complete(rank, lane, step);
            return true;
        }
        state.isBusy = true;
        m_network.Schedule(static_cast<double>(cost.GetPicoSeconds()),
                           [this, rank, lane, step]()
                           {
                               m_lanes[rank][lane].isBusy = false;
                               Complete(rank, lane, step);
                               Advance(rank);
                           });
        return false;
    }

    /**
     * A step is done.
     * @param rank the rank
     * @param lane its lane
     * @param step the step
     */
    void Complete(uint32_t rank, uint32_t lane, const Step& step)
    {
        ++m_lanes[rank][lane].next;
        m_end = std::max(m_end, m_network.GetNow());
        if (step.kind == Step::SEND)
        {
            SendOver(rank, step, 0);
        }
        else if (step.kind == Step::MULTICAST && step.peer == rank)
        {
            CallSwitches({rank, Step::EVERY}, step);
        }
        else if (step.kind == Step::REDUCE)
        {
            Group& group = GetGroup(step.group);
            if (++group.callers[step.place] == group.ranks.size())
            {
                CallSwitches({Step::EVERY, step.peer}, step);
            }
        }
    }

    /** Who sends and who receives what switches carry: a rank, or EVERY. */
    using Ends = std::pair<uint32_t, uint32_t>;

    /** What switches are called for, and cannot begin with yet. */
    struct Call
    {
        Ends ends; //!< who sends and who receives
        Step step; //!< the step of one of the callers
    };

    /** Ranks that call on switches together. */
    struct Group
    {
        std::vector<uint32_t> ranks;          //!< its ranks
        std::vector<uint32_t> accelerators;   //!< of each
        std::map<uint32_t, uint32_t> callers; //!< by place: ranks that have called for a reduction
        std::deque<Call> calls;               //!< that cannot begin yet
        uint32_t underWay = 0;                //!< calls that have begun and not ended
        std::map<Ends, std::pair<uint32_t, uint32_t>> queues; //!< see GetGroupQueue()
    };

    /** @param number of a group @return it */
    Group& GetGroup(uint32_t number)
    {
        const auto [place, isNew] = m_groups.try_emplace(number);
        if (isNew)
        {
            place->second.ranks = m_program.GetGroup(number);
            for (const uint32_t rank : place->second.ranks)
            {
                place->second.accelerators.push_back(m_accelerators[rank]);
            }
        }
        return place->second;
    }

    /**
     * All have called on the switches.
     * @param ends who sends and who receives
     * @param step the step of one of the callers
     */
    void CallSwitches(const Ends& ends, const Step& step)
    {
        GetGroup(step.group).calls.push_back({ends, step});
        BeginCalls(step.group);
    }

    /** Begin with as many calls of a group as may be under way. @param number of the group */
    void BeginCalls(uint32_t number)
    {
        Group& group = GetGroup(number);
        while (!group.calls.empty())
        {
            const Call call = group.calls.front();
            const auto [queue, outstanding] = GetGroupQueue(group, call.ends);
            if (group.underWay >= outstanding)
            {
                return;
            }
            group.calls.pop_front();
            ++group.underWay;
            m_network.Send(queue, call.step.bytes, [this, call]() { EndCall(call); });
        }
    }

    /** @param call has come to those whom it is for */
    void EndCall(const Call& call)
    {
        Group& group = GetGroup(call.step.group);
        --group.underWay;
        BeginCalls(call.step.group);
        for (const uint32_t rank : group.ranks)
        {
            const bool isFor = call.ends.second == Step::EVERY ? rank != call.ends.first
                                                               : rank == call.ends.second;
            if (isFor)
            {
                m_arrivals[rank].insert({call.ends.first, call.step.place});
                Advance(rank);
            }
        }
    }

    /** @param group who calls @param ends who sends and who receives
     * @return the queue, and how many calls may be under way */
    std::pair<uint32_t, uint32_t> GetGroupQueue(Group& group, const Ends& ends)
    {
        const auto [place, isNew] = group.queues.try_emplace(ends);
        if (isNew)
        {
            const auto find = [this](uint32_t rank)
            {
                return rank == Step::EVERY ? EVERY_MEMBER : m_accelerators[rank];
            };
            const GroupPath path = m_locality->GetGroupPath(group.accelerators,
                                                            find(ends.first),
                                                            find(ends.second),
                                                            m_owner);
            place->second = {m_network.AddQueue(path.leg), path.outstanding};
        }
        return place->second;
    }

    /**
     * Send a chunk over a leg of its path and then over the next ones.
     * @param rank the sending rank
     * @param step the send step
     * @param leg the leg, counted from 0
     */
    void SendOver(uint32_t rank, const Step& step, size_t leg)
    {
        const std::vector<uint32_t>& queues = GetQueues(rank, step);
        if (leg < queues.size())
        {
            m_network.Send(queues[leg],
                           step.bytes,
                           [this, rank, step, leg]() { SendOver(rank, step, leg + 1); });
            return;
        }
        m_arrivals[step.peer].insert({rank, step.place});
        Advance(step.peer);
    }

    /**
     * @param rank the sending rank
     * @param step the send step
     * @return the queue of each leg of the path
     */
    const std::vector<uint32_t>& GetQueues(uint32_t rank, const Step& step)
    {
        std::vector<uint32_t>& queues = m_queues[{rank, step.peer, step.flow}];
        if (queues.empty())
        {
            const Path path = m_locality->GetPath(m_accelerators[rank],
                                                  m_accelerators[step.peer],
                                                  m_owner,
                                                  step.flow);
            for (const PathLeg& leg : path.legs)
            {
                queues.push_back(m_network.AddQueue(leg));
            }
        }
        return queues;
    }

    const StepProgram& m_program;                //!< the steps
    const std::vector<uint32_t>& m_accelerators; //!< by rank
    Ptr<const Locality> m_locality;              //!< gives the paths
    StepCosts m_costs;                           //!< beside the network
    uint32_t m_owner;                            //!< the communicator's id
    IdealNetwork m_network;                      //!< carries the messages
    std::vector<std::vector<Lane>> m_lanes;      //!< by rank and lane
    /** By rank: (peer, place) of what has come and was not taken. */
    std::vector<std::set<std::pair<uint32_t, uint32_t>>> m_arrivals;
    /** By (sender, receiver, flow). */
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<uint32_t>> m_queues;
    std::map<uint32_t, Group> m_groups; //!< by number
    double m_end = 0;                   //!< ps: last completion of a step
};

} // namespace

Time
EvaluateIdealTime(const StepProgram& program,
                  const std::vector<uint32_t>& accelerators,
                  Ptr<const Locality> locality,
                  const StepCosts& costs,
                  uint32_t owner)
{
    // a group of one has no step that a launch would come before
    const Time launch = program.GetSize() > 1 ? costs.launch : Time(0);
    return launch + IdealRun(program, accelerators, locality, costs, owner).Run();
}

} // namespace ns3::llm
