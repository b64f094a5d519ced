#include <rhumb/bdf/kind_check.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;
using dae::Kind;

namespace {

constexpr double power_error = 0.1;          // of a measured power of h that is taken for a whole number
constexpr double suspected_power = 0.5;      // beyond the declared one, over the first decade
constexpr std::array first_decade{1.0, 0.1}; // steps, in parts of h
constexpr std::array to_the_limit{1.0, 1e-2, 1e-4, 1e-6, 1e-8};
constexpr int points_beside = 2;
constexpr double relative_move = 1e-6; // of y, at least, to a point beside

/// In [1, 2), the same in every run; `which` makes several sequences.
double probe_amplitude(PetscInt entry, int which = 0) {
  constexpr double golden = 0.6180339887498949, silver = 0.4142135623730950;
  const double x = golden * static_cast<double>(entry + 1) + silver * which;
  return 1.0 + x - std::floor(x);
}

/// The power of 1/h that a variable of this kind may have.
double allowed_power(Kind kind) {
  return std::max(0, static_cast<int>(kind) - 1);
}

std::string name_of(Kind kind) {
  return kind == Kind::differential ? "differential" : fmt::format("of index {}", static_cast<int>(kind));
}

} // namespace

int index_of_growth(double power) {
  return 1 + static_cast<int>(std::floor(power + power_error));
}

std::string KindContradiction::in_words() const {
  const std::string found = index == 0 ? "a differential variable" : fmt::format("index {}", index);
  const std::string seen = index == 0   ? "falls like h"
                           : index == 2 ? "grows like 1/h"
                                        : fmt::format("grows like 1/h^{}", index - 1);
  return fmt::format("field '{}' is declared {} but behaves like {}: below h = {:.3g} the inverse of the iteration "
                     "matrix {} in it (LP2 (3.6))",
                     field, name_of(declared), found, h, seen);
}

std::string KindContradiction::advice(OptionSpelling spelled) const {
  if (index == 0) return "kind = Kind::differential for it";
  if (index == 2) return "kind = Kind::index2 for it and for its equation";
  return fmt::format("the constraint differentiated until the system is of index 2{}",
                     index == 3 ? fmt::format(", or kind = Kind::index3 and {} if it is mechanical",
                                              spelled(NamedOption::projected_test))
                                : "");
}

KindCheck::KindCheck(dae::GuardedSystem& system, dae::Weights& weights, const IntegratorOptions& options,
                     Phases& phases)
    : system_(system), weights_(weights), options_(options), phases_(phases),
      residual_(core::same_layout(weights.inverse())) {
  for (auto* v : {&moved_y_, &moved_ydot_, &work_, &solution_}) *v = core::same_layout(residual_);
  PetscInt last = 0;
  check(VecGetOwnershipRange(residual_, &first_, &last));
}

std::optional<KindContradiction> KindCheck::find(const LinearizationPoint& at, double h) {
  if (!evaluate(at) || !find_algebraic_rows(at)) return std::nullopt;
  const bool all_differential =
      weights_.count(Kind::index1) + weights_.count(Kind::index2) + weights_.count(Kind::index3) == 0;
  if (!has_algebraic_rows_ && all_differential) return std::nullopt;
  if (!linear_) {
    IntegratorOptions one_shot = options_;
    one_shot.resumable = false;
    linear_.emplace(system_, weights_, one_shot, phases_); // the integrator's own keeps its matrix
  }

  const auto scaled = [h](auto parts) {
    for (double& part : parts) part *= h;
    return parts;
  };
  Growth growth;
  if (!update(at, scaled(first_decade), growth) || !suspicious(growth)) return std::nullopt;
  if (!jacobian_is_exact(at, h)) return std::nullopt;
  growth = {};
  if (!update(at, scaled(to_the_limit), growth)) return std::nullopt;
  for (int which = 0; which < points_beside; ++which) {
    move(at, h, which);
    const LinearizationPoint perturbed{at.t, moved_y_, moved_ydot_};
    if (!evaluate(perturbed) || !update(perturbed, scaled(to_the_limit), growth)) return std::nullopt;
  }
  return worst(at, growth, h);
}

bool KindCheck::anywhere(bool here) {
  std::array<double, 1> sum{here ? 1.0 : 0.0};
  system_.reduce(sum);
  return !(sum[0] == 0.0); // also where the system had no value
}

/// F at the point, for the matrices; false where it has no value.
bool KindCheck::evaluate(const LinearizationPoint& at) {
  system_.residual(at.t, at.y, at.ydot, residual_);
  PetscReal size = 0.0;
  check(VecNorm(residual_, NORM_INFINITY, &size));
  return system_.all_well() && std::isfinite(size);
}

/// An equation that no y' changes is algebraic.
bool KindCheck::find_algebraic_rows(const LinearizationPoint& at) {
  PetscReal size = 0.0;
  check(VecNorm(residual_, NORM_INFINITY, &size));
  const double step = std::max(1.0, static_cast<double>(size)); // not lost in the sum
  {
    const Readable from(at.ydot);
    const Writable to(moved_ydot_);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = from[i] + step * probe_amplitude(first_ + static_cast<PetscInt>(i));
  }
  system_.residual(at.t, at.y, moved_ydot_, work_);
  const Readable before(residual_), after(work_);
  algebraic_rows_.assign(before.size(), 0);
  for (std::size_t i = 0; i < before.size(); ++i) algebraic_rows_[i] = before[i] == after[i] ? 1 : 0;
  std::array<double, 1> count{static_cast<double>(std::ranges::count(algebraic_rows_, 1))};
  system_.reduce(count);
  has_algebraic_rows_ = count[0] > 0.0;
  return std::isfinite(count[0]);
}

/// |G^-1 r| for both right-hand sides, at the point of the last `evaluate`. Where constraints are mixed into equations
/// with y', all rows may hold one.
bool KindCheck::solve(const LinearizationPoint& at, double h, std::vector<double>& of_constraints,
                      std::vector<double>& of_all) {
  if (linear_->setup(at, residual_, 1.0 / h) != SetupResult::good) return false;
  for (const bool all : {false, true}) {
    {
      const Writable r(work_);
      for (std::size_t i = 0; i < r.size(); ++i)
        r[i] = all || algebraic_rows_[i] || !has_algebraic_rows_ ? probe_amplitude(first_ + static_cast<PetscInt>(i), 1)
                                                                 : 0.0;
    }
    bool good = linear_->solve(work_, solution_, 1.0).converged;
    const Readable x(solution_);
    auto& sizes = all ? of_all : of_constraints;
    sizes.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      sizes[i] = std::abs(x[i]);
      good = good && std::isfinite(x[i]);
    }
    if (anywhere(!good)) return false;
  }
  return true;
}

bool KindCheck::update(const LinearizationPoint& at, std::span<const double> steps, Growth& growth) {
  const std::size_t size = algebraic_rows_.size();
  growth.of_constraints.resize(size, std::numeric_limits<double>::infinity());
  growth.of_all.resize(size, -std::numeric_limits<double>::infinity());
  std::array<std::vector<double>, 2> before, now;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!solve(at, steps[k], now[0], now[1])) return false;
    for (std::size_t i = 0; k > 0 && i < size; ++i) {
      const double decades = std::log10(steps[k - 1] / steps[k]);
      // An entry that is 0 has no power: it contradicts nothing.
      const bool both = before[0][i] > 0.0 && now[0][i] > 0.0;
      const double power = both ? std::log10(now[0][i] / before[0][i]) / decades : 0.0;
      const double power_of_all =
          before[1][i] > 0.0 && now[1][i] > 0.0 ? std::log10(now[1][i] / before[1][i]) / decades : 0.0;
      growth.of_constraints[i] = std::min(growth.of_constraints[i], power);
      growth.of_all[i] = std::max(growth.of_all[i], power_of_all);
    }
    std::swap(before, now);
  }
  return true;
}

bool KindCheck::suspicious(const Growth& growth) {
  bool here = false;
  for (std::size_t i = 0; i < growth.of_all.size(); ++i) {
    const Kind declared = weights_.kinds()[i];
    here = here || growth.of_constraints[i] > allowed_power(declared) + suspected_power ||
           (declared != Kind::differential && growth.of_all[i] < -suspected_power);
  }
  return anywhere(here);
}

/// Exponents are taken from the matrix: one that only serves as a preconditioner says nothing about F.
bool KindCheck::jacobian_is_exact(const LinearizationPoint& at, double h) {
  try {
    linear_->check_jacobian(at, residual_, 1.0 / h);
  } catch (const core::BadInput&) {
    return false;
  }
  return true;
}

/// To a point beside: by some tolerances, or what y' makes of y in h.
void KindCheck::move(const LinearizationPoint& at, double h, int which) {
  const Readable y(at.y), ydot(at.ydot), inverse(weights_.inverse());
  const Writable to_y(moved_y_), to_ydot(moved_ydot_);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double sizes[] = {1.0 / inverse[i], relative_move * std::abs(y[i]), h * std::abs(ydot[i])};
    const double amplitude = probe_amplitude(first_ + static_cast<PetscInt>(i), 2 + which);
    to_y[i] = y[i] + amplitude * *std::ranges::max_element(sizes);
    to_ydot[i] = ydot[i] * (1.0 + relative_move * amplitude);
  }
}

/// What the entry behaves like where that contradicts its kind; else -1.
int KindCheck::found(const Growth& growth, std::size_t entry) const {
  const Kind declared = weights_.kinds()[entry];
  if (growth.of_constraints[entry] >= allowed_power(declared) + 1.0 - power_error)
    return index_of_growth(growth.of_constraints[entry]);
  if (declared != Kind::differential && growth.of_all[entry] <= power_error - 1.0) return 0;
  return -1;
}

/// Per field, whether y' of its suspected differential entries stands in F: velocities of an index-3 system grow like
/// a variable of index 2 and are differential all the same.
std::vector<int> KindCheck::fields_with_derivative(const LinearizationPoint& at, const Growth& growth) {
  const auto field_of = [&](std::size_t i) { return system_.system().field_of(static_cast<PetscInt>(i)); };
  std::vector<int> asked(system_.system().fields().size(), 0), answer(asked.size(), 0);
  const auto chosen = [&](std::size_t i) { return weights_.kinds()[i] == Kind::differential && found(growth, i) > 0; };
  for (std::size_t i = 0; i < algebraic_rows_.size(); ++i)
    if (chosen(i)) asked[field_of(i)] = 1;
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, asked.data(), static_cast<int>(asked.size()), MPI_INT, MPI_MAX, system_.comm()));
  evaluate(at);
  for (std::size_t f = 0; f < asked.size(); ++f) {
    if (!asked[f]) continue;
    {
      const Readable from(at.ydot);
      const Writable to(moved_ydot_);
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = from[i] + (chosen(i) && field_of(i) == static_cast<int>(f)
                               ? std::max(1.0, std::abs(from[i])) * probe_amplitude(first_ + static_cast<PetscInt>(i))
                               : 0.0);
    }
    system_.residual(at.t, at.y, moved_ydot_, work_);
    const Readable before(residual_), after(work_);
    answer[f] = anywhere(!std::ranges::equal(before.span(), after.span())) ? 1 : 0;
  }
  return answer;
}

std::optional<KindContradiction> KindCheck::worst(const LinearizationPoint& at, const Growth& growth, double h) {
  const std::vector<int> has_derivative = fields_with_derivative(at, growth);
  struct {
    double excess;
    int rank;
  } worst{0.0, 0};
  std::array<int, 3> what{}; // field, declared, found
  for (std::size_t i = 0; i < algebraic_rows_.size(); ++i) {
    const int field = system_.system().field_of(static_cast<PetscInt>(i)), index = found(growth, i);
    const Kind declared = weights_.kinds()[i];
    if (index < 0 || (declared == Kind::differential && has_derivative[field])) continue;
    const double excess = std::abs(index - static_cast<int>(declared));
    if (excess <= worst.excess) continue;
    worst.excess = excess;
    what = {field, static_cast<int>(declared), index};
  }
  core::check_mpi(MPI_Comm_rank(system_.comm(), &worst.rank));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, system_.comm()));
  if (worst.excess == 0.0) return std::nullopt;
  core::check_mpi(MPI_Bcast(what.data(), static_cast<int>(what.size()), MPI_INT, worst.rank, system_.comm()));
  return KindContradiction{system_.system().fields()[what[0]].name, static_cast<Kind>(what[1]), what[2], h};
}

} // namespace rhumb::bdf
