# SPDX-License-Identifier: GPL-2.0-only
# The library, built against an installed ns-3.
include(GNUInstallDirs)
include(cmake/find-ns3.cmake)
if(NOT ns3_FOUND)
  message(FATAL_ERROR "no installed ns-3 was found (Debian: packages ns3 and libns3-dev)")
endif()
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.74 REQUIRED)
message(STATUS "ns-3 ${ns3_VERSION} from ${ns3_DIR}")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# ns-3 does not export the C++ standard that its headers need.
if(ns3_VERSION VERSION_GREATER_EQUAL 3.46 OR ns3_VERSION MATCHES dev)
  set(CMAKE_CXX_STANDARD 23)
elseif(ns3_VERSION VERSION_GREATER_EQUAL 3.41)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_program(ccache ccache)
if(ccache AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache})
endif()
set(llm_warnings -Wall -Wextra -Wpedantic -Werror)

# The data files lie in the source and, once installed, in the prefix.
string(APPEND llm_data :${CMAKE_INSTALL_FULL_DATADIR}/llm-fabric)

# LLM_FABRIC_SANITIZE: a value for -fsanitize, as the presets asan and tsan give it.
if(LLM_FABRIC_SANITIZE)
  add_compile_options(
    -fsanitize=${LLM_FABRIC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
  )
  # with sanitizers GCC 12 sees uninitialized members in the std::function of a std::regex
  list(APPEND llm_warnings -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${LLM_FABRIC_SANITIZE})
endif()

# Headers are reached as "ns3/x.h" in both ways of building: stage one-line stubs, and the umbrella
# header that ns-3 makes by itself in its own tree.
set(llm_stage ${CMAKE_CURRENT_BINARY_DIR}/include)
set(llm_umbrella "// Every public header of llm-fabric, for a user's own programs.\n#pragma once\n")
foreach(header ${llm_headers})
  get_filename_component(name ${header} NAME)
  file(CONFIGURE OUTPUT ${llm_stage}/ns3/${name}
       CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n"
  )
  string(APPEND llm_umbrella "#include \"ns3/${name}\"\n")
endforeach()
file(CONFIGURE OUTPUT ${llm_stage}/ns3/llm-fabric-module.h CONTENT "${llm_umbrella}")

set(llm_ns3_modules core network traffic-control internet applications)
llm_fabric_ns3_targets(llm_link ${llm_ns3_modules})
add_library(ns3-llm-fabric SHARED ${llm_sources} ${llm_headers})
add_library(ns3::llm-fabric ALIAS ns3-llm-fabric)
set_target_properties(
  ns3-llm-fabric PROPERTIES EXPORT_NAME llm-fabric LINKER_LANGUAGE CXX
                            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
)
target_compile_features(ns3-llm-fabric PUBLIC cxx_std_${CMAKE_CXX_STANDARD})
target_include_directories(
  ns3-llm-fabric PUBLIC $<BUILD_INTERFACE:${llm_stage}>
                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
)
target_link_libraries(ns3-llm-fabric PUBLIC ${llm_link} Boost::headers nlohmann_json::nlohmann_json)
# The size of some of ns-3's classes depends on NS3_LOG_ENABLE. Debian's library was built with it,
# and exports it only from 3.43 on.
target_compile_definitions(ns3-llm-fabric PUBLIC NS3_LOG_ENABLE)
# Asserts change no layout, so ours may be on although the library's are off.
target_compile_definitions(
  ns3-llm-fabric PUBLIC $<BUILD_INTERFACE:$<$<CONFIG:Debug>:NS3_ASSERT_ENABLE>>
)
target_compile_options(ns3-llm-fabric PRIVATE ${llm_warnings})
