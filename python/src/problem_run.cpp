#include "problem_run.hpp"

#include "field_blocks.hpp"
#include "interrupt.hpp"
#include "petsc_objects.hpp"
#include "solve_bindings.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/case_file.hpp>
#include <apps/ignite/cases.hpp>
#include <apps/mesh/cases.hpp>
#include <fmt/format.h>
#include <pybind11/stl.h>

namespace rhumb::python {

namespace {
run::Make make_of(const RunRequest& request, PythonSystem*& python) {
  if (request.driver == "flow") return flow::make_flow;
  if (request.driver == "heat") return heat::make_heat;
  if (request.driver == "mesh") return mesh_cases::make;
  if (request.driver == "ignite") return ignite_cases::make;
  if (!request.driver.empty()) throw core::BadInput(fmt::format("no driver '{}'", request.driver));
  return [&](MPI_Comm, const core::Options&) {
    auto system = std::make_unique<PythonSystem>(request.system);
    python = system.get();
    return system;
  };
}

/// A failure of all ranks as the exception of its sort.
[[noreturn]] void throw_ended(core::ExitCode code, const std::string& message) {
  switch (code) {
  case core::ExitCode::bad_input:
    throw core::BadInput(message);
  case core::ExitCode::input_output:
    throw core::InputOutput(message);
  default:
    throw core::FailedElsewhere(message);
  }
}
} // namespace

ProblemRun::ProblemRun(const RunRequest& request) : comm_(comm_of(request.comm)) {
  const Interrupt interrupt;
  try {
    run::Agreement agreement(comm_, "rhumb");
    agreement.phase([&] { build(request); });
    execution_.emplace(*prepared_.problem, prepared_.settings, run::Observers{});
    execution_->begin();
  } catch (const run::Ended& ended) {
    throw_failure();
    throw_ended(ended.code(), ended.what());
  }
}

void ProblemRun::build(const RunRequest& request) {
  core::Options options(request.options);
  if (!request.case_file.empty()) run::take_case(run::read_case_file(comm_, request.case_file), options);
  prepared_ = run::prepare(comm_, make_of(request, python_), options, {.app = "rhumb." + request.driver});
  if (prepared_.settings.out.empty()) prepared_.settings.checkpoint_dt = 0.0;
  prepared_.settings.keep_states = true;
  prepared_.settings.stop_signal = Interrupt::received;
}

bool ProblemRun::step() {
  const Interrupt interrupt;
  if (solution_) return false;
  return execution_->step();
}

void ProblemRun::finish() {
  if (solution_) return;
  try {
    solution_ = execution_->finish();
  } catch (const run::Ended& ended) {
    throw_failure();
    throw_ended(ended.code(), ended.what());
  }
  throw_failure();
  const auto code = solution_->code();
  if (code == core::ExitCode::bad_input || code == core::ExitCode::input_output || code == core::ExitCode::bug)
    throw_ended(code, solution_->message());
}

void ProblemRun::throw_failure() const {
  if (!python_) return;
  if (const auto failure = python_->take_failure()) std::rethrow_exception(failure);
}

double ProblemRun::t() const {
  return solution_ ? solution_->t : execution_->integrator().time();
}
py::object ProblemRun::y() const {
  return to_python(state());
}
py::object ProblemRun::ydot() const {
  return to_python(rate());
}

py::dict ProblemRun::statistics() const {
  return statistics_dict(execution_->integrator().statistics());
}

py::dict ProblemRun::mesh() {
  return mesh_dict(*prepared_.problem, t(), state());
}

py::list ProblemRun::fields() {
  return field_list(comm_, *prepared_.problem, t(), state(), rate());
}

py::dict ProblemRun::options() const {
  py::dict out;
  for (const auto& option : prepared_.settings.options.declared()) out[py::str(option.name)] = option.value;
  return out;
}

const run::Solution& ProblemRun::solution() const {
  if (!solution_) throw std::logic_error("the run is not over");
  return *solution_;
}

namespace {
py::dict summary_of(const ProblemRun& run) {
  const run::Solution& solution = run.solution();
  py::dict out;
  out["reason"] = solution.reason();
  out["message"] = solution.message();
  py::dict figures;
  for (const auto& [name, value] : solution.summary.results) figures[py::str(name)] = value;
  out["figures"] = figures;
  py::list events;
  for (const auto& event : solution.events) events.append(py::make_tuple(event.t, event.name));
  out["events"] = events;
  out["output_times"] = solution.output_times;
  py::list states;
  for (const auto& state : solution.states) states.append(to_python(state.get()));
  out["states"] = states;
  return out;
}
} // namespace

void add_problem_run(py::module_& module) {
  import_petsc4py_api();
  py::enum_<dae::AfterEvent>(module, "AfterEvent")
      .value("go_on", dae::AfterEvent::go_on)
      .value("restart", dae::AfterEvent::restart)
      .value("stop", dae::AfterEvent::stop);
  py::class_<dae::Field>(module, "FieldDescription")
      .def(py::init([](const std::string& name, const std::string& unit, dae::Kind kind, dae::Sign sign) {
        return dae::Field{.name = name, .unit = unit, .kind = kind, .sign = sign};
      }));
  py::class_<RunRequest>(module, "RunRequest")
      .def(py::init<>())
      .def_readwrite("driver", &RunRequest::driver)
      .def_readwrite("system", &RunRequest::system)
      .def_readwrite("case_file", &RunRequest::case_file)
      .def_readwrite("options", &RunRequest::options)
      .def_readwrite("comm", &RunRequest::comm);
  py::class_<ProblemRun>(module, "ProblemRun")
      .def(py::init<const RunRequest&>())
      .def("step", &ProblemRun::step)
      .def("finish", &ProblemRun::finish)
      .def_property_readonly("t", &ProblemRun::t)
      .def_property_readonly("y", &ProblemRun::y)
      .def_property_readonly("ydot", &ProblemRun::ydot)
      .def_property_readonly("statistics", &ProblemRun::statistics)
      .def_property_readonly("options", &ProblemRun::options)
      .def_property_readonly("parameters", &ProblemRun::parameters)
      .def("mesh", &ProblemRun::mesh)
      .def("fields", &ProblemRun::fields)
      .def_property_readonly("summary", &summary_of)
      .def("at", [](const ProblemRun& run, double t) { return to_python(run.solution().at(t).get()); });
}

} // namespace rhumb::python
