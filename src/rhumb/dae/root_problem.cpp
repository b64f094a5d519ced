#include <rhumb/dae/root_problem.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

namespace rhumb::dae {

using core::check;

namespace {
constexpr std::size_t max_dense = 50; // unknowns; below, the integrator's dense factors are faster
} // namespace

void SparseLinearisation::begin() {
  next_ = 0;
  std::ranges::fill(dy_, 0.0);
  std::ranges::fill(dydot_, 0.0);
}

void SparseLinearisation::add(std::size_t row, std::size_t column, double dy, double dydot) {
  if (slots_.empty()) {
    first_.push_back({row, column, dy, dydot});
    return;
  }
  if (next_ >= added_.size() || added_[next_] != std::pair{row, column})
    throw std::logic_error("a linearisation adds other entries than the first time");
  const std::size_t slot = slots_[next_++];
  dy_[slot] += dy;
  dydot_[slot] += dydot;
}

void SparseLinearisation::end(std::size_t size) {
  if (slots_.empty())
    find_pattern(size);
  else if (next_ != slots_.size())
    throw std::logic_error("a linearisation adds fewer entries than the first time");
}

void SparseLinearisation::find_pattern(std::size_t size) {
  std::vector<std::size_t> order(first_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto position = [&](std::size_t k) { return std::pair{first_[k].row, first_[k].column}; };
  std::ranges::stable_sort(order, {}, position);
  slots_.resize(first_.size());
  starts_.assign(size + 1, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto [row, column] = position(order[i]);
    if (i == 0 || position(order[i]) != position(order[i - 1])) {
      columns_.push_back(static_cast<PetscInt>(column));
      dy_.push_back(0.0);
      dydot_.push_back(0.0);
      ++starts_[row + 1];
    }
    slots_[order[i]] = columns_.size() - 1;
    dy_.back() += first_[order[i]].dy;
    dydot_.back() += first_[order[i]].dydot;
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  for (std::size_t k = 0; k < first_.size(); ++k) added_.push_back(position(k));
  first_ = {};
}

bool RootProblem::on_root() const {
  return core::rank_of(comm_) == 0;
}

void RootProblem::set_fields(std::vector<Field> fields) {
  if (fields.size() > max_unknowns)
    throw core::BadInput(
        fmt::format("{}: {} unknowns are more than one rank should hold ({})", name_, fields.size(), max_unknowns));
  fields_ = std::move(fields);
}

core::VecHandle RootProblem::create_vector() const {
  const auto global = static_cast<PetscInt>(size());
  core::VecHandle y;
  check(VecCreateMPI(comm_, on_root() ? global : 0, global, y.out()));
  return y;
}

core::MatHandle RootProblem::create_matrix() const {
  if (on_root() && last_.columns().empty()) {
    std::vector<double> y(size()), ydot(size());
    start(t_start(), y, ydot);
    last_.begin();
    linearise(t_start(), y, ydot, last_);
    last_.end(size());
  }
  const auto global = static_cast<PetscInt>(size()), local = on_root() ? global : 0;
  core::MatHandle matrix;
  check(MatCreate(comm_, matrix.out()));
  check(MatSetSizes(matrix, local, local, global, global));
  check(MatSetType(matrix, MATAIJ));
  std::vector<PetscInt> starts(last_.row_starts().begin(), last_.row_starts().end());
  starts.resize(static_cast<std::size_t>(local) + 1, 0);
  // Both are ignored where they do not belong to the matrix's type.
  check(MatSeqAIJSetPreallocationCSR(matrix, starts.data(), last_.columns().data(), nullptr));
  check(MatMPIAIJSetPreallocationCSR(matrix, starts.data(), last_.columns().data(), nullptr));
  return matrix;
}

/// UMFPACK: KLU fills in the zero diagonal blocks of saddle points (a chain of 100 links: 0.4 s against 2 ms).
void RootProblem::configure(PC preconditioner, Mat) const {
  check(PCSetType(preconditioner, PCLU));
  if (size() > max_dense) check(PCFactorSetMatSolverType(preconditioner, MATSOLVERUMFPACK));
}

void RootProblem::initial_values(double t, Vec y, Vec ydot) {
  const core::Writable value(y), rate(ydot);
  std::ranges::fill(value, 0.0);
  std::ranges::fill(rate, 0.0);
  core::run_on_root(comm_, [&] { start(t, value.span(), rate.span()); });
}

void RootProblem::residual(double t, Vec y, Vec ydot, Vec residual) {
  const core::Readable value(y), rate(ydot);
  const core::Writable f(residual);
  if (f.size() > 0) evaluate(t, value.span(), rate.span(), f.span());
}

const SparseLinearisation& RootProblem::linearised(double t, Vec y, Vec ydot) const {
  const Where now{t, core::contents_of(y), core::contents_of(ydot)};
  if (where_ == now) return last_;
  where_.reset();
  const core::Readable value(y), rate(ydot);
  if (value.size() > 0) {
    last_.begin();
    linearise(t, value.span(), rate.span(), last_);
    last_.end(size());
  }
  where_ = now;
  return last_;
}

void RootProblem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const SparseLinearisation& at = linearised(t, y, ydot);
  std::vector<PetscScalar> values(at.columns().size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = alpha * at.dydot()[k] + at.dy()[k];
  for (std::size_t row = 0; on_root() && row < size(); ++row) {
    const auto index = static_cast<PetscInt>(row);
    const auto begin = static_cast<std::size_t>(at.row_starts()[row]);
    check(MatSetValues(jacobian, 1, &index, at.row_starts()[row + 1] - at.row_starts()[row],
                       at.columns().data() + begin, values.data() + begin, INSERT_VALUES));
  }
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

void RootProblem::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  const SparseLinearisation& at = linearised(t, y, ydot);
  const core::Readable factor(v);
  const core::Writable out(product);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = 0.0;
    for (auto k = static_cast<std::size_t>(at.row_starts()[i]); k < static_cast<std::size_t>(at.row_starts()[i + 1]);
         ++k)
      out[i] += at.dydot()[k] * factor[at.columns()[k]];
  }
}

void RootProblem::hidden_constraint(double t, Vec y, Vec ydot, Vec residual) {
  const core::Readable value(y), rate(ydot);
  const core::Writable f(residual);
  std::vector<double> derivative(f.size(), 0.0);
  if (f.size() > 0) hidden(t, value.span(), rate.span(), derivative);
  for (std::size_t i = 0; i < f.size(); ++i)
    if (equation_kind(static_cast<PetscInt>(i)) == Kind::index2) f[i] = derivative[i];
}

void RootProblem::set_parameter(std::size_t index, double value) {
  Problem::set_parameter(index, value);
  forget_linearisation();
}

std::vector<double> RootProblem::everywhere(Vec y) const {
  std::vector<double> values(size());
  const core::Readable local(y);
  std::ranges::copy(local, values.begin());
  share(values);
  return values;
}

void RootProblem::share(std::span<double> values) const {
  core::check_mpi(MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, comm_));
}

} // namespace rhumb::dae
