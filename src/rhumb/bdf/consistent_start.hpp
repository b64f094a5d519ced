#pragma once
/// Start values that satisfy the DAE and, for index 2, its hidden constraint. Uses the iteration matrix and the linear
/// solver that the integration uses, nothing else.
///
/// Problem 1 (BCP 7.5.28-36): y of differential variables is given; find their y' and all algebraic variables. With an
/// artificial step h and alpha = 1/h a solve with G gives corrections: those of differential variables, over h, go to
/// y'; the others go to y. Index 2: first the differential variables are moved onto 0 = g(t, x) along the directions
/// that the multipliers act in; then the rows of g are replaced by d/dt g = 0, from System::hidden_constraint or by
/// differences (BCP 5.3.8). Problem 2 (BCP 7.5.37-38): y' is given, all of y is found with alpha = 0.

#include <rhumb/bdf/linear.hpp>
#include <optional>
#include <span>
#include <string>

namespace rhumb::bdf {

/// One search; its vectors are gone with it.
class ConsistentStart {
public:
  /// How far: to a part of the tolerance that steps do not notice, or as far as rounding allows, for derivatives that
  /// are differences of consistent values.
  enum class Precision : std::uint8_t { of_steps, full };
  ConsistentStart(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear,
                  Precision precision = Precision::full);

  /// Problem 1 is to keep y' of these differential fields and to find their y.
  void give_slopes(std::span<const std::string> fields);

  /// Problem 1, in place. `interval` is the length that the integration is about to cover.
  /// Throws core::BadInput with the field that resists.
  void find(double t, double interval, Vec y, Vec ydot);
  /// Problem 2, in place.
  void find_steady(double t, Vec y, Vec ydot);
  long krylov_iterations() const { return krylov_iterations_; }

private:
  enum class Stage : std::uint8_t { project, solve, steady };
  /// G holds dF/dy of the differential variables, which the exact matrix of problem 1 does not: h must be small against
  /// their time scales. In a first round slow convergence is taken as h being too large; a second one is patient.
  enum class Patience : std::uint8_t { brief, full };
  /// What is being solved: which stage, where, with which artificial step (0 for steady).
  struct Task {
    Stage stage;
    double t, h;
    Patience patience = Patience::full;
    double max_contraction = 0.3;            ///< a worse rate with a new matrix means that h is too large
    double unit = 1.0;                       ///< of the corrections' lengths: a shorter h must not make them look small
    double relative = 0.0;                   ///< a correction that is this part of the first one is the last
    std::optional<Precision> precision = {}; ///< where it is not that of the whole search
    double alpha() const { return stage == Stage::steady ? 0.0 : 1.0 / h; }
  };

  bool already_consistent(double t, Vec y, Vec ydot);
  bool nearly_consistent(double t, double h, Vec y, Vec ydot);
  void allocate();
  void forget_algebraic_rates(Vec ydot) const;
  /// Newton with line search; false when it does not converge.
  bool newton(const Task& task, Vec y, Vec ydot);
  /// Moves along direction_ until the correction there is shorter than `before`; its length, or NaN without success.
  double line_search(const Task& task, double before, Vec y, Vec ydot);
  /// -G^-1 times the task's residual at (y, y') into `out`; its norm, NaN where it has no value.
  double correction(const Task& task, Vec y, Vec ydot, Vec out);
  void residual(const Task& task, Vec y, Vec ydot);
  /// The same with the residual that `residual` has left.
  double solve_residual(const Task& task, Vec y, Vec ydot, Vec out);
  void difference_constraint(const Task& task, Vec y, Vec ydot);
  /// moved = (y, y') + lambda direction_.
  void move(const Task& task, double lambda, Vec y, Vec ydot);
  /// Throws core::SolverGaveUp when the start values themselves have no residual.
  void give_up_without_value(double t, Vec y, Vec ydot);
  /// Throws core::BadInput when the matrix was singular or an equation is never set.
  void reject_singular(const std::string& what, double t, Vec y, Vec ydot);
  [[noreturn]] void reject(const std::string& what, double t);

  /// The longest correction that is left.
  double enough(const Task& task) const;
  double may_remain(const Task& task) const;
  /// Whether moved_y_ is on the wrong side of zero where y is not and the field has a sign to keep, by more than a
  /// tolerance where zero itself is allowed.
  bool loses_sign(Vec y) const;
  /// The last correction, which is short, is added: it has been paid for.
  void add(const Task& task, Vec correction, Vec y, Vec ydot);

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  Linear& linear_;
  Precision precision_;
  std::vector<dae::Kind> equation_kinds_;
  std::vector<dae::Field> bounded_; ///< all fields where some have a sign to keep; else none
  core::VecHandle slope_given_;     ///< 1 where it is, else 0; null where all y are
  bool has_index2_ = false;
  long krylov_iterations_ = 0;
  bool singular_ = false;   ///< the last matrix was
  double ahead_sign_ = 1.0; ///< on which side of t the integration goes on
  core::VecHandle residual_, plain_residual_, direction_, next_, moved_y_, moved_ydot_, ahead_, ahead_residual_;
};

} // namespace rhumb::bdf
