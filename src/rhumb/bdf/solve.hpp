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
};

struct SolveSettings {
  double rtol = 1e-4;
  double atol = 1e-8;
  std::vector<double> atols = {}; ///< of each variable, instead
  int max_order = 5;
  double h0 = 0.0; ///< first step; 0: chosen
  double h_max = std::numeric_limits<double>::infinity();
  long max_steps = 1'000'000;
  bdf::ErrorTest error_test = bdf::ErrorTest::automatic;
  bdf::Start start = bdf::Start::find;
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

  bool done() const { return message.empty(); }
  /// The ends of the steps, the start first.
  std::vector<double> times() const { return trajectory.times(); }
  /// y at any time from the start to the end. Throws core::BadInput elsewhere.
  std::vector<double> operator()(double time) const { return trajectory.at(time); }
  std::vector<double> y() const { return trajectory.at(t); }
};

/// From interval.first to interval.second. Throws core::BadInput where the description contradicts itself; a failure on
/// the way is in the solution. Starts MPI and PETSc where they do not run.
SmallSolution solve(SmallSystem system, std::pair<double, double> interval, const SolveSettings& settings = {});

} // namespace rhumb
