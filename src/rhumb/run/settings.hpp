#pragma once
/// What the user decides about a run as such: how far, where to, how often.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/run/schedule.hpp>
#include <string>

namespace rhumb::run {

struct Settings {
  double t_start = 0.0;
  double t_end = 0.0;
  std::string out; ///< the run's folder; empty: nothing is written
  Schedule output_times;
  double checkpoint_dt = 0.0;        ///< 0: only at the end of a run that did not reach t_end
  std::string restart;               ///< a run's folder or a checkpoint; empty: from the start
  bool restart_with_changes = false; ///< a continued run may have other equations
  double wall_limit = 0.0;           ///< seconds; 0: none
  double progress_dt = 10.0;         ///< seconds between lines
  bool quiet = false;
  bool check = false;
  bool help = false;
};

/// Reads (and so declares) them. Throws core::BadInput.
Settings read_settings(core::Options& options, const dae::Problem& problem);

} // namespace rhumb::run
