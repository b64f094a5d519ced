#include <rhumb/core/guard.hpp>

#include <rhumb/core/check.hpp>

namespace rhumb::core {

namespace {
std::exception_ptr kept_exception;
std::string petsc_message;

/// PETSc calls its handler once per frame on the way up; the first call has the message.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code, PetscErrorType type,
                            const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL && message) petsc_message = message;
  return code;
}
} // namespace

PetscErrorCode keep_current_exception() noexcept {
  if (!kept_exception) kept_exception = std::current_exception();
  return PETSC_ERR_LIB;
}

void rethrow_kept_exception() {
  if (auto exception = std::exchange(kept_exception, nullptr)) std::rethrow_exception(exception);
}

std::string take_petsc_message() {
  return std::exchange(petsc_message, {});
}

void keep_petsc_messages() {
  check(PetscPushErrorHandler(keep_message, nullptr));
}

} // namespace rhumb::core
