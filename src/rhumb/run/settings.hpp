#pragma once
/// What the caller decides about a run: how far, how exactly, where to, how often. From code, with what differs from
/// the defaults only; a driver reads them from its options.
///
///   integrate(problem, {.t_end = 10.0, .rtol = 1e-6, .output_times = {1.0, 5.0, 10.0}});

#include <rhumb/bdf/options.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/run/event_rules.hpp>
#include <rhumb/run/gradient_request.hpp>
#include <rhumb/run/integral_rules.hpp>
#include <rhumb/run/schedule.hpp>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace rhumb::run {

/// A number that the problem knows better.
inline constexpr double of_problem = std::numeric_limits<double>::quiet_NaN();

struct Settings {
  using Clock = std::chrono::steady_clock;

  double t_start = of_problem;
  double t_end = of_problem;
  double rtol = of_problem;
  double atol = of_problem;       ///< of every field
  Schedule output_times = {};     ///< states in the Solution, and snapshots where `out` is given
  Schedule series_times = {};     ///< rows of scalars without a snapshot in series.h5; their extrema become figures
  bool series_every_step = false; ///< the same after every step
  bool dense_output = false;      ///< the Solution has the state at any time, not in the last step only
  std::string out = "";           ///< the run's folder; empty: nothing is written
  std::optional<bdf::IntegratorOptions> integrator = std::nullopt; ///< else what suits the problem
  core::Options options = {};               ///< of PETSc's objects, as on a command line: dae_ksp_type, dae_pc_type
  double checkpoint_dt = 0.0;               ///< 0: only at the end of a run that did not reach t_end
  std::string restart = "";                 ///< a run's folder or a checkpoint; empty: from the start
  bool restart_with_changes = false;        ///< a continued run may have other equations
  double wall_limit = 0.0;                  ///< seconds; 0: none
  double progress_dt = 10.0;                ///< seconds between lines
  bool quiet = true;                        ///< nothing is printed
  std::string app = "rhumb";                ///< who runs: in files, and before messages
  bool keep_states = true;                  ///< the states at the output times stay in memory
  std::vector<EventRule> events = {};       ///< to note, to write a snapshot at, or to stop at
  std::vector<IntegralRule> integrals = {}; ///< over time, as figures
  GradientRequest gradients = {};           ///< by a sweep back over the steps; see gradients.hpp
  /// Asked on every rank after every step: a number other than 0 ends the run as this signal would.
  std::function<int()> stop_signal = {};
  /// What the problem was made from; a continued run must have the same (but for restart_with_changes).
  std::vector<core::Declared> problem_options = {};
  Clock::time_point started = Clock::now(); ///< of the program
};

/// Reads (and so declares) what a driver's user decides. Throws core::BadInput.
Settings read_settings(const core::Options& options, const dae::Problem& problem);

/// With everything in place that the problem knows better. Throws core::BadInput.
Settings completed(Settings settings, const dae::Problem& problem);

} // namespace rhumb::run
