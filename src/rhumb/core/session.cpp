#include <rhumb/core/session.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/handle.hpp>
#include <cstdio>
#include <cstdlib>

namespace rhumb::core {

namespace {
void start(int* argc, char*** argv) {
  // Nothing that lies in a folder may change what a program does there: PETSc would read .petscrc, in the working
  // directory and at home. Of the environment it reads PETSC_OPTIONS alone.
  check(PetscOptionsSetValue(nullptr, "-skip_petscrc", nullptr));
  unsetenv("PETSC_OPTIONS_YAML");
  check(PetscInitialize(argc, argv, nullptr, nullptr));
  check(PetscOptionsClearValue(nullptr, "-skip_petscrc")); // it has served, and is none of the run's options
  check(PetscOptionsSetValue(nullptr, "-options_left", "no"));
  keep_petsc_messages();
}
} // namespace

Session::Session() {
  start(nullptr, nullptr);
}

Session::Session(int& argc, char**& argv) {
  start(&argc, &argv);
}

void start_petsc() {
  PetscBool running = PETSC_FALSE;
  check(PetscInitialized(&running));
  if (!running) static const Session session;
}

/// Where PETSc cannot write at its end (-log_view on a full disk) it leaves MPI open. A process alone closes it, so
/// that a good run stays one; among several, the others may wait for this one inside PETSc, and MPI's launcher must end
/// them.
Session::~Session() {
  int ranks = 1, finalized = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (PetscFinalize() == 0) return;
  std::fprintf(stderr, "PETSc could not write at its end: %s\n", take_petsc_message().c_str());
  MPI_Finalized(&finalized);
  if (ranks == 1 && finalized == 0) MPI_Finalize();
}

VecHandle same_layout(Vec model) {
  VecHandle copy;
  check(VecDuplicate(model, copy.out()));
  check(VecSet(copy, 0.0));
  return copy;
}

} // namespace rhumb::core
