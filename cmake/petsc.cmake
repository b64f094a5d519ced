# Gives PkgConfig::PETSC: the PETSc in PETSC_DIR (and PETSC_ARCH, if it was never installed), variables of CMake or of the
# environment, else the one that pkg-config knows. Also a part of the installed package, so that its users find the same.
find_package(PkgConfig REQUIRED)
set(PETSC_DIR "$ENV{PETSC_DIR}" CACHE PATH "where PETSc is; empty: ask pkg-config")
set(PETSC_ARCH "$ENV{PETSC_ARCH}" CACHE STRING "the build in PETSC_DIR; empty for an installed PETSc")

set(rhumb_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
set(rhumb_petsc_modules "PETSc>=3.18" "petsc>=3.18")
if(PETSC_DIR)
  file(GLOB rhumb_petsc_pc ${PETSC_DIR}/${PETSC_ARCH}/lib*/pkgconfig/PETSc.pc ${PETSC_DIR}/${PETSC_ARCH}/lib*/pkgconfig/petsc.pc)
  if(NOT rhumb_petsc_pc)
    message(FATAL_ERROR "PETSC_DIR is ${PETSC_DIR}, PETSC_ARCH is '${PETSC_ARCH}', but there is no lib/pkgconfig/PETSc.pc in them")
  endif()
  list(GET rhumb_petsc_pc 0 rhumb_petsc_pc)
  cmake_path(GET rhumb_petsc_pc PARENT_PATH rhumb_petsc_folder)
  cmake_path(GET rhumb_petsc_pc STEM rhumb_petsc_modules)
  string(APPEND rhumb_petsc_modules ">=3.18")
  set(ENV{PKG_CONFIG_PATH} "${rhumb_petsc_folder}:${rhumb_pkg_config_path}")
endif()
pkg_search_module(PETSC REQUIRED IMPORTED_TARGET ${rhumb_petsc_modules})
pkg_get_variable(rhumb_petsc_folder ${PETSC_MODULE_NAME} pcfiledir)
set(ENV{PKG_CONFIG_PATH} "${rhumb_pkg_config_path}")

# CMake remembers the libraries it has found: a PETSC_DIR that comes later would be half heeded.
if(DEFINED CACHE{RHUMB_PETSC_FOLDER} AND NOT RHUMB_PETSC_FOLDER STREQUAL rhumb_petsc_folder)
  message(FATAL_ERROR "this build folder has the PETSc of ${RHUMB_PETSC_FOLDER}; for the one of ${rhumb_petsc_folder} "
    "configure anew with cmake --fresh")
endif()
set(RHUMB_PETSC_FOLDER "${rhumb_petsc_folder}" CACHE INTERNAL "where PETSc's .pc file is")
