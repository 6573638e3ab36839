#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: check.sh BUILD CMAKE COMPILER
# Installs the module into a folder of the build, and builds and runs a program against it that knows
# nothing of the source tree: once by the CMake package, once by pkg-config.
set -euo pipefail
build=$1 cmake=$2 compiler=$3
source=$(dirname "$(readlink -f "$0")")
work=$build/user-program
prefix=$work/prefix
rm -rf "$work"
mkdir -p "$work"
cp "$source"/user-program.cc "$source"/CMakeLists.txt "$work"
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log"

# The library looks for its data in the source tree first, which a user of it does not have.
export LLM_FABRIC_DATA=$prefix/share/llm-fabric
expected="simulated 5 ns
$LLM_FABRIC_DATA/accelerators.csv"
check() {
    local output
    output=$("$@")
    if [[ $output != "$expected" ]]; then
        echo "$1 printed:" "$output" >&2
        return 1
    fi
    echo "$1: as expected"
}

# What is installed may not reach back into the source tree.
if grep -rlF --include='*.h' --include='*.cmake' --include='*.pc' "${source%/test/*}/" "$prefix"; then
    echo "the files above name the source tree" >&2
    exit 1
fi

"$cmake" -G Ninja -S "$work" -B "$work/by-cmake" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log"
"$cmake" --build "$work/by-cmake" >>"$work/cmake.log"
check "$work/by-cmake/user-program"

pc=$(find "$prefix" -name ns3-llm-fabric.pc)
export PKG_CONFIG_PATH=${pc%/*}
lib=$(pkg-config --variable=libdir ns3-llm-fabric)
read -ra flags <<<"$(pkg-config --cflags --libs ns3-llm-fabric)"
"$compiler" "$work/user-program.cc" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/by-pkg-config"
check "$work/by-pkg-config"

# The congestion control of the documents, in a program of its own and below 150 lines, chosen by its
# name alone.
example=${source%/test/*}/examples/custom-congestion-control.cc
lines=$(sed -n '/^\/\/ ---- The control/,/^\/\/ ---- The scenario/p' "$example" | wc -l)
if ((lines < 20 || lines > 150)); then
    echo "the congestion control of $example has $lines lines" >&2
    exit 1
fi
"$compiler" "$example" "${flags[@]}" -Wl,-rpath,"$lib" -o "$work/control"
expected='control=MarkShare delivered=2'
output=$(cd "$work" && ./control --summary --senders=2 --bytes=100000)
if [[ $output != "$expected"* ]]; then
    echo "the custom congestion control printed: $output" >&2
    exit 1
fi
echo "$example: as expected"
