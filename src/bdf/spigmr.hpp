#pragma once
/// GMRES as a KSP type of its own, with left preconditioning and restarts (BCP 7.5.16), which differs from PETSc's in
/// what it keeps: Krylov vectors in single precision unless told otherwise, one at a time as iterations need them.
/// Products, the preconditioner, all sums and the solution are in double. Where rounding of the vectors could be as
/// large as the residual that the recurrence believes in, a new cycle begins with the true one.
///
/// Options under the KSP's prefix: -ksp_gmres_restart, -ksp_spigmr_single.

#include "bdf/krylov_basis.hpp"
#include <petscksp.h>

namespace rhumb::bdf {

inline constexpr const char* spigmr = "spigmr";

/// Makes the name known to KSPSetType; again does no harm.
void register_spigmr();

/// Of the vectors of a KSP of this type that is not set up yet; -ksp_spigmr_single wins. Constraints that are linear
/// hold to the vectors' rounding.
void set_precision(KSP ksp, KrylovBasis::Precision precision);

/// The smallest singular value of the Hessenberg matrix in the cycle under way, of a KSP of this type. Before the
/// cycle's first iteration: of the cycle before.
double smallest_singular_value(KSP ksp);

} // namespace rhumb::bdf
