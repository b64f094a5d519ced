#pragma once
/// Forward sensitivities s_i = dy/dp_i along the solution, BCP 7.5: F_y s + F_y' s' + F_p = 0.
///
/// Each parameter has a column z = scale s with a history of its own, which is predicted, corrected, tested and
/// interpolated as y is, with the tolerances of y: since z has the unit of y, its weights are rtol |z| + atol. The
/// iteration matrix is the one of the step, kept over steps; the residual is the true one at the accepted point, and
/// Newton's rate test says when to stop. With GMRES on the true operator one solve is enough: the equation is linear.
///
/// What the system remembers of a run (the time of an event, an extremum, an integral) depends on the parameters, too.
/// Each column keeps it as it would be with the parameter moved a little to either side; see `on_side`.

#include <rhumb/bdf/error_estimate.hpp>
#include <rhumb/bdf/integrator.hpp>
#include <rhumb/bdf/tangent.hpp>
#include <functional>

namespace rhumb::bdf {

class Sensitivity final : public Companion {
public:
  struct Parts {
    dae::GuardedSystem& system;
    dae::Weights& weights;
    Linear& linear;
    Newton& newton;
    ErrorEstimate& error;
  };
  Sensitivity(Parts parts, const IntegratorOptions& options, Phases& phases, const History& history, Vec model);

  std::size_t count() const { return columns_.size(); }
  double scale(std::size_t column) const { return columns_[column].parameter.scale; }

  // The start, in sensitivity_start.cpp.

  /// Makes values consistent: (t, y, y'), in place.
  using Search = std::function<void(double t, Vec y, Vec ydot)>;
  /// Values at t from the system's initial values.
  void take_initial_values(double t, const Search& search);
  /// Values at t on the interpolant of this degree.
  void carry_to(double t, int degree);
  /// Consistent values at t, where y and y' were these before they were made consistent.
  void make_consistent(double t, Vec given_y, Vec given_ydot, const Search& search);
  /// Histories from these values.
  void begin(double t, double h);
  /// Histories from the exact solution at equidistant points, newest first.
  void begin_exact(double t, double h, std::size_t points);

  // Events, in sensitivity_start.cpp.

  /// The root function of the event and its derivative along the solution.
  using RootFunction = std::function<double(double t, Vec y, Vec ydot)>;
  /// An event at (t, y, y') of this step: finds how its time depends on the parameters.
  void meet_event(const LinearizationPoint& at, int degree, const RootFunction& root, double rate_of_root);
  /// The system is told of its events on either side; values are then those that it left.
  void tell_of_event(const LinearizationPoint& at, std::span<const int> which);
  /// y' after the event is known: the values become those at the event's time.
  void pass_event(Vec ydot);
  /// scale dt/dp of the last event.
  double event_time(std::size_t column) const { return columns_[column].event_time; }

  // A step.

  struct Result {
    Outcome outcome = Outcome::accepted;
    Estimate estimate = {}; ///< of the worst column, where errors are tested
  };
  /// Corrects at the accepted trial (staggered) and tests errors.
  Result complete(const Coefficients& c, const Trial& trial, ErrorEstimate::Higher higher);
  void commit(const Coefficients& c, double t);
  void predict(const Coefficients& c) override;
  Companion::Result iterate(const Coefficients& c, const Trial& trial, Vec residual) override;
  void rescale_first_step(double h);
  void set_time(double t);
  void restore(double t, std::span<const double> steps, long committed);

  /// z and z' on the interpolant of this degree; zdot may be null.
  void interpolate(std::size_t column, double t, int degree, Vec z, Vec zdot) const;

  /// Runs `body` with the parameter moved by `offset` times its scale and with what the system would remember there;
  /// restores both. At the end of the parameter's range one of the two offsets is 0.
  void on_side(std::size_t column, Side side, const std::function<void(double offset)>& body);
  double offset(std::size_t column, Side side) const;

  // Counts and checkpoints.

  long residuals() const { return tangent_.count(); }
  long matrices() const { return tangent_.matrices(); }
  struct Counts {
    long iterations = 0;
    long krylov = 0;
  };
  Counts counts() const { return counts_; }
  void visit_values(const std::function<void(const std::string&, double)>& put) const;
  void restore_state(const std::function<double(const std::string&)>& value);
  std::vector<std::pair<std::string, Vec>> vectors() const;
  static std::vector<std::string> vector_names(std::size_t column);

private:
  struct Column {
    TangentParameter parameter;
    History history;
    core::VecHandle z, zdot, correction;
    RateTest rate;
    double increment = 0.0; ///< of differences, a part of z
    double event_time = 0.0;
    std::array<std::vector<double>, 2> memory; ///< of the system, by side
  };

  Outcome correct_all(const Coefficients& c, const Trial& trial);
  Outcome correct(Column& column, const Coefficients& c, const Trial& trial);
  void remember_matrix(double alpha);
  Outcome renew_matrix(const Coefficients& c, const Trial& trial);
  /// Before residuals at a new point.
  void prepare(const Trial& trial, double alpha);
  void choose_increments(Vec y);
  void differentiate_memory(Column& column);
  void weigh(const Column& column, const Coefficients& c, Vec y);
  double update(Column& column, double factor, double alpha, const dae::KindScale& scale);
  Estimate worst_error(const Coefficients& c, const Trial& trial, ErrorEstimate::Higher higher);
  void difference_of_sides(Column& column, const std::function<void(Side side, double offset, Vec y, Vec ydot)>& body);
  std::size_t index_of(const Column& column) const { return static_cast<std::size_t>(&column - columns_.data()); }

  Parts parts_;
  const IntegratorOptions& options_;
  const History& history_; ///< of y
  Tangent tangent_;
  std::vector<Column> columns_;
  core::VecHandle residual_, delta_, product_, weighed_;
  core::VecHandle residual_of_y_; ///< where the operator is made of differences
  long setups_ = -1;              ///< matrices that were made before the last correction
  double alpha_ = 0.0;            ///< of the last correction
  Counts counts_;
};

} // namespace rhumb::bdf
