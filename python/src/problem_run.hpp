#pragma once
/// A run of one of our problems or of a Python system, step by step: what is behind rhumb.Flow(...).run() and .steps().

#include "python_system.hpp"
#include "series_recorder.hpp"
#include <rhumb/run/execution.hpp>
#include <rhumb/run/preparation.hpp>
#include <map>

namespace rhumb::python {

struct RunRequest {
  std::string driver = "";                         ///< flow, heat, mesh, ignite, pde, pipes; empty: `system`
  py::object system = py::none();                  ///< a rhumb.System
  std::string case_file = "";                      ///< YAML; its values stand below `options`
  std::string case_text = "";                      ///< the same as text, instead of a file
  std::map<std::string, std::string> options = {}; ///< as on a command line, without the dashes
  py::object comm = py::none();                    ///< a petsc4py Comm
};

class ProblemRun {
public:
  /// Builds the problem and takes its first state. Collective; throws on all ranks: what Python raised on this rank,
  /// core::FailedElsewhere where another rank failed.
  explicit ProblemRun(const RunRequest& request);

  /// One step; false: the run is over. Collective.
  bool step();
  /// Ends the run where it stands and frees what only steps need. Collective; throws as the constructor does.
  void finish();

  double t() const;
  Vec y() const { return solution_ ? solution_->y.get() : execution().integrator().state(); }
  Vec ydot() const { return solution_ ? solution_->ydot.get() : execution().integrator().derivative(); }
  bdf::Statistics statistics() const;
  dae::Problem& problem() const { return *prepared_.problem; }
  MPI_Comm comm() const { return comm_; }
  const run::Settings& settings() const { return prepared_.settings; }
  const SeriesRecorder& recorder() const { return *recorder_; }
  /// Of a run that is over.
  const run::Solution& solution() const;

private:
  void build(const RunRequest& request);
  run::Make make_of(const RunRequest& request) const;
  void add_error_bars();
  [[noreturn]] void throw_failure(core::ExitCode code, const std::string& message) const;
  const run::Execution& execution() const;

  py::object comm_object_;
  MPI_Comm comm_;
  run::Agreement agreement_;
  run::Caller caller_;
  run::Make make_;
  core::Options given_; ///< read by nobody
  PythonFailure failure_ = std::make_shared<std::exception_ptr>();
  run::Prepared prepared_;
  std::shared_ptr<SeriesRecorder> recorder_;
  std::optional<run::Execution> execution_;
  std::optional<run::Solution> solution_;
};

} // namespace rhumb::python
