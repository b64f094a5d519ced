#include "problem_run.hpp"

#include "interrupt.hpp"
#include "petsc_objects.hpp"
#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/physics/network/pipes.hpp>
#include <rhumb/run/case_file.hpp>
#include <rhumb/run/error_bars.hpp>
#include <apps/ignite/cases.hpp>
#include <apps/mesh/cases.hpp>
#include <fmt/format.h>

namespace rhumb::python {

namespace {
/// What a command line may ask for instead of a run.
void reject_other_requests(const core::Options& given) {
  if (given.given("study")) throw core::BadInput("option study: a study is no run; rhumb.sweep makes many");
  for (const char* name : {"check", "help"})
    if (given.given(name)) throw core::BadInput(fmt::format("option {}: for a command line only", name));
}
} // namespace

ProblemRun::ProblemRun(const RunRequest& request)
    : comm_object_(request.comm), comm_(comm_of(request.comm)),
      agreement_(comm_, "rhumb"), caller_{.app = request.driver.empty() ? "rhumb" : "rhumb-" + request.driver} {
  const Interrupt interrupt;
  try {
    agreement_.phase([&] { build(request); });
    recorder_ = std::make_shared<SeriesRecorder>(*prepared_.problem, prepared_.settings.output_times);
    execution_.emplace(*prepared_.problem, prepared_.settings, run::Observers{recorder_});
    execution_->begin();
  } catch (const run::Ended& ended) {
    throw_failure(ended.code(), ended.what());
  }
}

run::Make ProblemRun::make_of(const RunRequest& request) const {
  if (request.driver == "flow") return flow::make_flow;
  if (request.driver == "heat") return heat::make_heat;
  if (request.driver == "mesh") return mesh_cases::make;
  if (request.driver == "ignite") return ignite_cases::make;
  if (request.driver == "pde") return text::make_pde;
  if (request.driver == "pipes") return network::make_pipes;
  if (!request.driver.empty()) throw core::BadInput(fmt::format("no driver '{}'", request.driver));
  return [system = request.system, failure = failure_](MPI_Comm, const core::Options&) {
    return std::make_unique<PythonSystem>(system, failure);
  };
}

void ProblemRun::build(const RunRequest& request) {
  make_ = make_of(request);
  given_ = core::Options(request.options);
  if (!request.case_file.empty()) run::take_case(run::read_case_file(comm_, request.case_file), given_);
  if (!request.case_text.empty()) run::take_case(run::parse_case(request.case_text, "the text"), given_);
  reject_other_requests(given_);
  prepared_ = run::prepare(comm_, make_, given_, caller_);
  prepared_.settings.keep_states = prepared_.settings.out.empty(); // else they are in the folder
  prepared_.settings.stop_signal = Interrupt::received;
}

bool ProblemRun::step() {
  const Interrupt interrupt;
  return execution_ && execution_->step();
}

void ProblemRun::finish() {
  if (!execution_) return;
  const Interrupt interrupt;
  try {
    solution_ = execution_->finish();
    execution_.reset();
    if (prepared_.error_bars && solution_->done()) add_error_bars();
  } catch (const run::Ended& ended) {
    execution_.reset();
    throw_failure(ended.code(), ended.what());
  }
  const auto code = solution_->code();
  using core::ExitCode;
  if (code == ExitCode::done || code == ExitCode::stopped || code == ExitCode::solver_gave_up) return;
  throw_failure(code, solution_->message());
}

void ProblemRun::add_error_bars() {
  std::vector<std::string> remarks;
  run::Summary& summary = solution_->summary;
  summary.errors = run::ErrorBarRuns(comm_, agreement_, make_, given_, caller_).find(prepared_, *solution_, remarks);
  const std::string& out = prepared_.settings.out;
  if (!out.empty()) agreement_.phase([&] { run::write_run_json(comm_, out, summary); });
}

/// A failure of all ranks: what this rank's Python raised, else an exception of the failure's sort.
void ProblemRun::throw_failure(core::ExitCode code, const std::string& message) const {
  // Handed over: its traceback refers to the frame that holds the run, which could not be destroyed else.
  if (const auto failure = std::exchange(*failure_, nullptr)) std::rethrow_exception(failure);
  switch (code) {
  case core::ExitCode::bad_input:
    throw core::BadInput(message);
  case core::ExitCode::input_output:
    throw core::InputOutput(message);
  default:
    throw core::FailedElsewhere(message);
  }
}

double ProblemRun::t() const {
  return solution_ ? solution_->t : execution().integrator().time();
}

bdf::Statistics ProblemRun::statistics() const {
  return solution_ ? solution_->statistics() : execution().integrator().statistics();
}

const run::Execution& ProblemRun::execution() const {
  if (!execution_) throw std::logic_error("the run failed: it has no state");
  return *execution_;
}

const run::Solution& ProblemRun::solution() const {
  if (!solution_) throw std::logic_error("the run is not over");
  return *solution_;
}

} // namespace rhumb::python
