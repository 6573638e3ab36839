#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Checks structure.sh itself: a sound tree passes, and each fault that is planted in it is found.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# header FILE LINE...: a sound header with these lines in it
header() {
    local guard
    guard=LLM_FABRIC_$(basename "$1" .h | tr 'a-z-' 'A-Z_')_H
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' '// SPDX-License-Identifier: GPL-2.0-only' "#ifndef $guard" "#define $guard" "${@:2}" \
        "#endif // $guard" >"$tree/$1"
}

sound() {
    rm -rf "${tree:?}"/*
    header model/engine/input-error.h
    header model/fabric/fabric-port.h '#include "ns3/input-error.h"' '#include "ns3/net-device.h"'
    header model/transport/message-transport.h
    header model/transport/queue-pair.h '#include "message-transport.h"' '#include "ns3/fabric-port.h"'
    header model/collective/communicator.h '#include "ns3/message-transport.h"'
    header model/workload/accelerator.h '#include "ns3/input-error.h"'
    header model/training/job.h '#include "ns3/communicator.h"' '#include "ns3/accelerator.h"'
    header helper/rail-helper.h '#include "ns3/job.h"'
}

# expect TEXT: the tree as it is has exactly one finding, with this text
expect() {
    local output
    output=$("$here/structure.sh" "$tree" /nonexistent) && { echo "not found: $1"; failed=1; }
    if ! grep -qF "$1" <<<"$output" || ! grep -q '^1 findings' <<<"$output"; then
        printf 'expected alone: %s\nbut got:\n%s\n' "$1" "$output"
        failed=1
    fi
    sound
}

sound
"$here/structure.sh" "$tree" /nonexistent

header model/engine/input-error.h '#include "ns3/fabric-port.h"'
expect 'room engine must not include fabric-port.h of room fabric'
header model/collective/communicator.h '#include "ns3/queue-pair.h"'
expect 'room collective must not include queue-pair.h of room transport'
header model/workload/accelerator.h '#include "ns3/communicator.h"'
expect 'room workload must not include communicator.h of room collective'
header model/fabric/fabric-port.h '#include "ns3/accelerator.h"'
expect 'room fabric must not include accelerator.h of room workload'
header model/training/job.h '#include "ns3/rail-helper.h"'
expect 'room training must not include rail-helper.h of room helper'
header model/transport/queue-pair.h '#include "ns3/message-transport.h"'
expect 'of its own room; write message-transport.h'
header model/fabric/fabric-port.h '#include "ns3/core-module.h"'
expect 'includes core-module.h; include single headers'
header model/newroom/thing.h
expect 'room newroom is not in the list of rooms'
header model/fabric/chunk.h
expect 'model/fabric/chunk.h:1: ns-3 has a header of this name'
header model/fabric/accelerator.h
expect 'accelerator.h:1: two rooms have a header of this name'
sed -i 's/GPL-2.0-only/MIT/' "$tree/helper/rail-helper.h"
expect 'rail-helper.h:1: the first line is not'
sed -i 's/ifndef .*RAIL/ifndef LLM_FABRIC_FAIL/' "$tree/helper/rail-helper.h"
expect 'the include guard is not LLM_FABRIC_RAIL_HELPER_H'
sed -i 's/^#endif.*/#endif/' "$tree/helper/rail-helper.h"
expect 'the last line is not #endif // LLM_FABRIC_RAIL_HELPER_H'
echo '# nothing' >"$tree/CMakeLists.txt"
expect 'CMakeLists.txt:1: no SPDX'
header helper/rail-helper.h '// caf'$'\303\251'
expect '(not ASCII)'
exit "$failed"
