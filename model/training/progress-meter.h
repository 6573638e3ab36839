// SPDX-License-Identifier: GPL-2.0-only

#ifndef LLM_FABRIC_PROGRESS_METER_H
#define LLM_FABRIC_PROGRESS_METER_H

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::llm
{

/**
 * @ingroup llm-fabric-training
 * How far a run is.
 */
struct ProgressSnapshot
{
    double share = 0;             //!< of the work that is done, 0 to 1
    double simulatedUs = 0;       //!< simulated time, microseconds
    uint64_t hops = 0;            //!< hops so far; 0 if they are not counted
    double elapsedSeconds = 0;    //!< wall time since the start
    double remainingSeconds = -1; //!< estimated wall time to the end; negative when unknown
};

/**
 * @ingroup llm-fabric-training
 * Looks at the wall clock whenever work has been done, and now and then says how far the run is.
 *
 * It schedules nothing and changes nothing, so a run has the same result with and without it and
 * ends when its work does.
 */
class ProgressMeter
{
  public:
    /** How far the work is. */
    struct Work
    {
        double share = 0;  //!< of the work that is done, 0 to 1
        uint64_t hops = 0; //!< hops so far
    };

    /** Tells how far the work is; called only when a snapshot is due. */
    using Source = std::function<Work()>;
    /** Gets a snapshot. */
    using Sink = std::function<void(const ProgressSnapshot&)>;
    /** Tells the wall time, in seconds from any origin. */
    using Clock = std::function<double()>;

    /**
     * @param source tells how far the work is
     * @param sink gets the snapshots
     * @param intervalSeconds least wall time between two snapshots
     * @param clock the wall clock; a steady one if empty
     */
    ProgressMeter(Source source, Sink sink, double intervalSeconds, Clock clock = Clock());

    /** Some work has been done: give a snapshot if one is due. */
    void Tick();

    /** @return wall time since the start, seconds */
    double GetElapsedSeconds() const;

  private:
    Source m_source;   //!< tells how far the work is
    Sink m_sink;       //!< gets the snapshots
    double m_interval; //!< least wall time between two, seconds
    Clock m_clock;     //!< wall time
    double m_start;    //!< wall time of the start
    double m_last;     //!< wall time of the last snapshot
};

/**
 * @ingroup llm-fabric-training
 * Shows snapshots of one run, or of several that go side by side: on a terminal as one line that is
 * overwritten, in a log as a line now and then, or not at all.
 */
class ProgressPrinter
{
  public:
    /** How to show. */
    enum Mode
    {
        QUIET,    //!< not at all
        LOG,      //!< a line now and then
        TERMINAL, //!< one line that is overwritten
    };

    /**
     * @param out where to print
     * @param mode how
     */
    ProgressPrinter(std::ostream& out, Mode mode);
    /** Ends the line that is overwritten, if there is one. */
    ~ProgressPrinter();
    ProgressPrinter(const ProgressPrinter&) = delete;
    ProgressPrinter& operator=(const ProgressPrinter&) = delete;

    /**
     * @param quiet the user wants none
     * @param descriptor file descriptor of the output
     * @return TERMINAL if it is one, else LOG; QUIET if the user wants that
     */
    static Mode ChooseMode(bool quiet, int descriptor);
    /**
     * @param mode how to show
     * @return wall time between two snapshots that suits the mode, seconds
     */
    static double GetInterval(Mode mode);

    /** @param runs name and snapshot of each run */
    void Print(const std::vector<std::pair<std::string, ProgressSnapshot>>& runs);
    /** Wipe the line that is overwritten, so that other output can follow. */
    void Clear();

    /**
     * @param snapshot a snapshot
     * @return its text: "37 %, 1.2 ms simulated, 2.1 M hops/s, 12 s left"
     */
    static std::string Format(const ProgressSnapshot& snapshot);

  private:
    std::ostream& m_out;     //!< where to print
    Mode m_mode;             //!< how
    bool m_lineOpen = false; //!< a line that is overwritten is on the screen
};

} // namespace ns3::llm

#endif // LLM_FABRIC_PROGRESS_METER_H
