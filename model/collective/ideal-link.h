// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_IDEAL_LINK_H
#define LLM_FABRIC_IDEAL_LINK_H

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-collective
 * A link behind a switch's queue, as a fluid: it carries what comes in the order in which it came.
 *
 * Messages come in at rates that change now and then. What comes faster than the link carries it
 * waits; it leaves in the mixture in which it came. So the rates at which messages leave are
 * piecewise constant, too. Times are in ps, rates in bits per ps.
 */
class IdealLink
{
  public:
    /** A message and a rate. */
    using Rate = std::pair<uint64_t, double>;

    /**
     * @param now the time
     * @param capacity what the link carries from now on
     */
    void SetCapacity(double now, double capacity);
    /**
     * A message comes in at another rate.
     * @param now the time
     * @param message its number
     * @param rate of it, 0 if nothing comes for a while
     */
    void SetInput(double now, uint64_t message, double rate);
    /**
     * A message has come in as a whole.
     * @param now the time
     * @param message its number
     */
    void EndInput(double now, uint64_t message);
    /**
     * Let the link carry what it does until now.
     * @param now the time, not after GetNextChange()
     */
    void Settle(double now);
    /** @return when rates out change if nothing else comes; infinity for never */
    double GetNextChange() const;
    /** @return whether no message is on its way in or waits */
    bool IsIdle() const;
    /** @return whether more than one message is on its way in, or something waits */
    bool IsShared() const;
    /** @return messages that leave at another rate than at the last call, and do not end */
    std::vector<Rate> TakeChanges();
    /** @return messages that have left as a whole since the last call */
    std::vector<uint64_t> TakeEnded();

  private:
    /** What came in at constant rates and waits. */
    struct Part
    {
        std::map<uint64_t, double> rates; //!< at which it came, by message
        double total = 0;                 //!< of the rates
        double bits = 0;                  //!< that wait
        std::vector<uint64_t> ended;      //!< messages of which it is the last
    };

    /** The mixture that comes in changes: what comes now is another part. */
    void BeginPart();
    /** Have what comes in wait if it is more than the link carries. */
    void WaitIfFull();

    double m_capacity = 0;                //!< bits per ps
    double m_settled = 0;                 //!< time up to which all is right
    std::map<uint64_t, double> m_inputs;  //!< by message
    double m_total = 0;                   //!< of the inputs
    std::deque<Part> m_parts;             //!< what waits; the last is what comes in now
    std::map<uint64_t, double> m_outputs; //!< as they were told
    std::vector<uint64_t> m_ended;        //!< not yet told
};

} // namespace ns3::llm

#endif // LLM_FABRIC_IDEAL_LINK_H
