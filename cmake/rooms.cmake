# One folder under src is one room: one target `rhumb_<name>`, one namespace. A room links only the rooms it names here,
# so a call that goes against the arrows does not link.
add_library(rhumb_flags INTERFACE)
target_compile_options(rhumb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(rhumb_flags INTERFACE -Werror) # Clang, of the fuzz targets, does not know all of GCC's pragmas
endif()

set_property(GLOBAL PROPERTY RHUMB_ROOMS "")
set_property(GLOBAL PROPERTY RHUMB_DRIVERS "")

# rhumb_room(NAME SOURCES a.cpp ... USES core dae ... PACKAGES PkgConfig::PETSC ...)
# A package that is new here also needs a line in rhumb-config.cmake.in and rhumb.pc.in.
function(rhumb_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;PACKAGES" ${ARGN})
  add_library(rhumb_${name} STATIC ${ROOM_SOURCES})
  add_library(rhumb::${name} ALIAS rhumb_${name})
  set_target_properties(rhumb_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(rhumb_${name} PUBLIC cxx_std_20)
  target_include_directories(rhumb_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM ROOM_USES PREPEND rhumb_)
  target_link_libraries(rhumb_${name} PUBLIC ${ROOM_USES} ${ROOM_PACKAGES} PRIVATE $<BUILD_INTERFACE:rhumb_flags>)
  set_property(GLOBAL APPEND PROPERTY RHUMB_ROOMS rhumb_${name})
endfunction()

# rhumb_driver(NAME SOURCES a.cpp ... USES run ...): the program `build/apps/rhumb-NAME`.
function(rhumb_driver name)
  cmake_parse_arguments(DRIVER "" "" "SOURCES;USES" ${ARGN})
  add_executable(rhumb-${name} ${DRIVER_SOURCES})
  list(TRANSFORM DRIVER_USES PREPEND rhumb_)
  target_link_libraries(rhumb-${name} PRIVATE ${DRIVER_USES} rhumb_flags)
  set_target_properties(rhumb-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/apps)
  set_property(GLOBAL APPEND PROPERTY RHUMB_DRIVERS rhumb-${name})
endfunction()
