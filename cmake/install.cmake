# The installed package: archives and headers of all rooms, the drivers, `find_package(rhumb)` and `pkg-config rhumb`.
include(CMakePackageConfigHelpers)
get_property(rooms GLOBAL PROPERTY RHUMB_ROOMS)
get_property(drivers GLOBAL PROPERTY RHUMB_DRIVERS)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rhumb)

install(TARGETS rhumb ${rooms} EXPORT rhumb ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(drivers)
  install(TARGETS ${drivers} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/rhumb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

install(EXPORT rhumb NAMESPACE rhumb:: FILE rhumb-targets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/rhumb-config.cmake.in rhumb-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(rhumb-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rhumb-config.cmake ${PROJECT_BINARY_DIR}/rhumb-config-version.cmake
  DESTINATION ${package_folder})

# Archives that use each other: as a group, their order does not matter. With whole names, because the module that
# PETSc programs load, librhumb_ts.so, lies beside an archive of that name.
list(TRANSFORM rooms REPLACE "(.+)" "-l:lib\\1.a" OUTPUT_VARIABLE room_archives)
list(JOIN room_archives " " room_archives)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up_to_prefix)
configure_file(cmake/rhumb.pc.in rhumb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rhumb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
