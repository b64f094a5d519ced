#pragma once
/// The loop of rhumb.solve: the integrator on one system of functions, with the solution in memory.

#include "functions.hpp"
#include <rhumb/bdf/trajectory.hpp>
#include <map>
#include <optional>

namespace rhumb::python {

struct SolveRequest {
  double t0 = 0.0, t1 = 0.0;
  double rtol = 1e-4;
  py::array_t<double> atol = {}; ///< one number, or one of each variable
  int max_order = 5;
  double first_step = 0.0; ///< 0: chosen
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 1'000'000;
  bdf::ErrorTest error_test = bdf::ErrorTest::automatic;
  bdf::Start start = bdf::Start::find;
  std::optional<py::array_t<double>> t_eval = std::nullopt; ///< ascending, in the interval
  bool dense_output = true;                                 ///< the solution at any time is kept
  std::vector<std::size_t> sensitivities = {};              ///< parameters to differentiate by
  bool sensitivity_errors = false;                          ///< their errors bound the steps, too
  std::map<std::string, std::string> options = {};          ///< of PETSc's solvers
};

struct SolveResult {
  std::string reason = "done"; ///< done, stopped_by_event, solver_gave_up, bad_input, interrupted
  std::string message = "";    ///< of a failure
  double t = 0.0;              ///< where the run ended
  bdf::Statistics statistics;
  bdf::Trajectory trajectory;
  py::array y_end;            ///< at t
  py::array_t<double> y_eval; ///< [time, variable], of the times of t_eval that were reached
  /// dy/dp of each parameter, as trajectory, y_eval and y_end.
  std::vector<bdf::Trajectory> sensitivity_trajectories;
  std::vector<py::array_t<double>> sensitivities_eval, sensitivities_end;
  struct Event {
    double t;
    std::vector<int> which;
    py::array_t<double> y; ///< before what the event changes
  };
  std::vector<Event> events;
};

SolveResult solve_functions(Functions functions, const SolveRequest& request);

} // namespace rhumb::python
