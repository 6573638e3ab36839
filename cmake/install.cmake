# SPDX-License-Identifier: GPL-2.0-only
# Install the library for programs outside this tree, found by CMake or by pkg-config.
include(CMakePackageConfigHelpers)
install(TARGETS ns3-llm-fabric EXPORT ns3-llm-fabric-targets)
install(FILES ${llm_headers} ${llm_stage}/ns3/llm-fabric-module.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3
)
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/llm-fabric)

set(llm_package ${CMAKE_INSTALL_LIBDIR}/cmake/ns3-llm-fabric)
install(EXPORT ns3-llm-fabric-targets NAMESPACE ns3:: DESTINATION ${llm_package})
configure_package_config_file(
  cmake/ns3-llm-fabric-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ns3-llm-fabric-config.cmake
  INSTALL_DESTINATION ${llm_package} NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/ns3-llm-fabric-config-version.cmake COMPATIBILITY SameMinorVersion
)
install(FILES cmake/find-ns3.cmake ${CMAKE_CURRENT_BINARY_DIR}/ns3-llm-fabric-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/ns3-llm-fabric-config-version.cmake
        DESTINATION ${llm_package}
)

# ns-3's own .pc files name paths of the machine that built them, so ours names the libraries.
set(llm_pc_libs)
set(llm_pc_includes)
foreach(target ${llm_link})
  get_target_property(location ${target} LOCATION)
  string(APPEND llm_pc_libs " ${location}")
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder ${folders})
    if(EXISTS ${folder}/ns3 AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      list(APPEND llm_pc_includes " -I${folder}")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES llm_pc_includes)
list(JOIN llm_pc_includes "" llm_pc_includes)
file(RELATIVE_PATH llm_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/ns3-llm-fabric.pc.in ns3-llm-fabric.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ns3-llm-fabric.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
)
