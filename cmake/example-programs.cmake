# SPDX-License-Identifier: GPL-2.0-only
# Which files of examples/ make which program; read by both ways of building. NAME.cc is a program.
# A file with a header of its own is a part of the program with whose name its own begins:
# bench-plan.cc, beside which lies bench-plan.h, belongs to bench.cc.

# profile-operators runs OpenBLAS, and cuBLAS where CUDA's toolkit is. The header that is looked for is
# one that only OpenBLAS has: others have a cblas.h too.
find_path(LLM_FABRIC_OPENBLAS_INCLUDE openblas_config.h
          PATH_SUFFIXES openblas-pthread openblas-serial openblas-openmp openblas
)
find_library(LLM_FABRIC_OPENBLAS openblas PATH_SUFFIXES openblas-pthread)
find_package(CUDAToolkit QUIET)

# Sets up the libraries of profile-operators in OUT_LIBRARIES_profile-operators, or says in OUT_MISSING
# what it lacks.
function(llm_fabric_find_blas out folder)
  if(NOT LLM_FABRIC_OPENBLAS_INCLUDE OR NOT LLM_FABRIC_OPENBLAS)
    set(${out}_MISSING "needs OpenBLAS, which CMake did not find (Debian: libopenblas-dev)"
        PARENT_SCOPE
    )
    return()
  endif()
  set(libraries ${LLM_FABRIC_OPENBLAS})
  set_source_files_properties(
    ${folder}/profile-operators-kernels.cc PROPERTIES INCLUDE_DIRECTORIES
                                                      ${LLM_FABRIC_OPENBLAS_INCLUDE}
  )
  # as paths: ns-3 takes a target of another project for a module that is missing
  if(CUDAToolkit_FOUND AND CUDA_cublas_LIBRARY AND CUDA_cudart_LIBRARY)
    list(APPEND libraries ${CUDA_cublas_LIBRARY} ${CUDA_cudart_LIBRARY})
    set_source_files_properties(
      ${folder}/profile-operators-cuda.cc
      PROPERTIES COMPILE_DEFINITIONS LLM_FABRIC_CUDA INCLUDE_DIRECTORIES
                                                     "${CUDAToolkit_INCLUDE_DIRS}"
    )
  endif()
  set(${out}_LIBRARIES_profile-operators ${libraries} PARENT_SCOPE)
endfunction()

# Sets OUT to the names of the programs, OUT_NAME to the sources of each, and OUT_LIBRARIES_NAME to
# libraries of others that it needs. What lacks one is left out, and examples-left-out.txt says why.
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
  set(left_out "")
  llm_fabric_find_blas(${out} ${folder})
  set(${out}_LIBRARIES_profile-operators ${${out}_LIBRARIES_profile-operators} PARENT_SCOPE)
  foreach(file ${programs})
    get_filename_component(name ${file} NAME_WE)
    if(name STREQUAL profile-operators AND ${out}_MISSING)
      message(STATUS "example ${name} is left out: it ${${out}_MISSING}")
      set(left_out "${name}: ${${out}_MISSING}\n")
      continue()
    endif()
    list(APPEND names ${name})
    set(sources ${parts})
    list(FILTER sources INCLUDE REGEX "/${name}-[^/]*$")
    set(${out}_${name} ${file} ${sources} PARENT_SCOPE)
  endforeach()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/examples-left-out.txt "${left_out}")
  set(${out} ${names} PARENT_SCOPE)
endfunction()
