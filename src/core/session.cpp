#include "core/session.hpp"

#include "core/check.hpp"
#include "core/guard.hpp"
#include "core/handle.hpp"

namespace rhumb::core {

Session::Session(int& argc, char**& argv) {
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
