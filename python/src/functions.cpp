#include "functions.hpp"

#include "exceptions.hpp"
#include <rhumb/core/arrays.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace rhumb::python {

using core::check;

namespace {
using Indices = py::array_t<PetscInt, py::array::c_style | py::array::forcecast>;
using Reals = py::array_t<double, py::array::c_style | py::array::forcecast>;

void copy_into(const py::array_t<double>& values, Vec vector) {
  std::copy_n(values.data(), values.size(), core::Writable(vector).begin());
}
} // namespace

FunctionSystem::FunctionSystem(Functions functions, double t0)
    : functions_(std::move(functions)), kinds_(functions_.kinds) {
  if (kinds_.empty() && functions_.is_rate) kinds_.assign(size(), dae::Kind::differential);
  if (kinds_.empty()) find_kinds(t0);
}

std::vector<dae::Field> FunctionSystem::fields() const {
  const auto& signs = functions_.signs;
  if (one_field()) return {{.name = "y", .sign = signs.empty() ? dae::Sign::free : signs.front()}};
  std::vector<dae::Field> out;
  for (std::size_t i = 0; i < size(); ++i)
    out.push_back(
        {.name = fmt::format("y{}", i), .kind = kinds_[i], .sign = signs.empty() ? dae::Sign::free : signs[i]});
  return out;
}

core::VecHandle FunctionSystem::create_vector() const {
  core::VecHandle y;
  check(VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(size()), y.out()));
  return y;
}

core::MatHandle FunctionSystem::create_matrix() const {
  const auto& starts = functions_.pattern_starts;
  if (starts.empty() && one_field())
    throw core::BadInput(fmt::format("a system of {} variables needs jac_sparsity, or a jac that returns a sparse "
                                     "matrix: a full one is made for at most {}",
                                     size(), dae::small_system));
  if (starts.empty()) return System::create_matrix();
  const auto n = static_cast<PetscInt>(size());
  std::vector<PetscInt> per_row(size());
  for (std::size_t i = 0; i < size(); ++i) per_row[i] = starts[i + 1] - starts[i];
  core::MatHandle matrix;
  check(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, per_row.data(), matrix.out()));
  const std::vector<PetscScalar> zeros(static_cast<std::size_t>(std::ranges::max(per_row)), 0.0);
  for (PetscInt row = 0; row < n; ++row) {
    const PetscInt first = starts[row];
    check(MatSetValues(matrix, 1, &row, per_row[row], functions_.pattern_columns.data() + first, zeros.data(),
                       INSERT_VALUES));
  }
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

void FunctionSystem::initial_values(double, Vec y, Vec ydot) {
  copy_into(functions_.y, y);
  if (!functions_.initial_values.is_none())
    translated([&] { copy_result(functions_.initial_values(functions_.parameters), core::Writable(y).span(), "y0"); });
  if (functions_.ydot.size() > 0)
    copy_into(functions_.ydot, ydot);
  else
    check(VecSet(ydot, 0.0));
}

template <class... Arguments>
py::object FunctionSystem::call(const py::object& function, Arguments&&... arguments) const {
  if (functions_.parameters.is_none()) return function(std::forward<Arguments>(arguments)...);
  return function(std::forward<Arguments>(arguments)..., functions_.parameters);
}

/// F, or f where the function is a rate. `out` stands last, behind the parameters.
void FunctionSystem::evaluate(double t, Vec y, Vec ydot, Vec residual) {
  const py::object& function = functions_.function;
  const py::array out = writable(residual);
  const bool plain = functions_.parameters.is_none();
  py::object result;
  if (functions_.is_rate && functions_.fills)
    plain ? function(t, readable(y), out) : function(t, readable(y), functions_.parameters, out);
  else if (functions_.is_rate)
    result = call(function, t, readable(y));
  else if (functions_.fills)
    plain ? function(t, readable(y), readable(ydot), out)
          : function(t, readable(y), readable(ydot), functions_.parameters, out);
  else
    result = call(function, t, readable(y), readable(ydot));
  if (!functions_.fills) copy_result(result, core::Writable(residual).span(), functions_.is_rate ? "f" : "F");
}

void FunctionSystem::residual(double t, Vec y, Vec ydot, Vec residual) {
  translated([&] { evaluate(t, y, ydot, residual); });
  if (functions_.is_rate) check(VecAYPX(residual, -1.0, ydot)); // y' - f
}

void FunctionSystem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  check(MatZeroEntries(jacobian));
  translated([&] {
    const py::object& function = functions_.jacobian;
    const py::object result =
        functions_.is_rate ? call(function, t, readable(y)) : call(function, t, readable(y), readable(ydot), alpha);
    const double factor = functions_.is_rate ? -1.0 : 1.0;
    py::hasattr(result, "tocsr") ? insert_sparse(result.attr("tocsr")(), factor, jacobian)
                                 : insert_full(result, factor, jacobian);
  });
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
  if (functions_.is_rate) check(MatShift(jacobian, alpha));
}

void FunctionSystem::insert_sparse(const py::object& csr, double factor, Mat matrix) const {
  const auto starts = Indices::ensure(csr.attr("indptr")), columns = Indices::ensure(csr.attr("indices"));
  const auto values = Reals::ensure(csr.attr("data"));
  if (!starts || !columns || !values) throw py::error_already_set();
  if (static_cast<std::size_t>(starts.size()) != size() + 1)
    throw py::value_error(fmt::format("jac returned a matrix of {} rows, expected {}", starts.size() - 1, size()));
  std::vector<PetscScalar> row_values;
  for (PetscInt row = 0; row < static_cast<PetscInt>(size()); ++row) {
    const PetscInt first = starts.at(row), count = starts.at(row + 1) - first;
    row_values.assign(values.data() + first, values.data() + first + count);
    for (double& value : row_values) value *= factor;
    if (MatSetValues(matrix, 1, &row, count, columns.data() + first, row_values.data(), INSERT_VALUES) != 0)
      throw py::value_error(fmt::format("jac returned an entry in row {} that is not in the matrix of the start, or "
                                        "not in jac_sparsity",
                                        row));
  }
}

void FunctionSystem::insert_full(const py::object& values, double factor, Mat matrix) const {
  std::vector<double> entries(size() * size());
  copy_result(values, entries, "jac");
  for (double& value : entries) value *= factor;
  std::vector<PetscInt> indices(size());
  std::iota(indices.begin(), indices.end(), 0);
  const auto n = static_cast<PetscInt>(size());
  check(MatSetValues(matrix, n, indices.data(), n, indices.data(), entries.data(), INSERT_VALUES));
}

std::vector<dae::Event> FunctionSystem::events() const {
  std::vector<dae::Event> out;
  for (const auto& event : functions_.events)
    out.push_back({event.name, static_cast<dae::Event::Direction>(event.direction)});
  return out;
}

void FunctionSystem::event_values(double t, Vec y, Vec ydot, std::span<double> values) {
  translated([&] {
    const py::array state = readable(y), rate = readable(ydot);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const py::object& value = functions_.events[i].value;
      const py::object result = functions_.is_rate ? call(value, t, state) : call(value, t, state, rate);
      values[i] = py::float_(result);
    }
  });
}

dae::AfterEvent FunctionSystem::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  auto after = dae::AfterEvent::go_on;
  for (const int i : which) after = std::max(after, act(functions_.events[i], t, y, ydot));
  return after;
}

dae::AfterEvent FunctionSystem::act(const Functions::Event& event, double t, Vec y, Vec ydot) const {
  using dae::AfterEvent;
  if (event.action.is_none()) return event.terminal ? AfterEvent::stop : AfterEvent::go_on;
  const py::object result =
      functions_.is_rate ? call(event.action, t, writable(y)) : call(event.action, t, writable(y), writable(ydot));
  return event.terminal || py::cast<bool>(py::bool_(result)) ? AfterEvent::stop : AfterEvent::restart;
}

void FunctionSystem::set_parameter(std::size_t index, double value) {
  functions_.parameter_list.at(index).value = value;
  functions_.set_parameter(index, value);
}

/// A variable whose derivative stands in no equation is of index 1. Of many variables the equation with the same number
/// decides.
void FunctionSystem::find_kinds(double t0) {
  using dae::Kind;
  kinds_.assign(size(), Kind::differential);
  if (one_field()) {
    const auto has = rows_with_derivatives(t0);
    for (std::size_t i = 0; i < size(); ++i) kinds_[i] = has[i] ? Kind::differential : Kind::index1;
    return;
  }
  for (std::size_t i = 0; i < size(); ++i)
    if (!has_derivative(t0, static_cast<PetscInt>(i))) kinds_[i] = Kind::index1;
}

/// Whether F depends on y'_i: it is evaluated with two rates at two states, so that no product vanishes by chance.
bool FunctionSystem::has_derivative(double t0, PetscInt variable) {
  constexpr double moved_by = 1e-4;
  const auto y = create_vector(), rate = create_vector(), f = create_vector(), moved = create_vector();
  initial_values(t0, y, rate);
  for (const double shift : {0.0, moved_by}) {
    {
      const core::Writable values(y);
      for (double& value : values) value += shift * (1.0 + std::abs(value));
    }
    residual(t0, y, rate, f);
    double before = 0.0;
    check(VecGetValues(rate, 1, &variable, &before));
    check(VecSetValue(rate, variable, before + 1.0 + std::abs(before), INSERT_VALUES));
    residual(t0, y, rate, moved);
    check(VecSetValue(rate, variable, before, INSERT_VALUES));
    const core::Readable one(f), other(moved);
    if (!std::equal(one.begin(), one.end(), other.begin())) return true;
  }
  return false;
}

/// Which equations change when all rates do.
std::vector<bool> FunctionSystem::rows_with_derivatives(double t0) {
  const auto y = create_vector(), rate = create_vector(), f = create_vector(), moved = create_vector();
  initial_values(t0, y, rate);
  residual(t0, y, rate, f);
  {
    const core::Writable values(rate);
    for (double& value : values) value += 1.0 + std::abs(value);
  }
  residual(t0, y, rate, moved);
  const core::Readable one(f), other(moved);
  std::vector<bool> out(size());
  for (std::size_t i = 0; i < size(); ++i) out[i] = one[i] != other[i];
  return out;
}

} // namespace rhumb::python
