#include "small_problem.hpp"

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::problems {

using core::check;

namespace {
/// How far a rough start puts the algebraic variables off.
constexpr double rough_offset = 0.1;
} // namespace

bool SmallProblem::first_rank() const {
  return core::rank_of(comm_) == 0;
}

SmallProblem::SmallProblem(MPI_Comm comm, std::string name, std::vector<dae::Field> fields,
                           const core::Options& options)
    : comm_(comm), name_(std::move(name)), fields_(std::move(fields)),
      rough_start_(
          options.choice("start_values", "consistent", {"consistent", "rough"},
                         {"rough: derivatives zero and algebraic variables off, left to the consistent start"}) ==
          "rough"),
      last_{Dense(fields_.size()), Dense(fields_.size())} {
  parameters_.on_change([this] { where_.reset(); });
}

core::VecHandle SmallProblem::create_vector() const {
  const auto global = static_cast<PetscInt>(size());
  core::VecHandle y;
  check(VecCreateMPI(comm_, first_rank() ? global : 0, global, y.out()));
  return y;
}

void SmallProblem::initial_values(double t, Vec y, Vec ydot) {
  const core::Writable value(y), rate(ydot);
  if (value.size() == 0) return;
  std::fill(rate.begin(), rate.end(), 0.0);
  start(t, value.span(), rate.span());
  if (!rough_start_) return;
  std::fill(rate.begin(), rate.end(), 0.0);
  for (std::size_t i = 0; i < size(); ++i)
    if (fields_[i].kind != dae::Kind::differential) value[i] += rough_offset;
}

void SmallProblem::residual(double t, Vec y, Vec ydot, Vec residual) {
  const core::Readable value(y), rate(ydot);
  const core::Writable f(residual);
  if (f.size() > 0) evaluate(t, value.span(), rate.span(), f.span());
}

const Linearisation& SmallProblem::linearised(double t, Vec y, Vec ydot) {
  const Where now{t, core::contents_of(y), core::contents_of(ydot)};
  if (where_ == now) return last_;
  where_.reset();
  const core::Readable value(y), rate(ydot);
  last_.dy.clear();
  last_.dydot.clear();
  if (value.size() > 0) linearise(t, value.span(), rate.span(), last_);
  where_ = now;
  return last_;
}

void SmallProblem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const Linearisation& at = linearised(t, y, ydot);
  std::vector<PetscInt> columns(first_rank() ? size() : 0);
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = static_cast<PetscInt>(j);
  std::vector<PetscScalar> row(columns.size());
  const auto count = static_cast<PetscInt>(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = alpha * at.dydot(i, j) + at.dy(i, j);
    check(MatSetValues(jacobian, 1, &columns[i], count, columns.data(), row.data(), INSERT_VALUES));
  }
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

void SmallProblem::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  const Linearisation& at = linearised(t, y, ydot);
  const core::Readable factor(v);
  const core::Writable out(product);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = 0.0;
    for (std::size_t j = 0; j < out.size(); ++j) out[i] += at.dydot(i, j) * factor[j];
  }
}

void SmallProblem::hidden_constraint(double t, Vec y, Vec ydot, Vec residual) {
  const core::Readable value(y), rate(ydot);
  const core::Writable f(residual);
  std::vector<double> derivative(f.size(), 0.0);
  if (f.size() > 0) hidden(t, value.span(), rate.span(), derivative);
  for (std::size_t i = 0; i < f.size(); ++i)
    if (equation_kind(static_cast<PetscInt>(i)) == dae::Kind::index2) f[i] = derivative[i];
}

void SmallProblem::exact(double t, Vec y) const {
  const core::Writable value(y);
  if (value.size() > 0) solution(t, value.span());
}

void SmallProblem::after_step(double t, Vec y, Vec ydot) {
  const core::Readable value(y), rate(ydot);
  if (value.size() > 0) see_step(t, value.span(), rate.span());
}

void SmallProblem::watch(double t, Vec y, Vec ydot) {
  const core::Readable value(y), rate(ydot);
  if (value.size() > 0) see(t, value.span(), rate.span());
}

std::vector<double> SmallProblem::solution_at(double t) const {
  std::vector<double> y(size());
  solution(t, y);
  return y;
}

std::vector<double> everywhere(Vec y) {
  PetscInt global = 0;
  check(VecGetSize(y, &global));
  std::vector<double> values(static_cast<std::size_t>(global));
  const core::Readable local(y);
  std::copy(local.begin(), local.end(), values.begin());
  core::check_mpi(MPI_Bcast(values.data(), static_cast<int>(global), MPI_DOUBLE, 0,
                            PetscObjectComm(reinterpret_cast<PetscObject>(y))));
  return values;
}

void SmallProblem::restore_state(std::span<const double> state) {
  if (state.size() != largest_.size())
    throw core::BadInput(
        fmt::format("the checkpoint's memory has {} values, {} has {}", state.size(), name(), largest_.size()));
  std::ranges::copy(state, largest_.begin());
}

double SmallProblem::largest_error(std::size_t which) const {
  return from_first_rank(comm_, largest_[which]);
}

double from_first_rank(MPI_Comm comm, double value) {
  core::check_mpi(MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm));
  return value;
}

dae::Tolerances tolerances_in_use(const core::Options& options, const dae::Tolerances& defaults,
                                  const std::vector<dae::Field>& fields) {
  dae::Tolerances used = defaults;
  const auto read = [&](const std::string& name, double& value) { // run declares them again, with their ranges
    value = options.real(name, value, {"tolerance"});
  };
  read("dae_rtol", used.rtol);
  used.atol_of_field.resize(fields.size(), -1.0);
  for (double& atol : used.atol_of_field)
    if (atol < 0.0) atol = defaults.atol;
  if (options.given("dae_atol")) {
    read("dae_atol", used.atol);
    std::fill(used.atol_of_field.begin(), used.atol_of_field.end(), used.atol);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) read("dae_atol_" + fields[i].name, used.atol_of_field[i]);
  return used;
}

} // namespace rhumb::problems
