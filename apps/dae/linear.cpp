/// A linear index-1 system with a chosen smooth solution p(t), for order studies:
///   M (y' - p'(t)) + B (y - p(t)) = 0,   M = [M11 0; 0 0],   p = a (sin wt, 1 + cos(2wt)/2, cos wt, 2 + sin 2wt),
/// a = -amplitude, w = -frequency.
/// x1, x2 are differential, z1, z2 algebraic; B couples all four, and the inherent differential equation is stable. The
/// blocks that give z from x are rotations, so that no component of the error of x is lost in z by chance.

#include "problems.hpp"
#include "small_problem.hpp"
#include <algorithm>
#include <array>
#include <cmath>

namespace rhumb::problems {
namespace {

constexpr std::size_t n = 4;
using Table = std::array<std::array<double, n>, n>;

constexpr Table M{{{2.0, 1.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {}, {}}};
constexpr Table B{{{2.0, -1.0, 0.5, 0.0}, {1.0, 2.0, 0.0, -0.5}, {0.6, -0.8, 2.0, 0.5}, {0.8, 0.6, -0.5, 2.0}}};

class Linear final : public SmallProblem {
public:
  Linear(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "linear",
                     {{.name = "x1"},
                      {.name = "x2"},
                      {.name = "z1", .kind = dae::Kind::index1},
                      {.name = "z2", .kind = dae::Kind::index1}},
                     options) {
    parameters_.bind(options, "amplitude", amplitude_, {"linear: factor of the solution"});
    parameters_.bind(options, "frequency", frequency_, {"linear: factor of the time in the solution"});
  }

  double t_end() const override { return 5.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true, .exact = true}; }

  /// The largest Euclidean norms of the errors after a step: at one moment alone they can be small by chance.
  dae::Figures report(double, Vec, Vec) override {
    return {{"error_differential", largest_error(0)}, {"error_algebraic", largest_error(1)}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    std::ranges::copy(solution_of(t), y.begin());
    std::ranges::copy(rate_of(t), ydot.begin());
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    const auto p = solution_of(t), rate = rate_of(t);
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = 0.0;
      for (std::size_t j = 0; j < n; ++j) f[i] += M[i][j] * (ydot[j] - rate[j]) + B[i][j] * (y[j] - p[j]);
    }
  }

  void linearise(double, Values, Values, Linearisation& at) const override {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        at.dydot(i, j) = M[i][j];
        at.dy(i, j) = B[i][j];
      }
  }

  void solution(double t, std::span<double> y) const override { std::ranges::copy(solution_of(t), y.begin()); }

  void see_step(double t, Values y, Values) override {
    const auto truth = solution_of(t);
    note_error(0, std::hypot(y[0] - truth[0], y[1] - truth[1]));
    note_error(1, std::hypot(y[2] - truth[2], y[3] - truth[3]));
  }

private:
  std::array<double, n> solution_of(double t) const {
    const double a = amplitude_, wt = frequency_ * t;
    return {a * std::sin(wt), a * (1.0 + 0.5 * std::cos(2.0 * wt)), a * std::cos(wt), a * (2.0 + std::sin(2.0 * wt))};
  }
  std::array<double, n> rate_of(double t) const {
    const double a = amplitude_ * frequency_, wt = frequency_ * t;
    return {a * std::cos(wt), -a * std::sin(2.0 * wt), -a * std::sin(wt), 2.0 * a * std::cos(2.0 * wt)};
  }

  double amplitude_ = 1.0, frequency_ = 1.0;
};

} // namespace

std::unique_ptr<dae::Problem> linear(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Linear>(comm, options);
}

} // namespace rhumb::problems
