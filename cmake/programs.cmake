# SPDX-License-Identifier: GPL-2.0-only
# Examples, the user's own programs, tools and tests of the standalone build.
include(cmake/example-programs.cmake)
llm_fabric_find_examples(llm_examples ${CMAKE_CURRENT_SOURCE_DIR}/examples)
llm_fabric_ns3_targets(llm_example_link point-to-point)
foreach(name ${llm_examples})
  add_executable(${name} ${llm_examples_${name}})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  target_link_libraries(
    ${name} PRIVATE ns3-llm-fabric ${llm_example_link} ${llm_examples_LIBRARIES_${name}}
  )
  target_compile_options(${name} PRIVATE ${llm_warnings})
endforeach()

# A program in scratch/ builds when it is asked for, and its warnings are no errors.
file(GLOB llm_scratch CONFIGURE_DEPENDS scratch/*.cc)
foreach(file ${llm_scratch})
  get_filename_component(name ${file} NAME_WE)
  add_executable(scratch-${name} EXCLUDE_FROM_ALL ${file})
  set_target_properties(
    scratch-${name} PROPERTIES OUTPUT_NAME ${name}
                               RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/scratch
  )
  target_link_libraries(scratch-${name} PRIVATE ns3-llm-fabric)
  target_compile_options(scratch-${name} PRIVATE -Wall)
endforeach()

# It knows no class by name, so the linker would leave the module's library out.
add_executable(llm-fabric-list-types tools/list-types.cc)
target_link_options(llm-fabric-list-types PRIVATE -Wl,--no-as-needed)
target_link_libraries(llm-fabric-list-types PRIVATE ns3-llm-fabric)
target_compile_options(llm-fabric-list-types PRIVATE ${llm_warnings})

enable_testing()
llm_fabric_ns3_targets(llm_test_link flow-monitor)
add_executable(llm-fabric-test-runner test/test-runner.cc ${llm_tests})
target_link_libraries(llm-fabric-test-runner PRIVATE ns3-llm-fabric ${llm_test_link})
target_compile_options(llm-fabric-test-runner PRIVATE ${llm_warnings})
foreach(file ${llm_tests})
  get_filename_component(name ${file} NAME)
  string(REPLACE "-test-suite.cc" "" suite ${name})
  add_test(NAME ${suite} COMMAND llm-fabric-test-runner --suite=llm-fabric-${suite} --verbose)
  # ns-3's runner answers an unknown option with its usage and success, so success alone says
  # nothing; and a finding of a sanitizer at exit comes after the suite has passed.
  set_tests_properties(
    ${suite} PROPERTIES PASS_REGULAR_EXPRESSION "PASS llm-fabric-${suite}"
                        FAIL_REGULAR_EXPRESSION "Sanitizer: |runtime error: "
  )
endforeach()

# The engine alone with the suite that has threads: what the thread sanitizer needs, in seconds instead
# of the minutes of the whole library. ns-3's libraries know nothing of the sanitizer, which sees their
# locks all the same, and has nothing to say about them.
set(llm_engine_sources ${llm_sources})
list(FILTER llm_engine_sources INCLUDE REGEX "^model/engine/")
llm_fabric_ns3_targets(llm_engine_link core)
add_executable(
  llm-fabric-thread-test EXCLUDE_FROM_ALL test/test-runner.cc test/engine-simulator-test-suite.cc
                                          ${llm_engine_sources}
)
target_include_directories(llm-fabric-thread-test PRIVATE ${llm_stage})
target_link_libraries(llm-fabric-thread-test PRIVATE ${llm_engine_link})
target_compile_definitions(
  llm-fabric-thread-test PRIVATE NS3_LOG_ENABLE $<$<CONFIG:Debug>:NS3_ASSERT_ENABLE>
)
target_compile_options(llm-fabric-thread-test PRIVATE ${llm_warnings})

find_path(llm_ns3_include ns3/core-config.h REQUIRED)
add_test(NAME structure COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/structure.sh
                                ${CMAKE_CURRENT_SOURCE_DIR} ${llm_ns3_include}/ns3
)
add_test(NAME structure-findings COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/structure-findings.sh)
add_test(NAME attribute-tables COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/attribute-tables
                                       $<TARGET_FILE:llm-fabric-list-types>
)
add_test(NAME launcher COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/launcher.sh)
if(NOT LLM_FABRIC_SANITIZE)
  add_test(NAME examples COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/examples.sh
                                 ${CMAKE_BINARY_DIR}/examples
  )
  add_test(NAME bench COMMAND ${CMAKE_COMMAND} -DBENCH=$<TARGET_FILE:bench>
                              -P ${CMAKE_CURRENT_SOURCE_DIR}/test/bench.cmake
  )
  add_test(NAME user-program COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/user-program/check.sh
                                     ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_CXX_COMPILER}
  )
  add_test(NAME pcap COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test/pcap.sh ${CMAKE_BINARY_DIR}/examples)
  set_tests_properties(pcap PROPERTIES SKIP_RETURN_CODE 77)
endif()
