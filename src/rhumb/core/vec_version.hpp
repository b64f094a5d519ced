#pragma once
/// What a vector holds, without looking at its entries: PETSc counts the writings to every object.

#include <petscvec.h>

namespace rhumb::core {

/// Changes whenever an entry may have been written.
struct VecVersion {
  PetscInt64 vector = 0;
  PetscInt64 state = 0;
  bool operator==(const VecVersion&) const = default;
};

VecVersion contents_of(Vec vector);

} // namespace rhumb::core
