#pragma once
/// Damped Jacobi by points, all fields of a point together: x += omega D^-1 (b - A x), D the blocks of A's
/// preconditioning matrix on its diagonal. Under KSPRICHARDSON a step is one product and one pass over the vectors, and
/// the first step from x = 0 one pass alone: PETSc's own parts take three and four.

#include <petscpc.h>

namespace rhumb::box {

/// Makes it what the PC does. The KSP's own damping stays 1.
void set_point_jacobi(PC pc, double damping);

} // namespace rhumb::box
