#include "core/session.hpp"

#include "core/check.hpp"
#include "core/guard.hpp"
#include "core/handle.hpp"
#include <cstdlib>

namespace rhumb::core {

Session::Session(int& argc, char**& argv) {
  // Nothing that lies in a folder may change what a program does there: PETSc would read .petscrc, in the working
  // directory and at home. Of the environment it reads PETSC_OPTIONS alone.
  check(PetscOptionsSetValue(nullptr, "-skip_petscrc", "true"));
  unsetenv("PETSC_OPTIONS_YAML");
  check(PetscInitialize(&argc, &argv, nullptr, nullptr));
  check(PetscOptionsSetValue(nullptr, "-options_left", "no"));
  keep_petsc_messages();
}

Session::~Session() {
  PetscPopErrorHandler();
  PetscFinalize();
}

VecHandle same_layout(Vec model) {
  VecHandle copy;
  check(VecDuplicate(model, copy.out()));
  check(VecSet(copy, 0.0));
  return copy;
}

} // namespace rhumb::core
