#pragma once
/// PETSc reads its own options (-dae_pc_type and so on) while the linear solver is set up, and fails there when one of
/// them has a value it cannot use. That is the user's input, not a bug.

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <string>
#include <utility>

namespace rhumb::run {

/// Whether PETSc's error says that something it was told makes no sense: an unknown type, a value out of range.
bool blames_input(const core::LibraryError& error);

/// Runs `body`, which sets up PETSc objects from options.
template <class Body>
void with_petsc_options(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const core::LibraryError& error) {
    if (!blames_input(error)) throw;
    throw core::BadInput(std::string("PETSc refuses one of its options: ") + error.what());
  }
}

} // namespace rhumb::run
