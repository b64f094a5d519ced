#pragma once
/// Why a matrix is singular, in words: which equations say nothing or repeat others, and which variables they leave
/// undetermined; and which equations the residual forgets to set.

#include <rhumb/dae/guarded_system.hpp>

namespace rhumb::bdf {

/// By field names; empty where there is nothing to say.
struct SingularParts {
  std::string empty_rows;       ///< equations without any entry in the matrix
  std::string dependent_rows;   ///< equations that follow from one another
  std::string undetermined;     ///< variables that these leave free
  std::string structure;        ///< the parts with too many or too few equations, in words
  std::string in_words() const; ///< without a full stop
};

/// Of an assembled matrix that could not be factored. The zero pattern is looked at first (dae/structure.hpp);
/// dependent rows are sought by elimination on every rank, in small matrices only.
SingularParts singular_parts(const dae::GuardedSystem& system, Mat matrix);

/// Fields of equations that `residual` leaves as they were, at a point where F has been evaluated before.
std::string unset_rows(dae::GuardedSystem& system, double t, Vec y, Vec ydot);

} // namespace rhumb::bdf
