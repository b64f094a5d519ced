/// The entry of librhumb_ts.so: PETSc looks for this name in a library that -dll_append names.

#include "ts/register.hpp"
#include "ts/type.hpp"

extern "C" __attribute__((visibility("default"))) PetscErrorCode PetscDLLibraryRegister_rhumb_ts();

PetscErrorCode PetscDLLibraryRegister_rhumb_ts() {
  return TSRegister(rhumb::ts::type_name, rhumb::ts::create_type);
}
