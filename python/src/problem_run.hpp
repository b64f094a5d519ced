#pragma once
/// A run of one of our problems or of a Python system, step by step: what is behind rhumb.Flow(...).run() and .steps().

#include "python_system.hpp"
#include <rhumb/run/execution.hpp>
#include <rhumb/run/preparation.hpp>
#include <map>

namespace rhumb::python {

struct RunRequest {
  std::string driver = "";                         ///< flow, heat, mesh, ignite; empty: `system`
  py::object system = py::none();                  ///< a rhumb.System
  std::string case_file = "";                      ///< YAML; its values stand below `options`
  std::map<std::string, std::string> options = {}; ///< as on a command line, without the dashes
  py::object comm = py::none();                    ///< a petsc4py Comm
};

class ProblemRun {
public:
  /// Builds the problem and takes its first state. Collective; throws core::BadInput on all ranks.
  explicit ProblemRun(const RunRequest& request);

  /// One step; false: the run is over.
  bool step();
  /// Ends the run where it stands. Throws what Python raised on this rank, core::FailedElsewhere where another rank
  /// failed.
  void finish();

  double t() const;
  py::object y() const;    ///< a petsc4py Vec
  py::object ydot() const; ///< a petsc4py Vec
  py::dict statistics() const;
  /// Mesh and fields at the present state, as this rank has them. Collective.
  py::dict mesh();
  py::list fields();
  std::vector<dae::Parameter> parameters() const { return prepared_.problem->parameters(); }
  py::dict options() const; ///< all that were read, with their effective values

  const run::Solution& solution() const;

private:
  void build(const RunRequest& request);
  void throw_failure() const;
  Vec state() const { return solution_ ? solution_->y.get() : execution_->integrator().state(); }
  Vec rate() const { return solution_ ? solution_->ydot.get() : execution_->integrator().derivative(); }

  MPI_Comm comm_;
  run::Prepared prepared_;
  PythonSystem* python_ = nullptr; ///< the problem, where it is one
  std::optional<run::Execution> execution_;
  std::optional<run::Solution> solution_;
};

void add_problem_run(py::module_& module);

} // namespace rhumb::python
