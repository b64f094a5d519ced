#pragma once
/// A System that is a Python class on petsc4py's vectors (rhumb.System): every member here calls the method of the same
/// name. What the class defines is what it offers.

#include <rhumb/dae/problem.hpp>
#include <exception>
#include <memory>
#include <pybind11/pybind11.h>
#include <utility>

namespace rhumb::python {

namespace py = pybind11;

/// The first exception that a method raised on this rank; null: none. It outlives a system that could not be made.
using PythonFailure = std::shared_ptr<std::exception_ptr>;

class PythonSystem final : public dae::Problem {
public:
  PythonSystem(py::object system, PythonFailure failure);

  std::string name() const override;
  double t_start() const override;
  double t_end() const override;
  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override;
  core::MatHandle create_matrix() const override;
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  dae::Offers offers() const override;
  dae::Kind variable_kind(PetscInt local) const override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;
  void configure(PC preconditioner, Mat matrix) const override;
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;
  void after_step(double t, Vec y, Vec ydot) override;
  dae::Figures report(double t, Vec y, Vec ydot) override;

private:
  /// Whether the class defines the method itself.
  bool defines(const char* method) const;
  /// Runs `body`, which calls Python, and remembers what it throws.
  template <class Body>
  auto calling(Body&& body) const;

  py::object system_;
  std::vector<dae::Field> fields_;
  std::vector<dae::Kind> kinds_; ///< of each local entry, where the class gives them
  PythonFailure failure_;
};

} // namespace rhumb::python
