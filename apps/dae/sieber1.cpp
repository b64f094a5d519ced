/// SIE (7.1)-(7.3), index 1: the algebraic variable sees the error of x1 enlarged c times.
///   x1' = x2,   x2' = -x1,   0 = exp(x3 - c (x1 - sin t) - sin t) - 1
/// with the solution (sin t, cos t, sin t), on [0, 10].

#include "problems.hpp"
#include "small_problem.hpp"
#include <algorithm>
#include <cmath>

namespace rhumb::problems {
namespace {

class Sieber1 final : public SmallProblem {
public:
  Sieber1(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "sieber1", {{.name = "x1"}, {.name = "x2"}, {.name = "x3", .kind = dae::Kind::index1}},
                     options),
        c_(options.real("c", 1.0, {"how strongly x3 sees the error of x1"})) {}

  double t_end() const override { return 10.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true, .exact = true}; }

  dae::Figures report(double, Vec, Vec) override {
    return {{"x1_error_max", largest_error(0)}, {"x3_error_max", largest_error(1)}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    solution(t, y);
    ydot[0] = ydot[2] = std::cos(t);
    ydot[1] = -std::sin(t);
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    f[0] = ydot[0] - y[1];
    f[1] = ydot[1] + y[0];
    f[2] = std::expm1(exponent(t, y));
  }

  void linearise(double t, Values y, Values, Linearisation& at) const override {
    at.dydot(0, 0) = at.dydot(1, 1) = 1.0;
    at.dy(0, 1) = -1.0;
    at.dy(1, 0) = 1.0;
    const double derivative = std::exp(exponent(t, y));
    at.dy(2, 0) = -c_ * derivative;
    at.dy(2, 2) = derivative;
  }

  void solution(double t, std::span<double> y) const override {
    y[0] = y[2] = std::sin(t);
    y[1] = std::cos(t);
  }

  void see_step(double t, Values y, Values) override {
    note_error(0, std::abs(y[0] - std::sin(t)));
    note_error(1, std::abs(y[2] - std::sin(t)));
  }

private:
  double exponent(double t, Values y) const { return y[2] - c_ * (y[0] - std::sin(t)) - std::sin(t); }

  double c_;
};

} // namespace

std::unique_ptr<dae::Problem> sieber1(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Sieber1>(comm, options);
}

} // namespace rhumb::problems
