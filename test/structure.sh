#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: structure.sh [ROOT [NS3_INCLUDE]]
# Checks what no compiler does: that imports between the rooms go one way, that no public header has
# a name of ns-3's (test/data/ns3-header-names.txt, and the headers installed in NS3_INCLUDE), and
# the conventions of file heads, guards and includes. Prints each finding as FILE:LINE: TEXT.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
cd "${1-$here/..}" || exit 2
include=${2-/usr/include/ns3}
shopt -s nullglob globstar

sources=(model/**/*.{h,cc} helper/*.{h,cc} test/*.{h,cc} examples/*.{h,cc} tools/*.cc)
headers=(model/*/*.h helper/*.h)
others=(llm-fabri[c] .c[i]/run {,examples/,test/user-program/}CMakeLists.tx[t] cmake/* test/**/*.sh test/*.{py,cmake} test/*/*.cc
    tools/* wscript-compat/* {CHANGES,scratch/README}.m[d] doc/*.{rst,dox} doc/Doxyfil[e])

# What each room may include of the others. A name of a room opens all its headers, FILE.h only that.
rooms='
engine
fabric      engine
transport   engine fabric
collective  engine message-transport.h locality.h
workload    input-error.h time-resolution.h ns3-compat.h
training    engine fabric transport collective workload
helper      engine fabric transport collective workload training
'

# check_includes: rooms, and how an include is written
check_includes() {
    awk -v rooms="$rooms" -v headers="${headers[*]}" '
        BEGIN {
            n = split(headers, list, " ")
            for (i = 1; i <= n; ++i) {
                m = split(list[i], part, "/")
                room_of[part[m]] = m == 3 ? part[2] : part[1]
            }
            n = split(rooms, line, "\n")
            for (i = 1; i <= n; ++i) {
                m = split(line[i], word, " ")
                if (m) known[word[1]] = 1
                for (j = 2; j <= m; ++j) may[word[1], word[j]] = 1
            }
        }
        function finding(text) { print FILENAME ":" FNR ": " text }
        FNR == 1 {
            m = split(FILENAME, part, "/")
            room = part[1] == "model" ? part[2] : part[1] == "helper" ? "helper" : ""
            if (room && !(room in known)) finding("room " room " is not in the list of rooms")
        }
        /^ *# *include *"/ {
            split($0, quoted, "\"")
            name = quoted[2]; bare = name !~ /^ns3\//; sub(/^ns3\//, "", name)
            if (name ~ /-module\.h$/) finding("includes " name "; include single headers")
            if (bare && name ~ /\//) finding("includes " name " by a path")
            if (!(name in room_of)) {
                if (bare && room) finding("includes " name ", which is no header of this module")
                next
            }
            other = room_of[name]
            if (!room) {
                if (bare) finding("includes " name "; write ns3/" name)
            } else if (other == room) {
                if (!bare) finding("includes ns3/" name " of its own room; write " name)
            } else {
                if (bare) finding("includes " name " of room " other "; write ns3/" name)
                if (!((room, other) in may) && !((room, name) in may))
                    finding("room " room " must not include " name " of room " other)
            }
        }' "${sources[@]}"
}

# check_names: no public header has a name that ns-3 or another room has
check_names() {
    local header
    printf '%s\n' "${headers[@]}" | awk -F/ '
        NR == FNR { taken[$0] = 1; next }
        $NF in taken { print $0 ":1: ns-3 has a header of this name" }
        $NF in seen { print $0 ":1: two rooms have a header of this name" }
        { seen[$NF] = 1 }' "$here/data/ns3-header-names.txt" -
    [[ ! -e $include/llm-fabric-module.h ]] || return 0 # then ours are installed there
    for header in "${headers[@]}"; do
        [[ ! -e $include/${header##*/} ]] || echo "$header:1: the ns-3 in $include has a header of this name"
    done
}

# check_heads: licence line, include guard, ASCII
check_heads() {
    awk '
        function finding(line, text) { print file ":" line ": " text }
        function close_file() {
            if (guard && last != "#endif // " guard) finding(1, "the last line is not #endif // " guard)
        }
        FNR == 1 {
            close_file()
            file = FILENAME
            guard = ""
            if ($0 != "// SPDX-License-Identifier: GPL-2.0-only")
                finding(1, "the first line is not // SPDX-License-Identifier: GPL-2.0-only")
            if (file ~ /^(model|helper)\/.*\.h$/) {
                guard = file
                sub(/.*\//, "", guard); sub(/^llm-fabric-/, "", guard); sub(/\.h$/, "", guard)
                gsub(/-/, "_", guard)
                guard = "LLM_FABRIC_" toupper(guard) "_H"
                open = 1
            }
        }
        /^#/ && guard && open {
            open = 0
            if ($0 != "#ifndef " guard) finding(FNR, "the include guard is not " guard)
        }
        { last = $0 }
        END { close_file() }' "${sources[@]}"
    LC_ALL=C grep -nP '[^\x00-\x7F]' "${sources[@]}" | sed 's/$/   (not ASCII)/'
    awk 'FNR <= 3 && /SPDX-License-Identifier: GPL-2.0-only/ { licensed[FILENAME] = 1 }
        FNR > 3 { nextfile }
        END {
            for (i = 1; i < ARGC; ++i)
                if (!(ARGV[i] in licensed)) print ARGV[i] ":1: no SPDX-License-Identifier in the first three lines"
        }' "${others[@]}" /dev/null | grep -v '^/dev/null:'
}

[[ ${#headers[@]} -gt 0 ]] || { echo "no headers in $PWD" && exit 2; }
findings=$(check_includes && check_names && check_heads)
wc -l "${sources[@]}" | awk '$1 > 400 && $2 != "total" { print "note: " $2 " has " $1 " lines; 400 is the aim" }'
if [[ $findings ]]; then
    printf '%s\n' "$findings"
    echo "$(wc -l <<<"$findings") findings"
    exit 1
fi
echo "structure: ${#sources[@]} sources, ${#headers[@]} public headers, no finding"
