# One folder under src/rhumb is one room: one target `rhumb_<name>`, one namespace. A room links only the rooms it names
# here, so a call that goes against the arrows does not link; tests/headers looks at the includes.
add_library(rhumb_flags INTERFACE)
target_compile_options(rhumb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# To Clang -Wconversion is also about signs, and GCC's hints for loops are unknown.
target_compile_options(rhumb_flags INTERFACE
  "$<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion;-Wno-unknown-attributes;-Wno-unknown-pragmas>")

include(cmake/precompiled.cmake)

configure_file(src/rhumb/version.hpp.in include/rhumb/version.hpp @ONLY)

set_property(GLOBAL PROPERTY RHUMB_ROOMS "")
set_property(GLOBAL PROPERTY RHUMB_DRIVERS "")
set_property(GLOBAL PROPERTY RHUMB_PUBLIC_HEADERS rhumb/rhumb.hpp rhumb/version.hpp)

# rhumb_room(NAME SOURCES a.cpp ... HEADERS a.hpp ... USES core dae ... PACKAGES PkgConfig::PETSC ...)
# HEADERS are those that a user includes; they are installed with all they include. A package that is new here also
# needs a line in install.cmake and rhumb-config.cmake.in.
function(rhumb_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;HEADERS;USES;PACKAGES" ${ARGN})
  add_library(rhumb_${name} STATIC ${ROOM_SOURCES})
  add_library(rhumb::${name} ALIAS rhumb_${name})
  target_compile_features(rhumb_${name} PUBLIC cxx_std_20)
  target_include_directories(rhumb_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include)
  list(TRANSFORM ROOM_USES PREPEND rhumb_)
  target_link_libraries(rhumb_${name} PUBLIC ${ROOM_USES} ${ROOM_PACKAGES} PRIVATE rhumb_flags)
  rhumb_use_headers(rhumb_${name} libraries)
  set_property(GLOBAL APPEND PROPERTY RHUMB_ROOMS rhumb_${name})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE prefix)
  list(TRANSFORM ROOM_HEADERS PREPEND ${prefix}/)
  set_property(GLOBAL APPEND PROPERTY RHUMB_PUBLIC_HEADERS ${ROOM_HEADERS})
endfunction()

# rhumb_driver(NAME SOURCES a.cpp ... USES run ...): the program `build/apps/rhumb-NAME`.
function(rhumb_driver name)
  cmake_parse_arguments(DRIVER "" "" "SOURCES;USES" ${ARGN})
  add_executable(rhumb-${name} ${DRIVER_SOURCES})
  list(TRANSFORM DRIVER_USES PREPEND rhumb_)
  target_link_libraries(rhumb-${name} PRIVATE ${DRIVER_USES} rhumb_flags)
  rhumb_use_headers(rhumb-${name} programs)
  set_target_properties(rhumb-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/apps)
  set_property(GLOBAL APPEND PROPERTY RHUMB_DRIVERS rhumb-${name})
endfunction()

# rhumb_case_names(TARGET): it knows the names of the case files beside it, for users who gave none.
function(rhumb_case_names target)
  file(GLOB cases CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.yaml)
  list(JOIN cases ", " cases)
  target_compile_definitions(${target} PRIVATE RHUMB_CASES="${cases}")
endfunction()
