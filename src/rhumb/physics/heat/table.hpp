#pragma once
/// A coefficient at a list of points. What an expression does not depend on costs nothing: a constant is one number, a
/// coefficient of the place is filled once, one of time when the time changes, and only one of T with every state.

#include <rhumb/grid/expression.hpp>
#include <functional>
#include <petscsys.h>
#include <span>
#include <vector>

namespace rhumb::heat {

using grid::Expression;
using grid::Where;

/// What a coefficient must be, and what it is called when it is not.
struct Demand {
  std::string name;      ///< "conductivity k"
  bool positive = false; ///< else any finite number
};

/// Numbers along a run of points: `stride` 0 stands for one number everywhere. Slopes are null where they are zero.
struct TableRow {
  const double* values = nullptr;
  const double* derivatives = nullptr;
  PetscInt stride = 1;
  double value(PetscInt i) const { return values[i * stride]; }
  double derivative(PetscInt i) const { return derivatives == nullptr ? 0.0 : derivatives[i * stride]; }
};

class Table {
public:
  using PositionOf = std::function<std::array<double, 3>(PetscInt)>;

  Table() = default;
  /// `compact`: one number where it is the same everywhere. `full`: a number for each point in any case, and a slope
  /// for each if asked for, so that a loop need not look.
  enum class Layout : unsigned char { compact, full, full_with_derivatives };

  /// `which[i]` says which expression counts at point i; empty: the first everywhere.
  Table(std::vector<const Expression*> expressions, std::vector<unsigned char> which, PetscInt points,
        PositionOf position, Demand demand, Layout layout);

  bool uniform() const { return uniform_; }
  bool uses_T() const { return uses_T_; }

  /// Brings the values (and with `slopes` the derivatives by T) up to date. `T` has one entry per point; it is read
  /// only when the table uses T. Returns a complaint about the first value that does not meet the demand, else nothing.
  enum class With : unsigned char { values, derivatives };
  std::string update(double t, std::span<const double> T, With with);

  /// From point `first` on; null where the table has no slopes.
  const double* values(PetscInt first) const { return values_.data() + first; }
  const double* derivatives(PetscInt first) const {
    return derivatives_.empty() ? nullptr : derivatives_.data() + first;
  }
  /// The same for a table of any layout.
  TableRow row(PetscInt first) const;

private:
  static constexpr std::size_t block = 128; ///< points whose places are written down at a time

  std::string complaint(PetscInt i, const Where& where, double value) const;
  PetscInt end_of_run(PetscInt first) const;
  void fill(PetscInt first, PetscInt end, double t, std::span<const double> T, With with);
  Where where(PetscInt i, double t, std::span<const double> T) const;
  const Expression& expression(PetscInt i) const { return *expressions_[which_.empty() ? 0 : which_[i]]; }

  std::vector<const Expression*> expressions_;
  std::vector<unsigned char> which_;
  PetscInt points_ = 0;
  PositionOf position_;
  Demand demand_;
  bool uniform_ = true, uses_t_ = false, uses_T_ = false, filled_ = false;
  double time_ = 0.0;
  std::vector<double> values_, derivatives_;
};

} // namespace rhumb::heat
