/// P82 (3.2): a kink in the input g becomes a jump in y1, which BDF has to pass or to name.
///   0 = y2 - g(t),   y2' = y1,   g(t) = 0 for t <= 0 and c t after, from t = -1 to t = 2.

#include "problems.hpp"
#include "small_problem.hpp"
#include <cmath>

namespace rhumb::problems {
namespace {

class Jump final : public SmallProblem {
public:
  Jump(MPI_Comm comm, const core::Options& options)
      : SmallProblem(comm, "jump", {{.name = "y1", .kind = dae::Kind::index2}, {.name = "y2"}}, options),
        c_(options.real("c", 1.0, {"slope of g after the kink at t = 0"})) {}

  double t_start() const override { return -1.0; }
  double t_end() const override { return 2.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-6, .atol = 1e-6}; }
  dae::Offers offers() const override {
    return {.jacobian = true, .mass_product = true, .hidden_constraint = true, .exact = true};
  }

  dae::Figures report(double t, Vec y, Vec) override {
    const auto value = everywhere(y);
    return {{"y1_error", std::abs(value[0] - derivative(t))}, {"y2_error", std::abs(value[1] - input(t))}};
  }

protected:
  void start(double t, std::span<double> y, std::span<double> ydot) const override {
    solution(t, y);
    ydot[1] = derivative(t);
  }
  void evaluate(double t, Values y, Values ydot, std::span<double> f) const override {
    f[0] = y[1] - input(t);
    f[1] = ydot[1] - y[0];
  }
  void linearise(double, Values, Values, Linearisation& at) const override {
    at.dy(0, 1) = 1.0;
    at.dydot(1, 1) = 1.0;
    at.dy(1, 0) = -1.0;
  }
  void hidden(double t, Values, Values ydot, std::span<double> f) const override { f[0] = ydot[1] - derivative(t); }
  void solution(double t, std::span<double> y) const override {
    y[0] = derivative(t);
    y[1] = input(t);
  }

private:
  double input(double t) const { return t > 0.0 ? c_ * t : 0.0; }
  double derivative(double t) const { return t > 0.0 ? c_ : 0.0; }

  double c_;
};

} // namespace

std::unique_ptr<dae::Problem> jump(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<Jump>(comm, options);
}

} // namespace rhumb::problems
