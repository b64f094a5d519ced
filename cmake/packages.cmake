# What Rhumb stands on. On Debian `./run` installs what is missing; elsewhere CMAKE_PREFIX_PATH, PKG_CONFIG_PATH,
# PETSC_DIR, HDF5_ROOT and Python3_ROOT_DIR say where it is.
include(GNUInstallDirs)
option(RHUMB_TESTS "build the tests" ON)
option(RHUMB_SHARED "build and install the shared library" ON)
option(RHUMB_STATIC "build and install the static library" OFF)

find_package(MPI REQUIRED COMPONENTS C CXX)
find_package(fmt 9 REQUIRED)
include(cmake/petsc.cmake)
set(HDF5_PREFER_PARALLEL ON) # the one that PETSc has, where it has one; we call nothing parallel in it
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(LAPACK REQUIRED) # the one that PETSc has: BLA_VENDOR and CMAKE_PREFIX_PATH choose another
pkg_check_modules(YAMLCPP REQUIRED IMPORTED_TARGET yaml-cpp)

# Debian's Python is the one that has Debian's h5py and matplotlib, whatever else is on the PATH or active.
if(EXISTS /etc/debian_version AND NOT Python3_ROOT_DIR)
  set(Python3_ROOT_DIR /usr)
  set(Python3_FIND_STRATEGY LOCATION)
  set(Python3_FIND_VIRTUALENV STANDARD)
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
