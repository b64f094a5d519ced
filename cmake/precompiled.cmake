# Headers of others that most sources include, read by the compiler once: 1 to 2 seconds less for every source. One set for
# libraries, one for programs and one for tests, because their code is addressed differently or they include GoogleTest.
# Off with a compiler cache, which knows neither a precompiled header nor what it came from, and where it was not tried.
set(rhumb_precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(rhumb_precompile OFF)
endif()
option(RHUMB_PRECOMPILE "read the headers of PETSc, fmt, GoogleTest and the standard library once" ${rhumb_precompile})

set(rhumb_common_headers <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map>
  <memory> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h> <petscdmda.h> <petscksp.h>)

# rhumb_header_set(NAME HEADERS ... PACKAGES ... OPTIONS ...)
function(rhumb_header_set name)
  if(NOT RHUMB_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(SET "" "" "HEADERS;PACKAGES;OPTIONS" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/include/rhumb_headers_of_${name}.cpp "") # CMake wants a source
  add_library(rhumb_headers_of_${name} OBJECT ${PROJECT_BINARY_DIR}/include/rhumb_headers_of_${name}.cpp)
  target_compile_features(rhumb_headers_of_${name} PUBLIC cxx_std_20)
  target_link_libraries(rhumb_headers_of_${name} PRIVATE PkgConfig::PETSC MPI::MPI_CXX fmt::fmt ${SET_PACKAGES} rhumb_flags)
  target_compile_options(rhumb_headers_of_${name} PRIVATE ${SET_OPTIONS})
  target_precompile_headers(rhumb_headers_of_${name} PRIVATE ${rhumb_common_headers} ${SET_HEADERS})
  if(SET_OPTIONS)
    set_target_properties(rhumb_headers_of_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
endfunction()

# rhumb_use_headers(TARGET NAME): its sources find the headers of the set NAME read.
function(rhumb_use_headers target name)
  if(RHUMB_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM rhumb_headers_of_${name})
  endif()
endfunction()

rhumb_header_set(libraries)
rhumb_header_set(programs OPTIONS -fPIE)
