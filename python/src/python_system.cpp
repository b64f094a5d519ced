#include "python_system.hpp"

#include "exceptions.hpp"
#include "petsc_objects.hpp"
#include "views.hpp"
#include <rhumb/core/check.hpp>
#include <fmt/format.h>
#include <pybind11/stl.h>

namespace rhumb::python {

using core::check;

template <class Body>
auto PythonSystem::calling(Body&& body) const {
  try {
    return translated(std::forward<Body>(body));
  } catch (const core::Recoverable&) {
    throw;
  } catch (...) {
    if (!*failure_) *failure_ = std::current_exception();
    throw;
  }
}

PythonSystem::PythonSystem(py::object system, PythonFailure failure)
    : system_(std::move(system)), failure_(std::move(failure)) {
  calling([&] {
    fields_ = py::cast<std::vector<dae::Field>>(system_.attr("_fields")());
    if (defines("kinds")) kinds_ = py::cast<std::vector<dae::Kind>>(system_.attr("_kinds")());
  });
  PetscInt local = 0;
  check(VecGetLocalSize(create_vector(), &local));
  if (!kinds_.empty() && kinds_.size() != static_cast<std::size_t>(local))
    throw core::BadInput(fmt::format("kinds() has {} entries, this rank has {} of y", kinds_.size(), local));
}

bool PythonSystem::defines(const char* method) const {
  const py::object base = py::module_::import("rhumb").attr("System");
  return !py::getattr(py::type::of(system_), method).is(py::getattr(base, method));
}

std::string PythonSystem::name() const {
  return py::cast<std::string>(system_.attr("name"));
}
double PythonSystem::t_start() const {
  return py::cast<double>(system_.attr("t_start"));
}
double PythonSystem::t_end() const {
  return py::cast<double>(system_.attr("t_end"));
}

core::VecHandle PythonSystem::create_vector() const {
  return calling([&] { return core::VecHandle(vec_reference(system_.attr("create_vector")())); });
}

core::MatHandle PythonSystem::create_matrix() const {
  if (!defines("create_matrix")) return Problem::create_matrix();
  return calling([&] { return core::MatHandle(mat_reference(system_.attr("create_matrix")())); });
}

void PythonSystem::initial_values(double t, Vec y, Vec ydot) {
  check(VecSet(ydot, 0.0));
  calling([&] { system_.attr("initial_values")(t, to_python(y), to_python(ydot)); });
}

void PythonSystem::residual(double t, Vec y, Vec ydot, Vec residual) {
  calling([&] { system_.attr("residual")(t, to_python(y), to_python(ydot), to_python(residual)); });
}

dae::Offers PythonSystem::offers() const {
  return {.jacobian = defines("jacobian"), .product = defines("product"), .mass_product = defines("mass_product")};
}

dae::Kind PythonSystem::variable_kind(PetscInt local) const {
  if (!kinds_.empty()) return kinds_[local];
  return fields_[static_cast<std::size_t>(local) % fields_.size()].kind;
}

void PythonSystem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  calling([&] { system_.attr("jacobian")(t, to_python(y), to_python(ydot), alpha, to_python(jacobian)); });
}

void PythonSystem::product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) {
  calling([&] { system_.attr("product")(t, to_python(y), to_python(ydot), alpha, to_python(v), to_python(product)); });
}

void PythonSystem::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  calling([&] { system_.attr("mass_product")(t, to_python(y), to_python(ydot), to_python(v), to_python(product)); });
}

void PythonSystem::configure(PC preconditioner, Mat matrix) const {
  if (!defines("configure")) return Problem::configure(preconditioner, matrix);
  calling([&] { system_.attr("configure")(to_python(preconditioner), to_python(matrix)); });
}

std::vector<dae::Event> PythonSystem::events() const {
  std::vector<dae::Event> out;
  calling([&] {
    for (const auto& item : system_.attr("events")()) {
      const auto [name, direction] = py::cast<std::pair<std::string, int>>(item);
      out.push_back({name, static_cast<dae::Event::Direction>(direction)});
    }
  });
  return out;
}

void PythonSystem::event_values(double t, Vec y, Vec ydot, std::span<double> values) {
  calling([&] { copy_result(system_.attr("event_values")(t, to_python(y), to_python(ydot)), values, "event_values"); });
}

dae::AfterEvent PythonSystem::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  const std::vector<int> list(which.begin(), which.end());
  return calling(
      [&] { return py::cast<dae::AfterEvent>(system_.attr("_on_event")(t, list, to_python(y), to_python(ydot))); });
}

void PythonSystem::after_step(double t, Vec y, Vec ydot) {
  if (defines("after_step")) calling([&] { system_.attr("after_step")(t, to_python(y), to_python(ydot)); });
}

dae::Figures PythonSystem::report(double t, Vec y, Vec ydot) {
  dae::Figures out;
  calling([&] {
    const py::dict figures = system_.attr("figures")(t, to_python(y), to_python(ydot));
    for (const auto& [name, value] : figures)
      out.emplace_back(py::cast<std::string>(name), py::cast<dae::Figure>(value));
  });
  return out;
}

} // namespace rhumb::python
