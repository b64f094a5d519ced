# How a test joins the suite. A folder under tests/ with a CMakeLists.txt is found by itself; in it stand calls of these
# three functions. All take, after what is named below, LABELS word ... (`long`: left out of `./run tests`) and
# TIMEOUT seconds (a hang is a failure).
find_package(GTest REQUIRED)
# A limit is there for what hangs, never for what is slow: the seconds in the tests are generous on two cores, and a
# machine may be ten times slower.
set(RHUMB_TEST_PATIENCE 10 CACHE STRING "a whole number by which all limits of time in tests are multiplied")

# Open MPI refuses root unless told; in a container it may not copy between processes; two tests side by side must not be
# bound to the same core.
set(RHUMB_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_mpi_yield_when_idle=1
  OMP_NUM_THREADS=1
  GTEST_COLOR=no
  MPLBACKEND=Agg
  PYTHONDONTWRITEBYTECODE=1
  PYTHONPATH=${PROJECT_BINARY_DIR}/python:${PROJECT_SOURCE_DIR}/postprocess:${PROJECT_SOURCE_DIR}/tests/support
  RHUMB_BUILD=${PROJECT_BINARY_DIR}
  RHUMB_SOURCE=${PROJECT_SOURCE_DIR}
  RHUMB_TEST_PATIENCE=${RHUMB_TEST_PATIENCE}
  ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:exitcode=99
  LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks_of_others.txt:print_suppressions=0
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1)

rhumb_header_set(tests HEADERS <gtest/gtest.h> PACKAGES GTest::gtest OPTIONS -fPIE)

# What all tests have in common. PROCESSORS is how many cores ctest keeps free for it.
function(rhumb_describe_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT;PROCESSORS" "LABELS" ${ARGN})
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "test ${name}: unknown arguments ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 600)
  endif()
  math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * ${RHUMB_TEST_PATIENCE}")
  if(NOT TEST_PROCESSORS)
    set(TEST_PROCESSORS 1)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${RHUMB_TEST_ENVIRONMENT}" TIMEOUT ${TEST_TIMEOUT}
    PROCESSORS ${TEST_PROCESSORS} LABELS "${TEST_LABELS}")
endfunction()

# A test whose libraries are named (USES bdf io ...) needs no more of the house than these. Together they are the target and
# the label `parts`: what .ci/run builds and runs once more with sanitizers, and ./run second-compiler with Clang.
add_custom_target(parts)
function(rhumb_libraries_of_test name)
  if(ARGN)
    add_dependencies(parts test_${name})
    list(TRANSFORM ARGN PREPEND rhumb_ OUTPUT_VARIABLE libraries)
    set(part parts PARENT_SCOPE)
  else()
    set(libraries rhumb::rhumb)
  endif()
  set(libraries ${libraries} PARENT_SCOPE)
endfunction()

# rhumb_unit_test(NAME SOURCES a.cpp ... [USES room ...]): GoogleTest without MPI, for what is pure.
function(rhumb_unit_test name)
  cmake_parse_arguments(UNIT "" "" "SOURCES;USES;LABELS;TIMEOUT" ${ARGN})
  add_executable(test_${name} ${UNIT_SOURCES})
  rhumb_libraries_of_test(${name} ${UNIT_USES})
  target_link_libraries(test_${name} PRIVATE ${libraries} rhumb_flags GTest::gtest_main)
  rhumb_use_headers(test_${name} tests)
  add_test(NAME ${name} COMMAND test_${name})
  rhumb_describe_test(${name} LABELS ${UNIT_LABELS} ${part} TIMEOUT ${UNIT_TIMEOUT})
endfunction()

# The main of tests on several ranks, compiled once.
add_library(rhumb_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_link_libraries(rhumb_test_main PUBLIC rhumb_core GTest::gtest PRIVATE rhumb_flags)

# rhumb_mpi_test(NAME RANKS 1 2 4 SOURCES a.cpp ... [USES room ...]): GoogleTest inside a core::Session, run once per number of ranks as
# the tests NAME_1, NAME_2, NAME_4. Every rank runs every test case; a failure on any rank fails all.
function(rhumb_mpi_test name)
  cmake_parse_arguments(MPI_TEST "" "" "RANKS;SOURCES;USES;LABELS;TIMEOUT" ${ARGN})
  add_executable(test_${name} ${MPI_TEST_SOURCES})
  rhumb_libraries_of_test(${name} ${MPI_TEST_USES})
  target_link_libraries(test_${name} PRIVATE rhumb_test_main ${libraries} rhumb_flags)
  rhumb_use_headers(test_${name} tests)
  foreach(ranks ${MPI_TEST_RANKS})
    add_test(NAME ${name}_${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:test_${name}>)
    rhumb_describe_test(${name}_${ranks} LABELS ${MPI_TEST_LABELS} ${part} TIMEOUT ${MPI_TEST_TIMEOUT} PROCESSORS ${ranks})
  endforeach()
endfunction()

# rhumb_python_test(NAME script.py [PROCESSORS n]): a unittest script. It finds the drivers through tests/support/driver.py
# and may import postprocess.
function(rhumb_python_test name script)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${script} -v)
  rhumb_describe_test(${name} ${ARGN})
endfunction()
