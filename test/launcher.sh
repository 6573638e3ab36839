#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Checks the launcher's own work: what it refuses, the table of a sweep, and the installation of
# packages, with programs of its own in the place of dpkg-query, apt-get, id and sudo.
set -uo pipefail
root=$(dirname "$(readlink -f "$0")")/..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS PATTERN COMMAND...: the command ends with this status, and what it prints matches
expect() {
    local status=$1 pattern=$2 output got
    shift 2
    output=$("$@" 2>&1)
    got=$?
    if [[ $got != "$status" ]] || ! grep -qE -- "$pattern" <<<"$output"; then
        printf '%s\n    expected status %s and %s\n    got status %s and:\n%s\n' "$*" "$status" "$pattern" "$got" "$output"
        failed=1
    fi
}

# program NAME: make an executable of the lines read
program() {
    { echo '#!/bin/sh'; cat; } >"$1"
    chmod +x "$1"
}

# wrong commands
expect 0 '^Usage: ' "$root/llm-fabric" --help
expect 2 '^Usage: ' "$root/llm-fabric"
expect 2 "no command 'tset'; near it: test" "$root/llm-fabric" tset
expect 2 "preset 'relase' is unknown; there are release" "$root/llm-fabric" build relase
expect 2 "no program 'no-such-program' in examples/ or scratch/" "$root/llm-fabric" run no-such-program
expect 2 "no program 'bench-plan' in examples/" "$root/llm-fabric" run bench-plan
expect 2 'sweep needs the NAME' "$root/llm-fabric" sweep --seeds 1..3

# large pages are asked for, unless the user has said something else
large_pages='source <(sed -n "/^ask_for_large_pages() {/,/^}/p" "$0"); ask_for_large_pages; echo "$GLIBC_TUNABLES"'
expect 0 '^glibc\.malloc\.hugetlb=1' env -u GLIBC_TUNABLES bash -c "$large_pages" "$root/llm-fabric"
expect 0 '^glibc\.malloc\.top_pad=4096$' env GLIBC_TUNABLES=glibc.malloc.top_pad=4096 bash -c "$large_pages" "$root/llm-fabric"

# a program that was left out says why
cp -r "$root/llm-fabric" "$root/tools" . && mkdir -p examples build/release
printf '// SPDX\n\n// Needs much.\n' >examples/needy.cc
echo 'needy: needs OpenBLAS' >build/release/examples-left-out.txt
expect 0 '^needy +Needs much \(not built: needs OpenBLAS\)$' ./llm-fabric list examples
touch build/release/build.ninja CMakePresets.json -d @0 && touch build/release/CMakeCache.txt
expect 2 "example 'needy' is not built: it needs OpenBLAS" env LLM_FABRIC_NO_INSTALL=1 ./llm-fabric run needy
rm -r llm-fabric tools examples build CMakePresets.json

# sweep: two seeds times two values, in order, with a run that fails
program fake <<'SH'
for word; do case $word in --RngRun=*) seed=${word#*=} ;; --Rate=*) rate=${word#*=} ;; esac; done
echo "some text = not a summary"
echo "time_s=$((seed * rate)) args=$#"
[ "$rate" != 8 ] || echo "time_s=2 more=1"
[ "$seed$rate" != 27 ] || { echo "broken" >&2; exit 3; }
SH
expect 1 'fake --RngRun=2 --Rate=7: status 3: broken' "$root/tools/sweep" ./fake --seeds 1..2 --set Rate=5,7 -- --more
expected='RngRun,Rate,time_s,args,status
1,5,5,4,0
1,7,7,4,0
2,5,10,4,0
2,7,14,4,3'
[[ $(cat sweep-fake.csv) == "$expected" ]] || { echo "sweep-fake.csv:" && cat sweep-fake.csv && failed=1; }
expect 0 '^     5     8      40     3             0$' "$root/tools/sweep" ./fake --seeds=5 --set=Rate=8 --csv t.csv
[[ $(tail -n 1 t.csv) == '5,8,2,,1,0' ]] || { echo "no row for the second line:" && cat t.csv && failed=1; }
expect 2 "--seeds '3..1' is neither" "$root/tools/sweep" ./fake --seeds 3..1
expect 2 "unknown option '--seed'" "$root/tools/sweep" ./fake --seed 1

# packages
mkdir bin
export PATH=$work/bin:$PATH
unset LLM_FABRIC_NO_INSTALL
all='g++ cmake ninja-build pkgconf ns3 libns3-dev nlohmann-json3-dev libboost1.81-dev gnuplot-qt libopenblas-serial-dev'
have() {
    printf 'installed %s\n' "$@" >have
}
program bin/dpkg-query <<SH
cat "$work/have"
SH
program bin/apt-get <<SH
echo "apt-get \$*" >>"$work/calls"
case "\$*" in *"-s "*) cat "$work/plan" ;; esac
SH
program bin/id <<<'echo 0'
echo 'Inst cmake (3.25)' >plan

# shellcheck disable=SC2086
have $all
expect 0 '^$' "$root/tools/install-packages" build
[[ ! -e calls ]] || { echo "apt-get was called although nothing is missing" && failed=1; }

# shellcheck disable=SC2086
have ${all/cmake /}
expect 0 'cmake: configures the build' "$root/tools/install-packages" build
[[ $(tail -n 1 calls) == 'apt-get -y -q install --no-install-recommends --no-remove cmake' ]] || { cat calls && failed=1; }
expect 0 '^$' env LLM_FABRIC_NO_INSTALL=1 "$root/tools/install-packages" build

rm calls
echo 'Remv libboost1.81-dev [1.81]' >>plan
expect 1 'apt would remove the above; nothing was changed' "$root/tools/install-packages" build
[[ $(wc -l <calls) == 1 ]] || { echo "apt-get was called although it would remove a package" && failed=1; }

echo 'Inst cmake (3.25)' >plan
program bin/id <<<'echo 1000'
program bin/sudo <<<'echo "with sudo: $*"'
expect 0 'with sudo: env DEBIAN_FRONTEND=noninteractive apt-get -y -q install' "$root/tools/install-packages" build
exit "$failed"
