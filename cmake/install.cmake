# The installed package: one library of all rooms, shared or static or both, the public headers, the drivers,
# `find_package(rhumb)` and `pkg-config rhumb`. The components library, development, tools and python become Debian
# packages (package.cmake).
include(CMakePackageConfigHelpers)
get_property(rooms GLOBAL PROPERTY RHUMB_ROOMS)
get_property(drivers GLOBAL PROPERTY RHUMB_DRIVERS)
get_property(public_headers GLOBAL PROPERTY RHUMB_PUBLIC_HEADERS)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rhumb)

# By their files: to look for HDF5 or LAPACK a user's project would need C.
get_target_property(hdf5_library hdf5::hdf5 IMPORTED_LOCATION)
if(NOT hdf5_library)
  set(hdf5_library ${HDF5_C_LIBRARIES})
endif()

list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
function(rhumb_library kind)
  string(TOUPPER ${kind} type)
  add_library(rhumb_${kind} ${type} ${objects})
  set_target_properties(rhumb_${kind} PROPERTIES OUTPUT_NAME rhumb EXPORT_NAME rhumb LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_compile_features(rhumb_${kind} INTERFACE cxx_std_20)
  # MPI's classes for C++, gone since MPI 3, are a tenth of what a small program takes to compile.
  target_compile_definitions(rhumb_${kind} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(rhumb_${kind} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Public headers include those of the first line.
  target_link_libraries(rhumb_${kind} PUBLIC PkgConfig::PETSC MPI::MPI_CXX fmt::fmt
    PRIVATE ${hdf5_library} ${LAPACK_LIBRARIES} PkgConfig::YAMLCPP)
  install(TARGETS rhumb_${kind} EXPORT rhumb-${kind}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT rhumb-${kind} NAMESPACE rhumb:: FILE rhumb-${kind}.cmake DESTINATION ${package_folder}
    COMPONENT development)
endfunction()

# The same for those who do not use CMake. PETSc, fmt and yaml-cpp have a .pc file everywhere, MPI and HDF5 have not.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up_to_prefix)
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE mpi_flags)
list(JOIN mpi_flags " " mpi_flags)
list(JOIN MPI_CXX_LIBRARIES " " mpi_libraries)
list(JOIN hdf5_library " " hdf5_words)
list(JOIN LAPACK_LIBRARIES " " lapack_words)
function(rhumb_pc_file name requires libraries)
  configure_file(cmake/rhumb.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

if(RHUMB_STATIC)
  rhumb_library(static)
  rhumb_pc_file(rhumb-static ", yaml-cpp" "-l:librhumb.a ${hdf5_words} ${lapack_words}")
endif()
if(RHUMB_SHARED)
  rhumb_library(shared)
  rhumb_pc_file(rhumb "" "-lrhumb")
elseif(RHUMB_STATIC)
  rhumb_pc_file(rhumb ", yaml-cpp" "-l:librhumb.a ${hdf5_words} ${lapack_words}")
else()
  message(FATAL_ERROR "RHUMB_SHARED and RHUMB_STATIC are both off: there is no library to install")
endif()

if(drivers)
  install(TARGETS ${drivers} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  # Cases name meshes as in the source tree.
  install(DIRECTORY apps DESTINATION ${CMAKE_INSTALL_DATADIR}/rhumb COMPONENT tools FILES_MATCHING PATTERN *.yaml)
  install(DIRECTORY meshes postprocess DESTINATION ${CMAKE_INSTALL_DATADIR}/rhumb USE_SOURCE_PERMISSIONS COMPONENT tools
    PATTERN __pycache__ EXCLUDE)
endif()

configure_package_config_file(cmake/rhumb-config.cmake.in rhumb-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(rhumb-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rhumb-config.cmake ${PROJECT_BINARY_DIR}/rhumb-config-version.cmake cmake/petsc.cmake
  DESTINATION ${package_folder} COMPONENT development)

# Which headers the public ones include is looked up when they are installed: with the rest of the development files, or
# alone as `headers`, which needs no library to be built.
foreach(component development headers)
  install(CODE "
  set(public_headers \"${public_headers}\")
  set(source_folders \"${PROJECT_SOURCE_DIR}/src;${PROJECT_BINARY_DIR}/include\")
  set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")" COMPONENT ${component})
endforeach()
