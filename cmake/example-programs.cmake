# SPDX-License-Identifier: GPL-2.0-only
# Which files of examples/ make which program; read by both ways of building. NAME.cc is a program.
# A file with a header of its own is a part of the program with whose name its own begins:
# bench-plan.cc, beside which lies bench-plan.h, belongs to bench.cc.

# Sets OUT to the names of the programs, and OUT_NAME to the sources of each.
function(llm_fabric_find_examples out folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cc)
  set(programs)
  set(parts)
  foreach(file ${files})
    string(REGEX REPLACE "cc$" "h" header ${file})
    if(EXISTS ${header})
      list(APPEND parts ${file})
    else()
      list(APPEND programs ${file})
    endif()
  endforeach()
  set(names)
  foreach(file ${programs})
    get_filename_component(name ${file} NAME_WE)
    list(APPEND names ${name})
    set(sources ${parts})
    list(FILTER sources INCLUDE REGEX "/${name}-[^/]*$")
    set(${out}_${name} ${file} ${sources} PARENT_SCOPE)
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
endfunction()
