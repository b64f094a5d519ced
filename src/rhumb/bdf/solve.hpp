#pragma once
/// A small system without a class, as users of IDA and solve_ivp expect it: functions in, the solution at any time out.
///
///   #include <rhumb/bdf/solve.hpp>
///   auto robertson = [](double, auto y, auto ydot, auto f) {
///     f[0] = ydot[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
///     f[1] = ydot[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
///     f[2] = y[0] + y[1] + y[2] - 1.0;
///   };
///   auto s = rhumb::solve({.residual = robertson, .y = {1.0, 0.0, 0.0}}, {0.0, 4e10}, {.rtol = 1e-4});
///   s(0.4)[2]; // y3 at t = 0.4
///
/// With numbers that the functions hold by reference, the solution is differentiated by them:
///
///   double k = 0.04;
///   auto s = rhumb::solve({.residual = ..., .y = {1.0, 0.0, 0.0}, .parameters = {{"k", k}}}, {0.0, 40.0},
///                         {.rtol = 1e-6, .sensitivities = {"k"}});
///   s.sensitivity("k", 40.0)[2]; // dy3/dk at t = 40
///
/// It is the integrator of all other runs, on this process alone. Which variables are algebraic is found out, and so
/// are consistent start values.

#include <rhumb/bdf/trajectory.hpp>
#include <functional>
#include <limits>
#include <span>

namespace rhumb {

struct SmallSystem {
  using Values = std::span<const double>;
  using Result = std::span<double>;

  /// F(t, y, y') = 0; or `rate` instead.
  std::function<void(double t, Values y, Values ydot, Result residual)> residual = {};
  /// y' = f(t, y).
  std::function<void(double t, Values y, Result ydot)> rate = {};
  std::vector<double> y = {};          ///< at the start
  std::vector<double> ydot = {};       ///< at the start; empty: not known
  std::vector<std::string> names = {}; ///< empty: y0, y1, ...
  std::vector<dae::Kind> kinds = {};   ///< empty: a variable whose derivative stands in no equation is of index 1
  std::vector<dae::Sign> signs = {};   ///< empty: free
  /// alpha dF/dy' + dF/dy into `jacobian`, row by row, zero before the call. Empty: by differences.
  std::function<void(double t, Values y, Values ydot, double alpha, Result jacobian)> jacobian = {};

  struct Event {
    std::string name;
    std::function<double(double t, Values y, Values ydot)> value; ///< the event is where it changes sign
    dae::Event::Direction direction = dae::Event::Direction::any;
    /// What then; may change y. Empty: the solution is only looked at.
    std::function<dae::AfterEvent(double t, Result y, Result ydot)> action = {};
  };
  std::vector<Event> events = {};

  struct Parameter {
    std::string name;
    std::reference_wrapper<double> value; ///< moved to either side and put back while the system is solved
    double lower = -std::numeric_limits<double>::infinity(); ///< the functions make sense between these two
    double upper = std::numeric_limits<double>::infinity();
  };
  std::vector<Parameter> parameters = {};
  /// y and y' at the start where they depend on parameters; called with `y` and `ydot` in place.
  std::function<void(Result y, Result ydot)> initial_values = {};
};

struct SolveSettings {
  double rtol = 1e-4;
  double atol = 1e-8;
  std::vector<double> atols = {}; ///< of each variable, instead
  dae::Norm norm = dae::Norm::automatic;
  int max_order = 5;
  double h0 = 0.0; ///< first step; 0: chosen
  double h_max = std::numeric_limits<double>::infinity();
  long max_steps = 1'000'000;
  bdf::ErrorTest error_test = bdf::ErrorTest::automatic;
  bdf::Start start = bdf::Start::find;
  std::vector<std::string> sensitivities = {}; ///< parameters by which the solution is differentiated
  bool sensitivity_errors = false;             ///< their errors bound the steps as those of y do
};

/// The solution of a small system.
struct SmallSolution {
  std::string reason = "done"; ///< done, stopped_by_event, solver_gave_up, bad_input
  std::string message = "";    ///< the diagnosis of a failure
  bdf::Statistics statistics;
  double t = 0.0; ///< where the run ended: its end, an event that stopped it, the last good state of a failure
  struct EventTime {
    double t;
    std::string name;
  };
  std::vector<EventTime> events;
  bdf::Trajectory trajectory;
  std::vector<std::pair<std::string, bdf::Trajectory>> sensitivities; ///< dy/dp by parameter

  bool done() const { return message.empty(); }
  /// The ends of the steps, the start first.
  std::vector<double> times() const { return trajectory.times(); }
  /// y at any time from the start to the end. Throws core::BadInput elsewhere.
  std::vector<double> operator()(double time) const { return trajectory.at(time); }
  std::vector<double> y() const { return trajectory.at(t); }
  /// dy/dp at any time from the start to the end. Throws core::BadInput where it was not asked for.
  std::vector<double> sensitivity(const std::string& parameter, double time) const;
};

/// From interval.first to interval.second, which may lie before it. Throws core::BadInput where the description contradicts itself; a failure on
/// the way is in the solution. Starts MPI and PETSc where they do not run.
SmallSolution solve(SmallSystem system, std::pair<double, double> interval, const SolveSettings& settings = {});

} // namespace rhumb
