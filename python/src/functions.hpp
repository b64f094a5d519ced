#pragma once
/// A system from Python functions of numpy arrays, on this process: what rhumb.solve and rhumb.solve_ode integrate.

#include "views.hpp"
#include <rhumb/dae/system.hpp>
#include <string>
#include <vector>

namespace rhumb::python {

/// What the user gave. Functions are called with `parameters` behind their other arguments unless it is None.
struct Functions {
  struct Event {
    py::object value;               ///< g(t, y, yp), of a rate g(t, y): the event is where it changes sign
    py::object action = py::none(); ///< may change y and yp in place; what it returns that is true stops the run
    int direction = 0;              ///< -1: falling, 1: rising, 0: both
    bool terminal = false;          ///< the run ends there
    std::string name = "";
  };

  py::object function;              ///< F(t, y, yp), of a rate f(t, y)
  bool is_rate = false;             ///< y' = f instead of F = 0
  bool fills = false;               ///< the function has a last argument `out` and fills it
  py::object jacobian = py::none(); ///< alpha dF/dy' + dF/dy from (t, y, yp, alpha), of a rate df/dy from (t, y)
  std::vector<Event> events = {};
  py::object parameters = py::none();
  std::vector<dae::Parameter> parameter_list = {};
  py::object set_parameter = py::none();  ///< (index, value): changes `parameters`
  py::array_t<double> y = {}, ydot = {};  ///< at the start; an empty ydot: not known
  py::object initial_values = py::none(); ///< y at the start from `parameters`, where it depends on them
  std::vector<dae::Kind> kinds = {};      ///< empty: found out
  std::vector<dae::Sign> signs = {};      ///< empty: free
  /// The sparsity of the matrix, as in a CSR matrix, with its diagonal; empty: a full matrix.
  std::vector<PetscInt> pattern_starts = {}, pattern_columns = {};
};

class FunctionSystem final : public dae::System {
public:
  FunctionSystem(Functions functions, double t0);

  std::vector<dae::Field> fields() const override;
  int field_of(PetscInt local) const override { return one_field() ? 0 : static_cast<int>(local); }
  dae::Kind variable_kind(PetscInt local) const override { return kinds_[local]; }
  dae::Offers offers() const override { return {.jacobian = !functions_.jacobian.is_none()}; }
  core::VecHandle create_vector() const override;
  core::MatHandle create_matrix() const override;
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;
  std::vector<dae::Parameter> parameters() const override { return functions_.parameter_list; }
  void set_parameter(std::size_t index, double value) override;

  std::size_t size() const { return static_cast<std::size_t>(functions_.y.size()); }

private:
  /// Beyond this many variables names of their own would only cost memory; signs then hold for all or none.
  bool one_field() const { return size() > dae::small_system; }
  void evaluate(double t, Vec y, Vec ydot, Vec residual);
  void find_kinds(double t0);
  bool has_derivative(double t0, PetscInt variable);
  std::vector<bool> rows_with_derivatives(double t0);
  void insert_sparse(const py::object& csr, double factor, Mat matrix) const;
  void insert_full(const py::object& values, double factor, Mat matrix) const;
  template <class... Arguments>
  py::object call(const py::object& function, Arguments&&... arguments) const;
  dae::AfterEvent act(const Functions::Event& event, double t, Vec y, Vec ydot) const;

  Functions functions_;
  std::vector<dae::Kind> kinds_;
};

} // namespace rhumb::python
