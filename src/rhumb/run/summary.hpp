#pragma once
/// What is left of a run when it is over: run.json, and the table that ends its output. The same figures in both.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/run/fit_result.hpp>
#include <rhumb/run/json.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/sensitivities.hpp>

namespace rhumb::run {

/// What is left of an event.
struct EventRecord {
  std::string name;
  long count = 0;
  double first = 0.0, last = 0.0; ///< times, where it happened
};

/// Peak memory of the processes.
struct MemoryUse {
  double largest_mib = 0.0; ///< of one rank
  double sum_mib = 0.0;     ///< of all
};

/// Collective.
MemoryUse peak_memory(MPI_Comm comm);

/// The values of y of a small system by field; empty for larger ones. Collective.
std::vector<std::pair<std::string, std::vector<double>>> small_state(const dae::Problem& problem, Vec y);

/// What the tolerance and the grid did to a figure; see error_bars.hpp. Nothing where it could not be found.
struct ErrorBar {
  std::string figure;
  std::optional<double> time, space;
  std::optional<double> total() const;
};

struct Summary {
  std::string app;
  std::string version;
  std::string problem;
  int ranks = 1;
  PetscInt unknowns = 0;
  Ending ending;
  double t_start = 0.0;
  double t_end = 0.0;
  double t = 0.0; ///< of the last good state
  std::string error_test;
  std::vector<std::string> uncontrolled_fields; ///< by the error test
  bdf::Statistics statistics;
  bdf::Phases phases;
  double start_seconds = 0.0;  ///< until the first step, without what the phases count
  double output_seconds = 0.0; ///< snapshots, checkpoints, and what is done at output times
  double wall_seconds = 0.0;
  MemoryUse memory;
  std::vector<core::Declared> options;
  std::vector<std::pair<std::string, std::string>> petsc_options; ///< given, and read by PETSc
  dae::Figures results;
  std::vector<ErrorBar> errors; ///< of the figures that are numbers; empty: not asked for
  std::vector<ParameterDerivatives> sensitivities;
  /// By figure: names of what it was differentiated by, with the derivatives.
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> gradients;
  bdf::AdjointCounts adjoint;   ///< of the sweep that found them
  double adjoint_seconds = 0.0; ///< its wall time, and that of differentiating figures
  FitResult fit;                ///< of -fit: how the parameters of this run were found
  std::vector<std::pair<std::string, std::vector<double>>> state;
  std::vector<EventRecord> events;
  std::string restarted_from;
};

/// The phases of a run with their wall seconds; the last is what no other counts.
std::vector<std::pair<std::string, double>> phases_of(const Summary& summary);

/// Names parameters of -sensitivity on which nothing depends; empty where there are none.
std::string remark_on_sensitivities(const Summary& summary);

/// run.json.
std::string summary_json(const Summary& summary);

/// A number with as many digits as its error leaves: "3.2248 +- 0.0006".
std::string with_error(double value, double error);

/// The table at the end of the output.
std::string summary_table(const Summary& summary);

} // namespace rhumb::run
