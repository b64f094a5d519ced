/// SIE (7.13), a linear index-1 system whose null space turns with time at the rate delta:
///   (delta - 1) x1' + delta t x2' + mu ((delta - 1) x1 + delta t x2) = 0
///   mu ((delta - 1) x1 + (delta t - 1) x2) = 0
/// x2 = exp((delta - mu) t), x1 = (1 - delta t)/(delta - 1) x2: the numerator is what (7.13) gives; the text prints
/// delta t. Row one holds the derivatives of both variables, so neither is purely algebraic; x2 is named the algebraic
/// one, since the second row gives it from x1.

#include "problems.hpp"
#include "small_problem.hpp"
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::problems {
namespace {

class MovingGeometry final : public SmallProblem {
public:
  MovingGeometry(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "moving_geometry", {{.name = "x1"}, {.name = "x2", .kind = dae::Kind::index1}}, options),
        delta_(options.real("delta", -1000.0, {"how fast the null space turns", "1/time"})),
        mu_(options.real("mu", 1.0, {"minus the finite eigenvalue of the frozen system", "1/time"})) {
    if (delta_ == 1.0 || mu_ == 0.0) throw core::BadInput("moving_geometry is singular for -delta 1 and for -mu 0");
  }

  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-4, .atol = 1e-4}; }
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true, .exact = true}; }

  dae::Figures report(double, Vec, Vec) override {
    return {{"x1_error_max", largest_error(0)}, {"x2_error_max", largest_error(1)}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    solution(t, y);
    ydot[0] = (delta_ - mu_) * y[0] - delta_ / (delta_ - 1.0) * y[1];
    ydot[1] = (delta_ - mu_) * y[1];
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    const double a = delta_ - 1.0, b = delta_ * t;
    f[0] = a * ydot[0] + b * ydot[1] + mu_ * (a * y[0] + b * y[1]);
    f[1] = mu_ * (a * y[0] + (b - 1.0) * y[1]);
  }

  void linearise(double t, Values, Values, Linearisation& at) const override {
    const double a = delta_ - 1.0, b = delta_ * t;
    at.dydot(0, 0) = a;
    at.dydot(0, 1) = b;
    at.dy(0, 0) = at.dy(1, 0) = mu_ * a;
    at.dy(0, 1) = mu_ * b;
    at.dy(1, 1) = mu_ * (b - 1.0);
  }

  void solution(double t, std::span<double> y) const override {
    y[1] = std::exp((delta_ - mu_) * t);
    y[0] = (1.0 - delta_ * t) / (delta_ - 1.0) * y[1];
  }

  void see_step(double t, Values y, Values) override {
    const auto truth = solution_at(t);
    note_error(0, std::abs(y[0] - truth[0]));
    note_error(1, std::abs(y[1] - truth[1]));
  }

private:
  double delta_, mu_;
};

} // namespace

std::unique_ptr<dae::Problem> moving_geometry(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<MovingGeometry>(comm, options);
}

} // namespace rhumb::problems
