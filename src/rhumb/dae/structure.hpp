#pragma once
/// Is there a DAE to solve? Before a run: the structural rank of its equations, the parts that have too many or too few
/// of them, the index, and what each field is beside what it is declared to be. Systems of at most `largest_pencil`
/// unknowns have their matrix pencil examined, larger ones the pattern of their matrices, and those whose matrix has
/// not all entries of F (a preconditioner) or is too large for one rank the pattern of their fields.

#include <rhumb/dae/guarded_system.hpp>
#include <string>

namespace rhumb::dae {

struct Structure {
  bool singular = false;     ///< structurally: no values could make the equations determine the variables
  bool contradicted = false; ///< a declared kind is wrong
  int index = -1;            ///< -1: none was found
  std::string text;          ///< all of it in words, some lines
};

/// At general points beside (t, y, ydot); `time_scale` is that of the integration. Collective; the same on all ranks.
/// Throws core::BadInput where F has no value there.
Structure analyse_structure(GuardedSystem& system, double t, Vec y, Vec ydot, double time_scale);

/// Why an assembled matrix is structurally singular, by fields and entries; empty where it is not, or where it is too
/// large to be looked at. Collective.
std::string structural_singularity(const GuardedSystem& system, Mat matrix);

} // namespace rhumb::dae
