# SPDX-License-Identifier: GPL-2.0-only
# Read by ns-3's test.py: the examples that it runs to see that they end well, each with
# (command with arguments, whether to run it, whether to run it under valgrind).
cpp_examples = [
    ("bench --quick", "True", "False"),
    ("bench-events --events=1000 --rounds=1", "True", "False"),
    ("collective --accelerators=16 --bytes=1048576 --summary", "True", "False"),
    (
        "collective-benchmark --algorithms=auto,BruckAlgorithm --operations=all-gather "
        "--fabric=rail-only,fat-tree --maxBytes=65536 --seeds=2 --summary --quiet",
        "True",
        "False",
    ),
    (
        "congestion-control-comparison --controls=Hpcc,IdealFairShare --traffics=incast "
        "--bytes=1000000 --summary --quiet",
        "True",
        "False",
    ),
    ("custom-congestion-control --summary", "True", "False"),
    ("deepep-comparison --most=16 --share=64 --summary --quiet", "True", "False"),
    ("flow-traffic --accelerators=16 --durationUs=50 --summary --quiet", "True", "False"),
    (
        "rail-forwarding --platforms=H100 --accelerators=16 --domainSize=4 --bytes=262144 --summary "
        "--quiet",
        "True",
        "False",
    ),
    ("rail-only-cost --summary", "True", "False"),
    ("rail-only-hb-domain --summary", "True", "False"),
    ("two-cs-comp-vs-comm --summary", "True", "False"),
    ("fluid-error --accelerators=4 --bytes=65536 --places=domain", "True", "False"),
    ("memory-by-strategy --output=memory-by-strategy-report", "True", "False"),
    (
        "strategy-search --model=gpt2 --accelerators=4 --domainSize=2 --globalBatch=8 "
        "--sequenceLength=256 --best=1 --summary --quiet",
        "True",
        "False",
    ),
    ("validate --simulate=false --only=memory --summary", "True", "False"),
    ("tcp-beside-rdma --durationUs=500", "True", "False"),
    ("operator-profiles --summary", "True", "False"),
    (
        "profile-operators --hidden=128 --sequences=32 --batches=1,2 --tensorParallel=1 "
        "--base=128x32x1x1 --rounds=1 --repeats=1 --summary --quiet",
        "True",
        "False",
    ),
    ("nccl-bus-bandwidth --only=MI300X --mostNicBytes=10000000 --summary --quiet", "True", "False"),
    (
        "training-iteration --model=gpt2 --tp=4 --dp=4 --accelerators=16 --fabric=rail-only --quiet",
        "True",
        "False",
    ),
    ("training-timeline --accelerators=2 --tp=1 --pp=2 --microBatches=2 --domainSize=1", "True", "False"),
]
python_examples = []
