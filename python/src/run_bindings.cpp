#include "run_bindings.hpp"

#include "field_blocks.hpp"
#include "interrupt.hpp"
#include "petsc_objects.hpp"
#include "problem_run.hpp"
#include "solve_bindings.hpp"
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace rhumb::python {

namespace {
py::dict options_of(const ProblemRun& run) {
  py::dict out;
  for (const auto& option : run.settings().options.declared()) out[py::str(option.name)] = option.value;
  return out;
}

py::dict errors_of(const run::Summary& summary) {
  using namespace py::literals;
  py::dict out;
  for (const auto& bar : summary.errors)
    out[py::str(bar.figure)] = py::dict("time"_a = bar.time, "space"_a = bar.space, "total"_a = bar.total());
  return out;
}

/// By figure, then by parameter: as in run.json.
py::dict sensitivities_of(const run::Summary& summary) {
  py::dict out;
  for (const auto& by : summary.sensitivities)
    for (const auto& [figure, derivative] : by.figures) {
      const py::str name(figure);
      if (!out.contains(name)) out[name] = py::dict();
      out[name][py::str(by.parameter)] = derivative;
    }
  return out;
}

py::dict gradients_of(const run::Summary& summary) {
  py::dict out;
  for (const auto& [figure, gradient] : summary.gradients) {
    py::dict by;
    for (const auto& [parameter, derivative] : gradient) by[py::str(parameter)] = derivative;
    out[py::str(figure)] = by;
  }
  return out;
}

/// What a run that is over reports.
py::dict summary_of(const ProblemRun& run) {
  const run::Solution& solution = run.solution();
  py::dict out;
  out["reason"] = solution.reason();
  out["message"] = solution.message();
  py::dict figures;
  for (const auto& [name, value] : solution.summary.results) figures[py::str(name)] = value;
  out["figures"] = figures;
  out["errors"] = errors_of(solution.summary);
  out["sensitivities"] = sensitivities_of(solution.summary);
  out["gradients"] = gradients_of(solution.summary);
  py::list events;
  for (const auto& event : solution.events) events.append(py::make_tuple(event.t, event.name));
  out["events"] = events;
  out["wall_seconds"] = solution.summary.wall_seconds;
  return out;
}

py::list states_of(const ProblemRun& run) {
  py::list out;
  for (const auto& state : run.solution().states) out.append(to_python(state.get()));
  return out;
}

py::dict recorded_series(const ProblemRun& run) {
  py::dict out;
  for (const auto& [name, values] : run.recorder().series())
    out[py::str(name)] = py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
  return out;
}

py::dict series_at(const ProblemRun& run, double t, const py::object& y, const py::object& ydot) {
  py::dict out;
  for (const auto& [name, value] : run.problem().series(t, vec_of(y), vec_of(ydot))) out[py::str(name)] = value;
  return out;
}

void add_requests(py::module_& module) {
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
      .def_readwrite("case_text", &RunRequest::case_text)
      .def_readwrite("options", &RunRequest::options)
      .def_readwrite("comm", &RunRequest::comm);
}

/// `with DeferredInterrupt(): ...`: Ctrl-C inside is the run's business, not Python's.
void add_interrupt(py::module_& module) {
  struct Scope {
    std::optional<Interrupt> interrupt;
  };
  py::class_<Scope>(module, "DeferredInterrupt")
      .def(py::init<>())
      .def("__enter__", [](Scope& scope) { scope.interrupt.emplace(); })
      .def("__exit__", [](Scope& scope, const py::args&) { scope.interrupt.reset(); });
}
} // namespace

void add_runs(py::module_& module) {
  import_petsc4py_api();
  add_requests(module);
  add_interrupt(module);
  py::class_<ProblemRun>(module, "ProblemRun")
      .def(py::init<const RunRequest&>())
      .def("step", &ProblemRun::step)
      .def("finish", &ProblemRun::finish)
      .def_property_readonly("t", &ProblemRun::t)
      .def_property_readonly("y", [](const ProblemRun& run) { return to_python(run.y()); })
      .def_property_readonly("ydot", [](const ProblemRun& run) { return to_python(run.ydot()); })
      .def_property_readonly("statistics", [](const ProblemRun& run) { return statistics_dict(run.statistics()); })
      .def_property_readonly("options", &options_of)
      .def_property_readonly("parameters", [](const ProblemRun& run) { return run.problem().parameters(); })
      .def_property_readonly("t_end", [](const ProblemRun& run) { return run.settings().t_end; })
      .def("mesh",
           [](const ProblemRun& run, double t, const py::object& y) { return mesh_dict(run.problem(), t, vec_of(y)); })
      .def("fields",
           [](const ProblemRun& run, double t, const py::object& y, const py::object& ydot) {
             return field_list(run.comm(), run.problem(), t, vec_of(y), vec_of(ydot));
           })
      .def("series", &series_at)
      .def_property_readonly("recorded_times", [](const ProblemRun& run) { return run.recorder().times(); })
      .def_property_readonly("recorded_series", &recorded_series)
      .def_property_readonly("states", &states_of)
      .def_property_readonly("summary", &summary_of);
}

} // namespace rhumb::python
