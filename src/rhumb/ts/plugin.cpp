/// The entry of librhumb_ts.so: PETSc looks for this name in a library that -dll_append names.

#include <rhumb/core/guard.hpp>
#include <rhumb/ts/register.hpp>

extern "C" __attribute__((visibility("default"))) PetscErrorCode PetscDLLibraryRegister_rhumb_ts();

PetscErrorCode PetscDLLibraryRegister_rhumb_ts() {
  return rhumb::core::guard([] { rhumb::register_ts(); });
}
