#include <rhumb/ts/probe.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/ts/equations.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::ts {

using core::check;
using core::Readable;
using core::Writable;

namespace {

/// By how much a value is moved: a part of it, and not less than the same part of this.
constexpr double relative_move = 1e-4;
constexpr double smallest_size = 1e-2;

/// A number in [1, 2) that belongs to an entry, the same in every run: moves of several entries do not cancel.
double probe_amplitude(PetscInt entry) {
  constexpr double golden = 0.6180339887498949;
  const double x = golden * static_cast<double>(entry + 1);
  return 1.0 + x - std::floor(x);
}

} // namespace

Probe::Probe(TS ts, dae::System& system) : system_(system), y_(core::same_layout(solution_of(ts))) {
  check(TSGetTime(ts, &t_));
  for (auto* v : {&ydot_, &base_, &moved_, &residual_}) *v = core::same_layout(y_);
  check(VecGetOwnershipRange(y_, &first_, &last_));
  check(VecCopy(solution_of(ts), y_));
  evaluate_base();
}

void Probe::evaluate_base() {
  evaluate(y_, ydot_, base_);
  PetscReal size = 0.0;
  check(VecNorm(base_, NORM_INFINITY, &size));
  if (std::isfinite(size)) rate_step_ = std::max(1.0, static_cast<double>(size));
}

void Probe::step_aside() {
  move(y_, std::vector<bool>(local(), true), relative_move * smallest_size, relative_move);
  evaluate_base();
}

void Probe::evaluate(Vec y, Vec ydot, Vec out) {
  try {
    system_.residual(t_, y, ydot, out);
  } catch (const core::Recoverable&) {
    std::ranges::fill(Writable(out).span(), std::numeric_limits<double>::quiet_NaN());
  }
}

void Probe::move(Vec v, const std::vector<bool>& chosen, double absolute, double relative) const {
  const Writable moved(v);
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (chosen[i])
      moved[i] +=
          std::max(absolute, relative * std::abs(moved[i])) * probe_amplitude(first_ + static_cast<PetscInt>(i));
}

std::vector<bool> Probe::changed(Vec what, const std::vector<bool>& chosen) {
  check(VecCopy(what, moved_));
  if (what == ydot_.get()) {
    move(moved_, chosen, rate_step_, 0.0);
    evaluate(y_, moved_, residual_);
  } else {
    move(moved_, chosen, relative_move * smallest_size, relative_move);
    evaluate(moved_, ydot_, residual_);
  }
  const Readable before(base_), after(residual_);
  std::vector<bool> rows(local());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = !(before[i] == after[i]);
  return rows;
}

bool Probe::differs_from_base() const {
  const Readable before(base_), after(residual_);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (std::isfinite(after[i]) && before[i] != after[i]) return true;
  return false;
}

PetscInt Probe::count(const std::vector<bool>& here) const {
  return count(std::ranges::count(here, true));
}

PetscInt Probe::count(std::ptrdiff_t here) const {
  auto sum = static_cast<PetscInt>(here);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT, MPI_SUM,
                                PetscObjectComm(reinterpret_cast<PetscObject>(y_.get()))));
  return sum;
}

} // namespace rhumb::ts
