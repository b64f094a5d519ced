#pragma once
/// GMRES as a KSP type of its own, with left preconditioning and restarts (BCP 7.5.16), which differs from PETSc's in
/// what it keeps: Krylov vectors in single precision unless told otherwise, one at a time as iterations need them.
/// Products, the preconditioner, all sums and the solution are in double. Where rounding of the vectors could be as
/// large as the tolerance, a new cycle begins with the true residual. x is brought up to date at the end of a cycle.
///
/// Options under the KSP's prefix: -ksp_gmres_restart, -ksp_spigmr_single.

#include <rhumb/bdf/krylov_basis.hpp>
#include <petscksp.h>

namespace rhumb::bdf {

inline constexpr const char* spigmr = "spigmr";

/// Makes the name known to KSPSetType; again does no harm.
void register_spigmr();

/// Of the vectors of a KSP of this type that is not set up yet; -ksp_spigmr_single wins. Constraints that are linear
/// hold to the vectors' rounding.
void set_precision(KSP ksp, KrylovBasis::Precision precision);

/// The smallest singular value of the Hessenberg matrices of the solve under way, at most 1; of a KSP of this type.
double smallest_singular_value(KSP ksp);

} // namespace rhumb::bdf
