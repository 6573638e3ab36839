// SPDX-License-Identifier: GPL-2.0-only

#include "progress-meter.h"

#include "text-table.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unistd.h>

namespace ns3::llm
{

namespace
{

/** Wall time that must have gone by before an end is estimated, seconds. */
constexpr double ESTIMATE_AFTER = 1;

/** @return seconds of a steady clock */
double
ReadSteadyClock()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

/**
 * @param seconds a duration
 * @return "12 s", "3 min", "2.5 h"
 */
std::string
FormatDuration(double seconds)
{
    if (seconds < 100)
    {
        return FormatNumber(std::ceil(seconds), 0) + " s";
    }
    return seconds < 6000 ? FormatNumber(seconds / 60, 0) + " min"
                          : FormatNumber(seconds / 3600, 1) + " h";
}

} // namespace

ProgressMeter::ProgressMeter(Source source, Sink sink, double intervalSeconds, Clock clock)
    : m_source(std::move(source)),
      m_sink(std::move(sink)),
      m_interval(intervalSeconds),
      m_clock(clock ? std::move(clock) : Clock(&ReadSteadyClock)),
      m_start(m_clock()),
      m_last(m_start)
{
}

double
ProgressMeter::GetElapsedSeconds() const
{
    return m_clock() - m_start;
}

void
ProgressMeter::Tick()
{
    const double now = m_clock();
    if (now - m_last < m_interval)
    {
        return;
    }
    m_last = now;
    const Work work = m_source();
    ProgressSnapshot snapshot;
    snapshot.share = std::clamp(work.share, 0.0, 1.0);
    snapshot.simulatedUs = static_cast<double>(Simulator::Now().GetPicoSeconds()) / 1e6;
    snapshot.hops = work.hops;
    snapshot.elapsedSeconds = now - m_start;
    if (snapshot.share > 0 && snapshot.elapsedSeconds >= ESTIMATE_AFTER)
    {
        snapshot.remainingSeconds = snapshot.elapsedSeconds * (1 - snapshot.share) / snapshot.share;
    }
    m_sink(snapshot);
}

ProgressPrinter::ProgressPrinter(std::ostream& out, Mode mode)
    : m_out(out),
      m_mode(mode)
{
}

ProgressPrinter::~ProgressPrinter()
{
    Clear();
}

ProgressPrinter::Mode
ProgressPrinter::ChooseMode(bool quiet, int descriptor)
{
    if (quiet)
    {
        return QUIET;
    }
    return isatty(descriptor) ? TERMINAL : LOG;
}

double
ProgressPrinter::GetInterval(Mode mode)
{
    return mode == TERMINAL ? 0.5 : 30;
}

std::string
ProgressPrinter::Format(const ProgressSnapshot& snapshot)
{
    std::string text = FormatNumber(std::floor(snapshot.share * 100), 0) + " %";
    text += ", " + FormatNumber(snapshot.simulatedUs / 1e3, 2) + " ms simulated";
    if (snapshot.hops > 0 && snapshot.elapsedSeconds > 0)
    {
        const double rate = static_cast<double>(snapshot.hops) / snapshot.elapsedSeconds;
        text += ", " + FormatNumber(rate / 1e6, 1) + " M hops/s";
    }
    if (snapshot.remainingSeconds >= 0)
    {
        text += ", " + FormatDuration(snapshot.remainingSeconds) + " left";
    }
    return text;
}

void
ProgressPrinter::Print(const std::vector<std::pair<std::string, ProgressSnapshot>>& runs)
{
    if (m_mode == QUIET || runs.empty())
    {
        return;
    }
    if (m_mode == LOG)
    {
        for (const auto& run : runs)
        {
            m_out << run.first << ": " << Format(run.second) << "\n";
        }
        m_out << std::flush;
        return;
    }
    std::string line;
    if (runs.size() == 1)
    {
        line = runs.front().first + ": " + Format(runs.front().second);
    }
    else
    {
        // side by side only the shares fit on a line, and the run that ends last sets the end
        double remaining = -1;
        for (const auto& run : runs)
        {
            line += run.first + " " + FormatNumber(std::floor(run.second.share * 100), 0) + " %  ";
            remaining = std::max(remaining, run.second.remainingSeconds);
        }
        line += remaining < 0 ? "" : FormatDuration(remaining) + " left";
    }
    m_out << "\r\033[K" << line << std::flush;
    m_lineOpen = true;
}

void
ProgressPrinter::Clear()
{
    if (m_lineOpen)
    {
        m_out << "\r\033[K" << std::flush;
        m_lineOpen = false;
    }
}

} // namespace ns3::llm
