// SPDX-License-Identifier: GPL-2.0-only

#include "run-outcome.h"

#include "training-job.h"

#include "ns3/simulator.h"

namespace ns3::llm
{

namespace
{

/** Most lines about one job: enough to see the pattern, few enough to read. */
constexpr std::size_t MAX_LINES = 60;

} // namespace

int
ReportOutcome(const std::vector<Ptr<TrainingJob>>& jobs, std::ostream& out)
{
    int status = EXIT_DONE;
    for (const auto& job : jobs)
    {
        if (job->IsFinished())
        {
            continue;
        }
        status = EXIT_UNFINISHED;
        out << "error: job '" << job->GetName() << "' did not finish: "
            << (job->IsStalled() ? "it made no progress for its StallTime, "
                                 : "the simulator stopped, ")
            << "at " << Simulator::Now().As(Time::US) << " with " << job->GetTasksDone()
            << " tasks done. Unfinished:\n";
        const auto lines = job->DescribeUnfinished();
        for (std::size_t i = 0; i < lines.size() && i < MAX_LINES; ++i)
        {
            out << "  " << lines[i] << "\n";
        }
        if (lines.size() > MAX_LINES)
        {
            out << "  ... and " << lines.size() - MAX_LINES << " more\n";
        }
    }
    return status;
}

} // namespace ns3::llm
