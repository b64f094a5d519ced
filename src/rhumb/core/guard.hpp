#pragma once
/// No exception crosses a C frame. A callback that PETSc calls wraps its body in `guard`; the exception waits until the
/// PETSc call returns its error code to `check`, which lets it go on.

#include <exception>
#include <petscsys.h>
#include <string>
#include <utility>

namespace rhumb::core {

/// Keeps the exception being handled for `check`. Returns the PETSc code to hand back to the C caller.
PetscErrorCode keep_current_exception() noexcept;

/// Throws the kept exception, if there is one.
void rethrow_kept_exception();

/// PETSc's text of the error that is under way, cleared by the call. Filled by the handler that Session installs.
std::string take_petsc_message();

/// Installs an error handler that keeps PETSc's message for `check` instead of printing a stack.
void keep_petsc_messages();

/// Runs `body` and turns an exception into a PETSc error code.
template <class Body>
PetscErrorCode guard(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return 0;
  } catch (...) {
    return keep_current_exception();
  }
}

} // namespace rhumb::core
