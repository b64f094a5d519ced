#include "solve_bindings.hpp"

#include "solve.hpp"
#include <pybind11/stl.h>

namespace rhumb::python {

namespace {
void add_enums(py::module_& module) {
  py::enum_<dae::Kind>(module, "Kind")
      .value("differential", dae::Kind::differential)
      .value("index1", dae::Kind::index1)
      .value("index2", dae::Kind::index2)
      .value("index3", dae::Kind::index3);
  py::enum_<dae::Sign>(module, "Sign")
      .value("free", dae::Sign::free)
      .value("nonnegative", dae::Sign::nonnegative)
      .value("positive", dae::Sign::positive);
  py::enum_<bdf::ErrorTest>(module, "ErrorTest")
      .value("automatic", bdf::ErrorTest::automatic)
      .value("standard", bdf::ErrorTest::standard)
      .value("exclude", bdf::ErrorTest::exclude)
      .value("filter", bdf::ErrorTest::filter)
      .value("strong", bdf::ErrorTest::strong)
      .value("projected", bdf::ErrorTest::projected);
  py::enum_<bdf::Start>(module, "Start")
      .value("find", bdf::Start::find)
      .value("steady", bdf::Start::steady)
      .value("given", bdf::Start::given);
}

void add_functions(py::module_& module) {
  py::class_<dae::Parameter>(module, "Parameter")
      .def(py::init([](const std::string& name, double value) { return dae::Parameter{.name = name, .value = value}; }))
      .def_readonly("name", &dae::Parameter::name)
      .def_readonly("unit", &dae::Parameter::unit)
      .def_readonly("description", &dae::Parameter::description)
      .def_readonly("value", &dae::Parameter::value)
      .def_readonly("lower", &dae::Parameter::lower)
      .def_readonly("upper", &dae::Parameter::upper);
  py::class_<Functions::Event>(module, "EventFunctions")
      .def(py::init([](py::object value, py::object action, int direction, bool terminal, const std::string& name) {
        return Functions::Event{std::move(value), std::move(action), direction, terminal, name};
      }));
  py::class_<Functions>(module, "Functions")
      .def(py::init<>())
      .def_readwrite("function", &Functions::function)
      .def_readwrite("is_rate", &Functions::is_rate)
      .def_readwrite("fills", &Functions::fills)
      .def_readwrite("jacobian", &Functions::jacobian)
      .def_readwrite("events", &Functions::events)
      .def_readwrite("parameters", &Functions::parameters)
      .def_readwrite("parameter_list", &Functions::parameter_list)
      .def_readwrite("set_parameter", &Functions::set_parameter)
      .def_readwrite("y", &Functions::y)
      .def_readwrite("ydot", &Functions::ydot)
      .def_readwrite("initial_values", &Functions::initial_values)
      .def_readwrite("kinds", &Functions::kinds)
      .def_readwrite("signs", &Functions::signs)
      .def_readwrite("pattern_starts", &Functions::pattern_starts)
      .def_readwrite("pattern_columns", &Functions::pattern_columns);
}

void add_request(py::module_& module) {
  py::class_<SolveRequest>(module, "SolveRequest")
      .def(py::init<>())
      .def_readwrite("t0", &SolveRequest::t0)
      .def_readwrite("t1", &SolveRequest::t1)
      .def_readwrite("rtol", &SolveRequest::rtol)
      .def_readwrite("atol", &SolveRequest::atol)
      .def_readwrite("max_order", &SolveRequest::max_order)
      .def_readwrite("first_step", &SolveRequest::first_step)
      .def_readwrite("max_step", &SolveRequest::max_step)
      .def_readwrite("max_steps", &SolveRequest::max_steps)
      .def_readwrite("error_test", &SolveRequest::error_test)
      .def_readwrite("start", &SolveRequest::start)
      .def_readwrite("t_eval", &SolveRequest::t_eval)
      .def_readwrite("dense_output", &SolveRequest::dense_output)
      .def_readwrite("sensitivities", &SolveRequest::sensitivities)
      .def_readwrite("sensitivity_errors", &SolveRequest::sensitivity_errors)
      .def_readwrite("options", &SolveRequest::options);
}

/// y at the times, [time, variable].
py::array_t<double> states_at(const bdf::Trajectory& trajectory, const py::array_t<double>& times, std::size_t size) {
  py::array_t<double> out({times.size(), static_cast<py::ssize_t>(size)});
  for (py::ssize_t i = 0; i < times.size(); ++i) {
    const auto y = trajectory.at(times.at(i));
    std::copy(y.begin(), y.end(), out.mutable_data(i, 0));
  }
  return out;
}

void add_result(py::module_& module) {
  py::class_<bdf::Trajectory>(module, "Trajectory")
      .def("times",
           [](const bdf::Trajectory& trajectory) {
             const auto times = trajectory.times();
             return py::array_t<double>(static_cast<py::ssize_t>(times.size()), times.data());
           })
      .def("states", states_at);
  py::class_<SolveResult::Event>(module, "LocatedEvent")
      .def_readonly("t", &SolveResult::Event::t)
      .def_readonly("which", &SolveResult::Event::which)
      .def_readonly("y", &SolveResult::Event::y);
  py::class_<SolveResult>(module, "SolveResult")
      .def_readonly("reason", &SolveResult::reason)
      .def_readonly("message", &SolveResult::message)
      .def_readonly("t", &SolveResult::t)
      .def_readonly("trajectory", &SolveResult::trajectory)
      .def_readonly("sensitivity_trajectories", &SolveResult::sensitivity_trajectories)
      .def_readonly("sensitivities_eval", &SolveResult::sensitivities_eval)
      .def_readonly("sensitivities_end", &SolveResult::sensitivities_end)
      .def_readonly("y_end", &SolveResult::y_end)
      .def_readonly("y_eval", &SolveResult::y_eval)
      .def_readonly("events", &SolveResult::events)
      .def_property_readonly("statistics",
                             [](const SolveResult& result) { return statistics_dict(result.statistics); });
}
} // namespace

py::dict statistics_dict(const bdf::Statistics& s) {
  using namespace py::literals;
  return py::dict("steps"_a = s.steps, "residual_evals"_a = s.residual_evals,
                  "residual_evals_jacobian"_a = s.residual_evals_jacobian, "jacobian_evals"_a = s.jacobian_evals,
                  "pc_setups"_a = s.pc_setups, "newton_iterations"_a = s.newton_iterations,
                  "linear_iterations"_a = s.linear_iterations, "error_test_failures"_a = s.error_test_failures,
                  "convergence_failures"_a = s.convergence_failures, "constraint_failures"_a = s.constraint_failures,
                  "restarts"_a = s.restarts, "h_min"_a = s.h_min, "h_max"_a = s.h_max,
                  "order_histogram"_a = std::vector<long>(s.order_histogram.begin() + 1, s.order_histogram.end()));
}

void add_solve(py::module_& module) {
  add_enums(module);
  add_functions(module);
  add_request(module);
  add_result(module);
  module.def("solve", &solve_functions);
}

} // namespace rhumb::python
