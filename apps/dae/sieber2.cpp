/// SIE (7.4)-(7.7), a Hessenberg system of index 2: sieber1 with the derivative of x3 as a further unknown.
///   x1' = x2,   x2' = -x1,   x3' = -x4,   0 = exp(x3 - c (x1 - sin t) - sin t) - 1
/// with the solution (sin t, cos t, sin t, -cos t), on [0, 10].

#include "problems.hpp"
#include "small_problem.hpp"
#include <algorithm>
#include <cmath>

namespace rhumb::problems {
namespace {

class Sieber2 final : public SmallProblem {
public:
  Sieber2(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "sieber2",
                     {{.name = "x1"}, {.name = "x2"}, {.name = "x3"}, {.name = "x4", .kind = dae::Kind::index2}},
                     options),
        c_(options.real("c", 1.0, {"how strongly x3 sees the error of x1"})) {}

  double t_end() const override { return 10.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = true, .exact = true};
  }

  dae::Figures report(double, Vec, Vec) override {
    return {{"x1_error_max", largest_error(0)}, {"x3_error_max", largest_error(1)}, {"x4_error_max", largest_error(2)}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    solution(t, y);
    ydot[0] = ydot[2] = std::cos(t);
    ydot[1] = -std::sin(t);
    ydot[3] = std::sin(t);
  }

  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    f[0] = ydot[0] - y[1];
    f[1] = ydot[1] + y[0];
    f[2] = ydot[2] + y[3];
    f[3] = std::expm1(exponent(t, y));
  }

  void linearise(double t, Values y, Values, Linearisation& at) const override {
    at.dydot(0, 0) = at.dydot(1, 1) = at.dydot(2, 2) = 1.0;
    at.dy(0, 1) = -1.0;
    at.dy(1, 0) = 1.0;
    at.dy(2, 3) = 1.0;
    const double derivative = std::exp(exponent(t, y));
    at.dy(3, 0) = -c_ * derivative;
    at.dy(3, 2) = derivative;
  }

  void hidden(double t, Values y, Values ydot, std::span<double> f) const override {
    f[3] = std::exp(exponent(t, y)) * (ydot[2] - c_ * (ydot[0] - std::cos(t)) - std::cos(t));
  }

  void solution(double t, std::span<double> y) const override {
    y[0] = y[2] = std::sin(t);
    y[1] = std::cos(t);
    y[3] = -std::cos(t);
  }

  void see_step(double t, Values y, Values) override {
    note_error(0, std::abs(y[0] - std::sin(t)));
    note_error(1, std::abs(y[2] - std::sin(t)));
    note_error(2, std::abs(y[3] + std::cos(t)));
  }

private:
  double exponent(double t, Values y) const { return y[2] - c_ * (y[0] - std::sin(t)) - std::sin(t); }

  double c_;
};

} // namespace

std::unique_ptr<dae::Problem> sieber2(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Sieber2>(comm, options);
}

} // namespace rhumb::problems
