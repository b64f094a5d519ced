#pragma once
/// The border to PETSc's C: the functions of the TS type.

#include <petscts.h>

namespace rhumb::ts {

/// What TSSetType calls: fills the TS's operations.
PetscErrorCode create_type(TS ts);

} // namespace rhumb::ts
