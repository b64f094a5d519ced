#pragma once
/// Which variables and rates stand in which equations of a System, and with which derivatives: found by differences of
/// F, whose value does not change at all where a variable does not stand in it. Points are general: F may hold a
/// variable that it does not show at a start from rest.

#include <rhumb/dae/guarded_system.hpp>
#include <rhumb/dae/pencil.hpp>
#include <rhumb/dae/signature.hpp>
#include <optional>

namespace rhumb::dae {

/// Entries of a distributed matrix that are not 0, on rank 0.
struct GatheredEntries {
  std::vector<Pattern::Entry> at;
  std::vector<double> value;
};
/// Collective. The matrix is whole on rank 0 then: for at most `largest_gathered` rows.
GatheredEntries gather_nonzeros(Mat matrix);
inline constexpr PetscInt largest_gathered = 200000;

/// A point (t, y, y') beside the given one where F has a value: every entry moved by a part of its field's size.
struct GeneralPoint {
  double t = 0.0;
  core::VecHandle y, ydot, residual;
  std::vector<double> sizes, rate_sizes; ///< of the fields
};

/// `which` makes different points, 0 the given one itself; nothing where F has no value anywhere near it.
/// `time_scale` is that of the integration.
std::optional<GeneralPoint> general_point(GuardedSystem& system, double t, Vec y, Vec ydot, double time_scale,
                                          int which);

/// dF/dy and dF/dy' at a point.
struct Linearization {
  GatheredEntries values, rates;
  bool exact = false; ///< dF/dy is the system's own, which differences agree with, and not differences
};
/// `sparsity` has an entry wherever a variable stands in an equation; see `sparsity_holds`. On rank 0; collective.
/// Nothing where F has no value beside the point.
std::optional<Linearization> linearize(GuardedSystem& system, const GeneralPoint& at, Mat sparsity);

/// Whether no equation changes with a variable that `sparsity` has no entry for, as far as moving random sets of
/// variables shows: a matrix that only serves as a preconditioner may have fewer entries than F.
bool sparsity_holds(GuardedSystem& system, const GeneralPoint& at, Mat sparsity);

/// The patterns of dF/dy and dF/dy' on the level of fields: field g stands in the equations of field f where it changes
/// at least half of them. On all ranks.
struct FieldPatterns {
  Pattern values, rates;
};
std::optional<FieldPatterns> field_patterns(GuardedSystem& system, const GeneralPoint& at);

} // namespace rhumb::dae
