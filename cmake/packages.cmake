# What Rhumb stands on. Everything comes from Debian packages; `./run` installs what is missing.
include(GNUInstallDirs)
option(RHUMB_TESTS "build the tests" ON)

find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C CXX)
find_package(fmt 9 REQUIRED)
pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET petsc>=3.18)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi)
pkg_check_modules(YAMLCPP REQUIRED IMPORTED_TARGET yaml-cpp)
# Debian's Python is the one that has Debian's h5py and matplotlib, whatever else is on the PATH.
set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "the Python for postprocess and tests")
find_package(Python3 REQUIRED COMPONENTS Interpreter)
