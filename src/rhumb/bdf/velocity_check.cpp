#include <rhumb/bdf/velocity_check.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <array>
#include <cmath>
#include <limits>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;

namespace {

constexpr double first_difference = 1e-5; // of the interval: step of the first difference of g,
constexpr int most_differences = 5;       // each a tenth of the last
constexpr double sure = 0.1;              // of the result, or of a tolerance: what two differences may disagree by
constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon(); // of y, what g's own rounding may hide

class VelocitySearch {
public:
  VelocitySearch(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear, const LinearizationPoint& at)
      : system_(system), weights_(weights), linear_(linear), at_(at), base_(core::same_layout(at.y)) {
    for (auto* v : {&moved_, &residual_, &rate_, &finer_, &change_}) *v = core::same_layout(base_);
    system_.residual(at.t, at.y, at.ydot, base_);
    check(VecNorm(at.y, NORM_INFINITY, &size_of_y_));
  }

  bool set_up(double h) { return linear_.setup(at_, base_, 1.0 / h) == SetupResult::good; }

  /// d/dt g with the steps s and s/2; false where F has no value.
  bool differentiate(double s) {
    for (Vec v : {rate_.get(), finer_.get()}) check(VecSet(v, 0.0));
    add(s, -1.0 / s, 0.0);
    add(0.5 * s, 4.0 / s, -2.0 / s);
    add(0.25 * s, 0.0, 8.0 / s);
    return system_.all_well();
  }

  /// The change of y that makes d/dt g zero: its largest entry in tolerances, where it is more than rounding.
  dae::Weights::Location change(double h, double s) { return solve(rate_, h, s); }
  double doubt(double h) {
    check(VecAXPY(finer_, -1.0, rate_));
    return solve(finer_, h, 0.0).size;
  }

private:
  /// BCP (5.3.8): d/dt g = (4 g(s/2) - g(s) - 3 g(0)) / s along (t + s, y + s y'); here one of its points.
  void add(double s, double weight, double weight_of_finer) {
    check(VecWAXPY(moved_, s, at_.ydot, at_.y));
    system_.residual(at_.t + s, moved_, at_.ydot, residual_);
    const Readable g(residual_), g0(base_);
    const Writable rate(rate_), finer(finer_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      if (system_.system().equation_kind(static_cast<PetscInt>(i)) != dae::Kind::index3) continue;
      rate[i] += weight * (g[i] - g0[i]);
      finer[i] += weight_of_finer * (g[i] - g0[i]);
    }
  }

  dae::Weights::Location solve(Vec rate, double h, double s) {
    check(VecCopy(rate, residual_));
    check(VecScale(residual_, h));
    if (!linear_.solve(residual_, change_, sure).converged) return {.size = std::numeric_limits<double>::infinity()};
    if (s != 0.0) {
      const Writable change(change_);
      for (double& v : change.span())
        if (std::abs(v) < rounding * size_of_y_ / std::abs(s)) v = 0.0;
    }
    return weights_.largest(change_, dae::only_differential);
  }

  dae::GuardedSystem& system_;
  dae::Weights& weights_;
  Linear& linear_;
  LinearizationPoint at_;
  core::VecHandle base_, moved_, residual_, rate_, finer_, change_;
  PetscReal size_of_y_ = 0.0;
};

} // namespace

std::optional<VelocityError> find_velocity_error(dae::GuardedSystem& system, dae::Weights& weights, Linear& linear,
                                                 const LinearizationPoint& at, double interval) {
  VelocitySearch search(system, weights, linear, at);
  double s = first_difference * interval;
  const double h = std::abs(s);
  if (!search.set_up(h)) return std::nullopt;
  for (int k = 0; k < most_differences; ++k, s *= 0.1) {
    if (!search.differentiate(s)) continue;
    const auto worst = search.change(h, s);
    if (!(search.doubt(h) <= sure * std::max(1.0, worst.size))) continue;
    if (worst.size <= 1.0) return std::nullopt;
    return VelocityError{system.system().fields()[worst.field].name, worst.size};
  }
  return std::nullopt;
}

} // namespace rhumb::bdf
