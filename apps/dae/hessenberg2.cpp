/// SIE (7.8)-(7.12), a Hessenberg system of index 2 on [0.1, 1.5] whose differential part BDF solves without truncation
/// error, so that the error of x4 and x5 is that of the inherent differentiation alone:
///   x1' = x4 - x5,   x2' = -2 sqrt(x4 x5),   sin(t) x3' = 5 sin(t)
///   0 = 25 sin(asin(x1)^3) - 75 sin(x3^3/375) + 100 sin(t^3/3)^3
///   0 = 2 x1 x2 - sin(2 x3/5)
/// with the solution (sin t, cos t, 5t, cos(t/2)^2, sin(t/2)^2).

#include "problems.hpp"
#include "small_problem.hpp"
#include <algorithm>
#include <cmath>

namespace rhumb::problems {
namespace {

using dae::Kind;

double cube(double a) {
  return a * a * a;
}

class Hessenberg2 final : public SmallProblem {
public:
  Hessenberg2(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "hessenberg2",
                     {{.name = "x1"},
                      {.name = "x2"},
                      {.name = "x3"},
                      {.name = "x4", .kind = Kind::index2},
                      {.name = "x5", .kind = Kind::index2}},
                     options) {}

  double t_start() const override { return 0.1; }
  double t_end() const override { return 1.5; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-5}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = true, .exact = true};
  }

  /// p_error and q_error: the largest errors of the differential and of the index-2 variables at the end.
  dae::Figures report(double t, Vec y, Vec) override {
    const auto x = everywhere(y);
    const auto truth = solution_at(t);
    double p = 0.0, q = 0.0;
    for (std::size_t i = 0; i < 3; ++i) p = std::max(p, std::abs(x[i] - truth[i]));
    for (std::size_t i = 3; i < 5; ++i) q = std::max(q, std::abs(x[i] - truth[i]));
    return {{"p_error", p}, {"q_error", q}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    solution(t, y);
    ydot[0] = std::cos(t);
    ydot[1] = -std::sin(t);
    ydot[2] = 5.0;
    ydot[3] = -0.5 * std::sin(t);
    ydot[4] = 0.5 * std::sin(t);
  }

  void evaluate(double t, Values x, Values xdot, std::span<double> f) const override {
    f[0] = xdot[0] + x[4] - x[3];
    f[1] = xdot[1] + 2.0 * std::sqrt(x[3] * x[4]);
    f[2] = std::sin(t) * (xdot[2] - 5.0);
    f[3] = 25.0 * std::sin(cube(std::asin(x[0]))) - 75.0 * std::sin(cube(x[2]) / 375.0) +
           100.0 * cube(std::sin(cube(t) / 3.0));
    f[4] = 2.0 * x[0] * x[1] - std::sin(0.4 * x[2]);
  }

  void linearise(double t, Values x, Values, Linearisation& at) const override {
    at.dydot(0, 0) = at.dydot(1, 1) = 1.0;
    at.dydot(2, 2) = std::sin(t);
    at.dy(0, 3) = -1.0;
    at.dy(0, 4) = 1.0;
    at.dy(1, 3) = std::sqrt(x[4] / x[3]);
    at.dy(1, 4) = std::sqrt(x[3] / x[4]);
    at.dy(3, 0) = first_row_x1(x);
    at.dy(3, 2) = first_row_x3(x);
    at.dy(4, 0) = 2.0 * x[1];
    at.dy(4, 1) = 2.0 * x[0];
    at.dy(4, 2) = -0.4 * std::cos(0.4 * x[2]);
  }

  void hidden(double t, Values x, Values xdot, std::span<double> f) const override {
    const double s = std::sin(cube(t) / 3.0);
    f[3] = first_row_x1(x) * xdot[0] + first_row_x3(x) * xdot[2] + 300.0 * s * s * std::cos(cube(t) / 3.0) * t * t;
    f[4] = 2.0 * (xdot[0] * x[1] + x[0] * xdot[1]) - 0.4 * std::cos(0.4 * x[2]) * xdot[2];
  }

  void solution(double t, std::span<double> y) const override {
    const double c = std::cos(0.5 * t), s = std::sin(0.5 * t);
    y[0] = std::sin(t);
    y[1] = std::cos(t);
    y[2] = 5.0 * t;
    y[3] = c * c;
    y[4] = s * s;
  }

private:
  /// Derivatives of (7.11).
  static double first_row_x1(Values x) {
    const double angle = std::asin(x[0]);
    return 75.0 * std::cos(cube(angle)) * angle * angle / std::sqrt(1.0 - x[0] * x[0]);
  }
  static double first_row_x3(Values x) { return -0.6 * std::cos(cube(x[2]) / 375.0) * x[2] * x[2]; }
};

} // namespace

std::unique_ptr<dae::Problem> hessenberg2(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Hessenberg2>(comm, options);
}

} // namespace rhumb::problems
