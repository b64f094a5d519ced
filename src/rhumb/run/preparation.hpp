#pragma once
/// From options to something that can run: the problem, and all that the user decides about the run.

#include <rhumb/run/run.hpp>
#include <rhumb/run/settings.hpp>
#include <rhumb/run/study_plan.hpp>

namespace rhumb::run {

struct Prepared {
  std::unique_ptr<dae::Problem> problem;
  Settings settings;
  StudyPlan study;
  bool error_bars = false;
  bool only_check = false;
  bool check_structure = false; ///< with only_check
  bool wants_help = false;
};

/// Who runs, and since when.
struct Caller {
  std::string app;
  std::vector<NamedStudy> studies = {};
  Settings::Clock::time_point started = Settings::Clock::now();
  bool optimised = compiled_with_optimisation; ///< what the user compiled
};

/// A line for a program that was not compiled with optimisation; else empty.
std::string remark_on_compiler(const Caller& caller);

/// Reads all options of a driver, and so declares them. Collective over `comm`; throws core::BadInput, not on all
/// ranks.
Prepared prepare(MPI_Comm comm, const Make& make, const core::Options& options, const Caller& caller);

} // namespace rhumb::run
