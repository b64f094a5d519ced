#include <rhumb/core/vec_version.hpp>

#include <rhumb/core/check.hpp>

// Exported by PETSc and documented, but declared in a private header only.
extern "C" PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*); // NOLINT(readability-identifier-naming)

namespace rhumb::core {

VecVersion contents_of(Vec vector) {
  PetscObjectId id = 0;
  PetscObjectState state = 0;
  check(PetscObjectGetId(reinterpret_cast<PetscObject>(vector), &id));
  check(PetscObjectStateGet(reinterpret_cast<PetscObject>(vector), &state));
  return {id, state};
}

} // namespace rhumb::core
