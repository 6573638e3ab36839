#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: test/examples.sh EXAMPLES
# Runs the built examples as a user would: wrong input is refused with status 2 and words that help, a
# run that cannot finish says who waits for what, and the same seed gives the same frames.
set -uo pipefail
examples=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

# expect STATUS WORDS PROGRAM ARGS...: the program ends with the status and prints the words
expect() {
    local status=$1 words=$2 program=$3 got=0
    shift 3
    "$examples/$program" "$@" >output 2>&1 || got=$?
    if ((got != status)) || ! grep -qF -- "$words" output; then
        echo "FAIL $program $*: status $got, expected $status and '$words', printed:"
        head -n 5 output
        failures=$((failures + 1))
    fi
}

# train STATUS WORDS ARGS...: the same for a small training iteration
train() {
    local status=$1 words=$2
    shift 2
    expect "$status" "$words" training-iteration --quiet --summary "$@"
}

small=(--model=gpt2 --accelerators=16 --domainSize=4 --tp=4 --microBatches=1)
echo '{"model_type": "llama", "hidden_size": "wide"}' >config.json

train 2 '16 ranks but TP x PP x DP = 2 x 2 x 3 = 12; did you mean DP = 4?' --accelerators=16 --tp=2 --pp=2 --dp=3
train 2 'option --fabrik is unknown; did you mean --fabric?' --fabrik=fat-tree
train 2 'did you mean gpt2' --model=gpt5
train 2 "cannot read the model file '$work/none/config.json'" --model="$work/none/config.json"
train 2 'hidden_size' --model=config.json
train 2 'TP = 5 does not divide the heads of gpt2' --model=gpt2 --accelerators=40 --tp=5
train 2 '--nicRate=400: a rate needs a unit; did you mean 400Gbps?' --nicRate=400
train 2 'NicRate=400: a rate needs a unit; did you mean 400Gbps?' --ns3::llm::TopologyHelper::NicRate=400
train 2 'there is no type ns3::llm::Dcqcm; did you mean ns3::llm::Dcqcn?' --ns3::llm::Dcqcm::Gain=1
train 2 'rail-optimized' --fabric=rail-optimised
train 2 'whole number' --accelerators=sixty
expect 2 'that can be made; there are: ns3::llm::Dcqcn' custom-congestion-control --control=ns3::llm::FlowEcmp
expect 0 'tasks: llm-fabric-timeline/timeline.json' training-timeline --accelerators=4 --tp=2 --pp=2 --microBatches=2 --domainSize=2
expect 2 'TP = 5 does not divide' training-timeline --accelerators=20 --tp=5 --domainSize=1
expect 0 'tp2-zero1' memory-by-strategy --model=gpt2 --accelerators=8 --strategies=tp2-zero1,tp2
expect 2 "'qq2' is none of" memory-by-strategy --strategies=tp2-qq2
expect 0 'strategies fit' strategy-search --model=gpt2 --accelerators=4 --domainSize=2 --globalBatch=8 \
    --sequenceLength=256 --best=1 --summary --quiet
expect 0 'bubbles of 1F1B and interleaved' validate --only=bubbles --simulate=false --summary
expect 2 "is in no claim's name" validate --only=none --simulate=false
expect 2 'option --operator is unknown' collective --operator=all-reduce
expect 2 'pcap of frames with AckSize=84: RoCEv2 has 86' collective --pcap=x --ns3::llm::RdmaTransport::AckSize=84
expect 2 "cannot write the trace file 'none/x-0-0.pcap'" collective --pcap=none/x
expect 0 'time_over_ideal=1' collective --algorithm=ns3::llm::InSwitchAlgorithm --accelerators=16 --bytes=65536 --stride=8 --ns3::llm::TopologyHelper::NetworkReduction=true --summary
expect 2 'InSwitchReduction' collective --algorithm=ns3::llm::InSwitchAlgorithm --accelerators=16
expect 0 'operation=all-to-all' collective --operation=all-to-all --algorithm=ns3::llm::BruckAlgorithm --accelerators=16 --bytes=65536 --summary
benchmark=(--quiet --summary --maxBytes=65536)
expect 0 'PatAlgorithm' collective-benchmark "${benchmark[@]}" --operations=all-gather,reduce-scatter --algorithms=auto,PatAlgorithm
expect 2 'Algorithm "ns3::llm::Rign" of --algorithms is not a collective algorithm' collective-benchmark --algorithms=Rign
expect 2 'operations differ: rank 0 (accelerator 0) does all-reduce of 65536 B, rank 1 (accelerator 1) does all-gather' collective-benchmark "${benchmark[@]}" --ranks=2 --minBytes=65536 --maxBytes=65536 --calls=all-reduce,all-gather
expect 0 'alone in its group' collective-benchmark "${benchmark[@]}" --ranks=1
expect 0 'time/one switch' collective-benchmark "${benchmark[@]}" --fabric=fat-tree --seeds=2
expect 2 'did you mean Hopper' nccl-bus-bandwidth --only=Hoper
expect 2 '--algorithms: PatAlgorithm does not do all-reduce' collective-benchmark "${benchmark[@]}" --algorithms=PatAlgorithm

expect 2 'did you mean h200? Allowed: a100-sxm-80gb' operator-profiles --profiles=h20
expect 0 'results in curves' operator-profiles --profiles=a100-sxm-80gb,h100-sxm --output=curves
[[ $(wc -l <curves/curves.csv) == 6 && $(wc -l <curves/entries.csv) == 23 ]] || {
    echo "FAIL operator-profiles: $(wc -l curves/*.csv)"
    failures=$((failures + 1))
}
if [[ -x $examples/profile-operators ]]; then # without OpenBLAS it is left out
    expect 2 "--base: '512x256x1' is not hidden x sequence x batch x TP" profile-operators --base=512x256x1
    expect 2 'hidden size 96 is no multiple of 64 x TP = 64' profile-operators --hidden=96
    expect 2 'so there is nothing to project' profile-operators --base=64x16x1x1 --hidden=64 --sequences=16 --batches=1 --tensorParallel=1
    expect 0 'times less profiling' profile-operators --quiet --base=64x16x1x1 --hidden=64 --sequences=16,32 --batches=1 --tensorParallel=1 --rounds=1 --repeats=1
    expect 0 'rate' operator-profiles --summary --profiles=profile-operators/profile.json
    grep -q 'one thread, fc1, 32 bit  *1 ' output || {
        echo "FAIL operator-profiles: the profile that profile-operators has written"
        failures=$((failures + 1))
    }
fi

forward=(--quiet --summary --platforms=H100 --routings=uniform --domainSize=4)
expect 2 "--ways: there is no 'stagd'; there are:" rail-forwarding "${forward[@]}" --ways=stagd
expect 2 "there is no platform 'B200'; there are: A100 H100" rail-forwarding --platforms=B200
expect 2 "'18' is no multiple of --domainSize=4" rail-forwarding "${forward[@]}" --accelerators=18
expect 0 'traffic, skewed, 16 accelerators' rail-forwarding --quiet --summary --accelerators=16 --domainSize=4 --bytes=262144
expect 0 'packet' rail-forwarding "${forward[@]}" --accelerators=16 --bytes=8388608 --ways=rail-optimized,staged,packet
# what is stored as a whole costs C_S/C_F: 400/3600; what is pipelined does not
awk '$1 == "staged" { staged = $3 } $1 == "packet" { packet = $3 }
    END { exit !(staged > 9 && staged < 13 && packet < 3) }' output || {
    echo "FAIL rail-forwarding: overheads"
    cat output
    failures=$((failures + 1))
}
# closed forms of papers: a table alone, or with files
expect 2 "there are no prices 'rail-only-v2'; did you mean rail-only-v" rail-only-cost --prices=rail-only-v2
expect 2 '32768 accelerators in HB domains of 72: a whole number' rail-only-cost --domainSize=72
expect 0 'merchant-800g' rail-only-cost --summary --domainSize=72 --accelerators=36864 --prices=merchant-800g
expect 0 'results' rail-only-cost
expect 2 '--nicRate=400: a rate needs a unit' rail-only-hb-domain --nicRate=400
expect 0 'figure 7, OPT' rail-only-hb-domain
expect 2 'there is no' two-cs-comp-vs-comm --costModel=Rooflin
expect 2 "accelerator = 'MI2x' is not known" two-cs-comp-vs-comm --accelerator=MI2x
expect 2 'with-compute' two-cs-comp-vs-comm --memory=grows
expect 0 'serialized, 4x compute' two-cs-comp-vs-comm
# files, and lines with the header: four radixes, nine sizes, three networks; nine curves of 12 to 14 sizes; 3 x 196
for found in rail-only-cost=109 rail-only-hb-domain=118 two-cs-comp-vs-comm=589; do
    name=${found%=*}
    lines=$(wc -l <"$name/$name.csv")
    [[ $lines == "${found#*=}" && -s $name/$name.gp ]] || {
        echo "FAIL $name wrote $lines lines"
        failures=$((failures + 1))
    }
done
expect 0 'low_latency' deepep-comparison --quiet --summary --most=16 --share=64
# the same ranks over each transport: one option, and RDMA has no frames then
collective=(--accelerators=16 --bytes=1048576 --summary)
expect 0 ' data_frames=0 ' collective "${collective[@]}" --transport=tcp
expect 0 ' TCP_messages=32 ' collective "${collective[@]}" --transport=tcp
expect 0 ' hops=0 ' collective "${collective[@]}" --transport=fluid
expect 2 "transport 'udp': it is rdma, tcp or fluid" collective "${collective[@]}" --transport=udp
expect 0 'TcpTransport' collective --PrintAttributes=ns3::llm::TcpTransport
expect 0 'all-reduce' collective-benchmark "${benchmark[@]}" --transport=tcp
train 0 'iteration_us=' "${small[@]}" --fabric=rail-only --transport=tcp
train 0 ' hops=0 ' "${small[@]}" --fabric=rail-only --transport=fluid
expect 0 'traffic=domain, one message packet_us=' fluid-error --summary --accelerators=4 --bytes=65536 --places=domain
expect 1 'TCP connection 0 from accelerator' collective "${collective[@]}" --transport=tcp --ns3::llm::FabricNetwork::FrameLoss=ns3::llm::RandomLoss --ns3::llm::RandomLoss::Rate=1

printf '1\n0 99 3 100 1000 2\n' >flow.txt
expect 2 "flow.txt, line 2: destination '99': a whole number from 0 to 15 is allowed" flow-traffic --pattern=file --accelerators=16
expect 2 'incast of 16 senders: 1 to 15 are allowed' flow-traffic --pattern=incast --accelerators=16
expect 2 'did you mean poisson?' flow-traffic --pattern=poison

balancer=--ns3::llm::FabricSwitch::LoadBalancer=ns3::llm
expect 2 "LoadBalancer 'ns3::llm::GoBackN' is no ns3::llm::LoadBalancer that can be made; there are: ns3::llm::" flow-traffic --quiet --summary "$balancer::GoBackN"
spray=(--pattern=permutation --accelerators=16 --bytes=200000 --rounds=1 "$balancer::RandomSpray" --ns3::llm::RdmaTransport::LossRecovery=ns3::llm::SelectiveRepeat)
expect 0 'flows=16 finished=16' flow-traffic --quiet --summary "${spray[@]}"
# the message of the higher class takes as long as it does without TCP
expect 0 'rdma_us=817.1 tcp_gbps=' tcp-beside-rdma
expect 2 'ns3::llm::FabricSwitch::MaxFrameSize 9320; Mtu 9282 would fit' tcp-beside-rdma --ns3::llm::FabricPort::Mtu=9300

give_up=(--ns3::llm::RdmaTransport::RetransmissionTimeout=1us --ns3::llm::RdmaTransport::MaxTimeouts=0)
train 1 'rank 15 (accelerator 15), iteration 0' "${small[@]}" --fabric=rail-only "${give_up[@]}"
expect 1 'rank 1 (accelerator 8) waits for chunk' collective --ranks=4 --stride=8 "${give_up[@]}"
train 0 'iteration_us=' "${small[@]}" --fabric=rail-only
expect 1 'waits to be received' flow-traffic --quiet --summary --accelerators=16 --pattern=incast --senders=15 "${give_up[@]}"

# a flow alone at 400 Gb/s over two links of 500 ns: (1000 + 82 + 16) B x 20 ps x 2, and a tick for
# each of the two calls
printf '2\n0 1 3 100 1000 0.000001\n5 4 3 100 1000 0.000009\n' >flow.txt
expect 0 'flows=2 finished=2 bytes=2000' flow-traffic --quiet --pattern=file --fabric=single-switch --accelerators=16
grep -qx '0,0,1,3,1000,acknowledged,1.000000,2.043922,3.047362,1.043920,2.047360,1.000002' flow-traffic/run-flows.csv &&
    grep -qx '0b000501 0b000401 10000 100 1000 9000 2047 2047' flow-traffic/run-fct.txt &&
    grep -q '"--pattern=file"' flow-traffic/manifest.json || {
    echo "FAIL flow-traffic wrote other files"
    failures=$((failures + 1))
}

# eight flows to one host: all congestion controls differ, and the counters say why
expect 2 "--controls: there is no 'Hpc'; there are: all" congestion-control-comparison --controls=Hpc
expect 2 '--senders=32: of 32 accelerators at most 31 send to one' congestion-control-comparison --senders=32
expect 2 'web-serch' congestion-control-comparison --traffics=incast,web-serch
expect 1 'unfinished in incast-Hpcc: flow 0' congestion-control-comparison --quiet --summary --traffics=incast --controls=Hpcc "${give_up[@]}"
expect 0 'control=Timely' congestion-control-comparison --quiet --summary --traffics=incast
compared=$(wc -l <output)
awk '
    function fail(text) { print "FAIL congestion-control-comparison: " text; failed = 1 }
    {
        for (i = 1; i <= NF; ++i) { split($i, pair, "="); value[pair[1]] = pair[2] }
        name = value["control"]
        result = value["completion_us"] " " value["median_slowdown_ratio"] " " value["queue_p99_kb"]
        if (result in same) fail(name " and " same[result] " do not differ")
        same[result] = name
        for (key in value) of[name, key] = value[key]
        if (value["received_flows"] != 8 || value["drops"] != 0) fail(name " has lost something")
        if (value["max_slowdown_ratio"] < 7.8) fail(name " beats the line")
    }
    function positive(name, key) { if (!(of[name, key] > 0)) fail(name " has no " key) }
    function none(name, key) { if (of[name, key] != 0) fail(name " has " of[name, key] " " key) }
    END {
        positive("Dcqcn", "cnps"); positive("DcqcnDevice", "cnps")
        positive("Hpcc", "queue_telemetry_acks"); positive("PowerTcp", "queue_telemetry_acks")
        none("Hpcc", "pauses"); none("PowerTcp", "pauses")
        positive("DctcpWindow", "marked_acks"); positive("Nscc", "marked_acks")
        positive("NoCongestionControl", "pauses")
        none("IdealFairShare", "pauses"); none("IdealFairShare", "ecn_marks")
        none("Dcqcn", "queue_telemetry_acks")
        # delays are what these see: far above those without a queue
        if (of["Swift", "rtt_p99_us"] < 25) fail("Swift sees no delay")
        if (of["Timely", "rtt_p99_us"] < 50) fail("Timely sees no delay")
        if (of["Nscc", "rtt_p99_us"] < 2 * of["IdealFairShare", "rtt_p99_us"]) fail("Nscc sees no delay")
        for (result in same)
            if (of[same[result], "queue_max_kb"] < of["IdealFairShare", "queue_max_kb"])
                fail(same[result] " has a shorter queue than the ideal")
        exit failed
    }' output || failures=$((failures + 1))
((compared >= 10)) || {
    echo "FAIL congestion-control-comparison: $compared controls"
    failures=$((failures + 1))
}
expect 0 'results' congestion-control-comparison --quiet --traffics=hadoop --controls=Dcqcn,IdealFairShare --accelerators=16 --durationUs=50
for file in report.txt comparison.csv slowdown.csv comparison.json manifest.json hadoop.gp hadoop-Dcqcn-flows.csv; do
    [[ -s congestion-control-comparison/$file ]] || {
        echo "FAIL congestion-control-comparison wrote no $file"
        failures=$((failures + 1))
    }
done

# hash PREFIX... : of the frames of an iteration in which flows collide
hash() {
    "$@" "$examples/training-iteration" --quiet --summary "${small[@]}" --fabric=fat-tree --traceHash $engine |
        grep -o 'trace_hash=.*'
}
engine=
first=$(hash env)
for run in env 'setarch -R' default radix; do
    [[ $run != default ]] || engine=--SimulatorImplementationType=ns3::DefaultSimulatorImpl
    [[ $run != radix ]] || engine+=" --SchedulerType=ns3::llm::RadixScheduler"
    command=$run
    [[ $run != default && $run != radix ]] || command=env
    # shellcheck disable=SC2086
    again=$(hash $command)
    if [[ ! $first || $again != "$first" ]]; then
        echo "FAIL trace hash '$first' and, with $run, '$again'"
        failures=$((failures + 1))
    fi
done

((failures == 0)) && echo "examples: no failure"
exit $((failures > 0))
