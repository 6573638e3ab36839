# SPDX-License-Identifier: GPL-2.0-only
# Usage: cmake -DBENCH=PROGRAM -P test/bench.cmake
# Runs a quick benchmark and checks all that does not depend on the speed of the machine: which rows
# there are, how many frames and hops each has, and that modes, engines and observers change nothing
# but the time. It has 16 hosts, k = 4: a host has one neighbor at its edge switch (2 links away), two
# in its pod (4) and twelve beyond (6).
cmake_minimum_required(VERSION 3.20)
set(failures 0)

# expect(IS SHOULD WHAT): two numbers or texts are equal
function(expect is should what)
  if(NOT "${is}" STREQUAL "${should}")
    message("FAIL ${what}: ${is}, expected ${should}")
    math(EXPR failures "${failures} + 1")
    set(failures ${failures} PARENT_SCOPE)
  endif()
endfunction()

# expect_that(WHAT CONDITION...): a condition of if() holds
macro(expect_that what)
  if(NOT (${ARGN}))
    message("FAIL ${what}: not ${ARGN}")
    math(EXPR failures "${failures} + 1")
  endif()
endmacro()

# refused(WORDS ARGS...): the program refuses its arguments with status 2 and these words
macro(refused words)
  execute_process(COMMAND ${BENCH} ${ARGN} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE error)
  expect("${status}" 2 "status of bench ${ARGN}")
  expect_that("bench ${ARGN}" "error" MATCHES "${words}")
endmacro()

# read_row(INDEX): set the variables row_KEY to the fields of a row
macro(read_row index)
  foreach(key workload mode observed control engine hops events events_per_hop ns_per_hop peak_bytes
              simulated_us data_frames retransmissions payload_bytes notifications pauses times_raw_hop
              times_windowed_raw_hop times_udp_hop
  )
    string(JSON row_${key} GET "${json}" rows ${index} ${key})
  endforeach()
endmacro()

refused("--quick and --full" --quick --full)
refused("cannot be written" --json=/no/such/folder/bench.json)
refused("--rounds=0 is not allowed" --rounds=0)

string(RANDOM LENGTH 12 word)
set(file $ENV{TMPDIR})
if(NOT file)
  set(file /tmp)
endif()
string(APPEND file /llm-fabric-bench-${word}.json)
execute_process(COMMAND ${BENCH} --quick --json=${file} RESULT_VARIABLE status OUTPUT_VARIABLE table)
expect("${status}" 0 "status of bench --quick")
file(READ ${file} json)
file(REMOVE ${file})
foreach(words "raw hop +16 links, line rate" "raw hop, windowed +16 links, window 1" "UDP/IP over 4 links"
              "lock-step" "observed" "a host with its share"
)
  expect_that("the printed table" "table" MATCHES "${words}")
endforeach()

# data frames of a run, and hops of all data frames and ACKs
set(frames_shift 8000) # 16 hosts x 2 MB / 4000 B
set(frames_incast 750) # 15 x 50
set(frames_all-to-all 1200) # 240 pairs x 5
set(frames_ring 1920) # 30 steps x 16 x 4
set(frames_lock-step 4096) # 64 steps x 16 x 4
set(hops_shift 96000) # six links, there and back
set(hops_incast 8200) # 2 + 2 x 4 + 12 x 6 = 82 links, 50 frames there and back
set(hops_all-to-all 13120) # 16 x 82 links, 5 frames
set(hops_ring 13440) # 8 x 2 + 4 x 4 + 4 x 6 = 56 links, 30 steps of 4 frames
set(hops_lock-step 28672) # 56 links, 64 steps
# where nothing waits for anything: two arrivals at a NIC and a wake-up of one per data frame, a
# request per message (480 and 1024), a timer per host
set(nic_events_ring 6256)
set(nic_events_lock-step 13328)
# and batches of switches, of four arrivals (9600 and 20480) at least in the mean
set(most_events_ring 8656)
set(most_events_lock-step 18448)

# the raw hops: 32 directions of 20 packets. A packet takes an event of its source, if that sends at
# line rate, the end of its transmission and its reception; a node and its device are initialized, and
# the first of a window is sent, in one each.
string(JSON hops GET "${json}" references 0 hops)
expect(${hops} 640 "hops at line rate")
string(JSON events GET "${json}" references 0 events)
expect(${events} 1984 "events at line rate") # 3 x 640 + 2 x 32
string(JSON hops GET "${json}" references 1 hops)
expect(${hops} 640 "hops with a window")
string(JSON events GET "${json}" references 1 events)
expect(${events} 1376 "events with a window") # 2 x 640 + 3 x 32

string(JSON rows LENGTH "${json}" rows)
math(EXPR last "${rows} - 1")
set(seen)
set(controls)
foreach(index RANGE ${last})
  read_row(${index})
  set(what "${row_workload} (${row_mode}, observed ${row_observed}, ${row_control}, ${row_engine})")
  list(APPEND seen ${row_workload})
  list(APPEND controls ${row_control})
  expect(${row_data_frames} ${frames_${row_workload}} "data frames of ${what}")
  expect(${row_retransmissions} 0 "retransmissions of ${what}")
  math(EXPR payload "${row_data_frames} * 4000")
  expect(${row_payload_bytes} ${payload} "payload of ${what}")

  # on top of data and ACKs come notifications, each over at most six links, and PFC frames, of which
  # each that stops is followed by one that lifts it
  math(EXPR most "${hops_${row_workload}} + 6 * ${row_notifications} + 2 * ${row_pauses}")
  if(row_workload STREQUAL "shift")
    expect(${row_hops} ${most} "hops of ${what}")
  else()
    expect_that("hops of ${what}" row_hops GREATER_EQUAL ${hops_${row_workload}} AND row_hops LESS_EQUAL ${most})
  endif()
  foreach(key ns_per_hop peak_bytes times_raw_hop times_windowed_raw_hop times_udp_hop)
    expect_that("${key} of ${what}" row_${key} GREATER 0)
  endforeach()

  if(row_mode STREQUAL "reference")
    foreach(key hops simulated_us notifications pauses)
      expect("${row_${key}}" "${before_${key}}" "${key} of ${what}, beside the usual mode")
    endforeach()
    expect_that("events of ${what}" row_events_per_hop GREATER_EQUAL 1)
  else()
    if(row_observed STREQUAL "ON")
      # an event for each arrival, so that the observer sees them in their order
      expect_that("events of ${what}" row_events_per_hop GREATER_EQUAL 1 AND row_events_per_hop LESS 1.25)
    else()
      expect_that("events of ${what}" row_events_per_hop LESS 0.65)
    endif()
    if(DEFINED nic_events_${row_workload})
      expect_that("events of ${what}" row_events GREATER nic_events_${row_workload})
      expect_that("events of ${what}" row_events LESS_EQUAL most_events_${row_workload})
    endif()
    if(row_workload STREQUAL "shift" AND NOT DEFINED shift_hops)
      foreach(key hops simulated_us events_per_hop)
        set(shift_${key} ${row_${key}})
      endforeach()
    elseif(row_workload STREQUAL "shift" AND row_control STREQUAL "ns3::llm::Dcqcn")
      foreach(key hops simulated_us)
        expect("${row_${key}}" "${shift_${key}}" "${key} of ${what}, beside the usual shift")
      endforeach()
      if(row_observed STREQUAL "OFF")
        expect("${row_events_per_hop}" "${shift_events_per_hop}" "events of ${what}, beside the usual shift")
      endif()
      list(APPEND seen ${row_observed} ${row_engine})
    endif()
  endif()
  foreach(key hops simulated_us notifications pauses)
    set(before_${key} ${row_${key}})
  endforeach()
endforeach()
foreach(name shift incast all-to-all ring lock-step ON ns3::DefaultSimulatorImpl)
  expect_that("a row of ${name}" name IN_LIST seen)
endforeach()
expect_that("a row of every control" "ns3::llm::NoCongestionControl" IN_LIST controls)

# memory is the module's promise, and does not depend on the speed of the machine
string(JSON bytes GET "${json}" memory bytes_per_host)
expect_that("bytes of a host" bytes GREATER 1000 AND bytes LESS 17000)
string(JSON bytes GET "${json}" memory bytes_per_queue_pair)
expect_that("bytes of a queue pair" bytes GREATER 100 AND bytes LESS 1000)
string(JSON bytes GET "${json}" memory sizes Frame)
expect_that("bytes of a frame" bytes LESS_EQUAL 72)

if(failures GREATER 0)
  message(FATAL_ERROR "bench: ${failures} failures")
endif()
message("bench: ${rows} rows, no failure")
