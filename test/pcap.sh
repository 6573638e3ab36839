#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: test/pcap.sh EXAMPLES
# Runs a collective with pcap files and has independent programs read them: tshark must take every
# frame for RoCEv2 or PFC and find none malformed, and scapy must come to the same ICRC and checksum.
# Status 77 (CTest: skipped) where tshark or scapy is missing; .ci/run installs them.
set -uo pipefail
examples=$(cd "$1" && pwd)
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() {
    echo "FAIL $*"
    failures=$((failures + 1))
}

for python in python3 /usr/bin/python3 ''; do
    [[ ! $python ]] || ! "$python" -c 'import scapy.contrib.roce' 2>/dev/null || break
done
if [[ ! $python ]] || ! command -v tshark >/dev/null; then
    echo "pcap: skipped, tshark or scapy is missing (Debian: tools/install-packages ci)"
    exit 77
fi

# Half of each message waits in front of a slow link between switches, so there are marks; a message
# is no multiple of 4 bytes, so there is a pad.
run() {
    "$examples/collective" --summary --fabric=fat-tree --accelerators=16 --ranks=2 --stride=8 --bytes=300003 \
        --ns3::llm::TopologyHelper::DomainSize=1 --ns3::llm::TopologyHelper::SwitchRate=100Gbps \
        --ns3::llm::FabricSwitch::MaxFrameSize=4194 --ns3::llm::FabricSwitch::EcnMinThreshold=1000 \
        --ns3::llm::FabricSwitch::EcnMaxThreshold=2000 "$@"
}

lossless=--ns3::llm::FabricSwitch::BufferSize=400000
lossy=(--ns3::llm::FabricSwitch::BufferSize=300000 --ns3::llm::FabricSwitch::Pfc=false)
plain=$(run "$lossless")
traced=$(run "$lossless" --pcap=pfc)
[[ $plain && $traced == "$plain" ]] || fail "a run prints '$plain' and, with pcap files, '$traced'"
run "${lossy[@]}" --pcap=loss >/dev/null || fail "the run that loses frames ended with status $?"

# packet HB domains are traced, too, at the first device of each node
run --ns3::llm::TopologyHelper::DomainSize=8 --ns3::llm::TopologyHelper::DomainFidelity=packet --stride=1 \
    --pcap=domain >/dev/null || fail "the run in an HB domain ended with status $?"

# decode FILE: what tshark makes of its frames, one line each, into FILE.table with these columns
columns=(port=udp.dstport opcode=infiniband.bth.opcode wantsAck=infiniband.bth.a pad=infiniband.bth.padcnt
    dmaLength=infiniband.reth.dmalen syndrome=infiniband.aeth.syndrome icrc=infiniband.invariant.crc
    dscp=ip.dsfield.dscp ecn=ip.dsfield.ecn control=macc.opcode class3=macc.cbfc.enbv.c3
    time3=macc.cbfc.pause_time.c3 tcp=tcp.port tcpBytes=tcp.len ipSum=ip.checksum.status malformed=_ws.malformed severity=_ws.expert.severity delta=frame.time_delta)
decode() {
    tshark -o ip.check_checksum:TRUE -r "$1" -T fields "${columns[@]/#*=/-e}" >"$1.table" 2>/dev/null || fail "$1: tshark cannot read it"
}

# count FILE CONDITION: its frames that meet the condition of awk, in which $NAME is the column
count() {
    local column number=0 names=()
    for column in "${columns[@]}"; do names+=(-v "${column%=*}=$((++number))"); done
    awk -F '\t' "${names[@]}" "$2 { ++n } END { print n + 0 }" "$1.table"
}

# check FILE: all of it is RoCEv2 or PFC (tshark 4.0 knows no CNP, 129, and finds no ICRC there), in order
check() {
    local frames known bad
    decode "$1"
    frames=$(count "$1" 1)
    known=$(count "$1" '$port == 4791 && ($icrc || $opcode == 129) || $control == "0x0101"')
    bad=$(count "$1" '$malformed || $severity > 5000000 || $delta < 0')
    ((frames > 0 && known == frames && bad == 0)) ||
        fail "$1: $frames frames, $known of them RoCEv2 or PFC, $bad malformed or not in order"
}

# expect FILE CONDITION: some frame meets it
expect() {
    (($(count "$1" "$2") > 0)) || fail "$1: no frame with $2"
}

# TCP of ns-3's stack beside RDMA: in one queue both are marked
"$examples/tcp-beside-rdma" --durationUs=200 --pcap=both --ns3::llm::FabricPort::TcpIpClass=3 \
    --ns3::llm::FabricSwitch::EcnMinThreshold=1000 --ns3::llm::FabricSwitch::EcnMaxThreshold=2000 >/dev/null || fail "TCP beside RDMA ended with status $?"
check_packets() {
    local frames known bad
    decode "$1"
    frames=$(count "$1" '$tcp')
    known=$(count "$1" '$port == 4791 || $tcp ~ /40000/ || $control == "0x0101"')
    bad=$(count "$1" '$malformed || $delta < 0 || $ipSum == 0')
    ((frames > 20 && known == $(count "$1" 1) && bad == 0)) ||
        fail "$1: $frames frames of TCP, $known known ones, $bad malformed, not in order or with a wrong sum"
}
check_packets both-1-0.pcap
check_packets both-3-0.pcap
expect both-3-0.pcap '$tcp ~ /40000/ && $ecn == 3'
expect both-3-0.pcap '$port == 4791 && $ecn == 3'
expect both-3-0.pcap '$tcp ~ /40000/ && $tcpBytes == 8948'

# the ports of both ranks, and one between switches
for file in {pfc,loss}-{0,8}-0.pcap pfc-16-2.pcap domain-0-0.pcap; do check "$file"; done
expect pfc-0-0.pcap '$opcode == 6 && $dmaLength == 150001'
expect pfc-0-0.pcap '$opcode == 7 && $wantsAck == 0'
expect pfc-0-0.pcap '$opcode == 8 && $wantsAck == 1 && $pad > 0'
expect pfc-0-0.pcap '$opcode == 17 && $syndrome == 31'
expect pfc-8-0.pcap '$opcode == 129 && $dscp == 48'
expect pfc-8-0.pcap '$opcode == 7 && $dscp == 26 && $ecn == 3'
expect pfc-0-0.pcap '$control && $class3 == 1 && $time3 == 65535'
expect pfc-0-0.pcap '$control && $class3 == 1 && $time3 == 0'
expect loss-0-0.pcap '$opcode == 17 && $syndrome == 96'
"$python" "$here/pcap-sums.py" {pfc,loss}-{0,8}-0.pcap || fail "scapy comes to other sums"

((failures == 0)) && echo "pcap: no failure"
exit $((failures > 0))
