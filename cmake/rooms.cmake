# One folder under src is one room: one target `rhumb_<name>`, one namespace. A room links only the rooms it names here,
# so a call that goes against the arrows does not link.
add_library(rhumb_flags INTERFACE)
target_compile_options(rhumb_flags INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror>)

set_property(GLOBAL PROPERTY RHUMB_ROOMS "")

# rhumb_room(NAME SOURCES a.cpp ... USES core dae ... PACKAGES PkgConfig::PETSC ...)
function(rhumb_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;PACKAGES" ${ARGN})
  add_library(rhumb_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(rhumb_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/rhumb>)
  list(TRANSFORM ROOM_USES PREPEND rhumb_)
  target_link_libraries(rhumb_${name} PUBLIC ${ROOM_USES} ${ROOM_PACKAGES} PRIVATE $<BUILD_INTERFACE:rhumb_flags>)
  set_property(GLOBAL APPEND PROPERTY RHUMB_ROOMS rhumb_${name})
endfunction()
