// SPDX-License-Identifier: GPL-2.0-only
// The standalone build's test program, for CTest. In ns-3's own tree test.py takes its place.

#include "ns3/test.h"

#include <cstdlib>
#include <vector>

int
main(int argc, char* argv[])
{
    std::vector<char*> arguments(argv, argv + argc);
    char full[] = "--fullness=EXTENSIVE";
    if (std::getenv("LLM_FABRIC_TEST_FULL"))
    {
        arguments.push_back(full);
    }
    const int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr); // where the runner stops reading
    return ns3::TestRunner::Run(count, arguments.data());
}
