/// The pendulum in Cartesian coordinates, BCP (6.2.9)-(6.2.12), L = 1. Gravity is g = -1 (it points up), which is what
/// the book's tables belong to, unless -g says otherwise. z(0) = (1, 0, 0, 1), lambda(0) = 1, to t = 1.
///   z1' = z3 (+ z1 mu)      z3' = -z1 lambda
///   z2' = z4 (+ z2 mu)      z4' = -z2 lambda - g
/// and, by -form:
///   index3:      0 = z1^2 + z2^2 - 1                     (6.2.9e)
///   index2:      0 = z1 z3 + z2 z4                       (6.2.10)
///   index1:      0 = z3^2 + z4^2 - lambda - z2 g         (6.2.11)
///   stabilized:  (6.2.9e) and (6.2.10), with mu in the first two equations (6.2.12)

#include "jacobi_elliptic.hpp"
#include "problems.hpp"
#include "small_problem.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace rhumb::problems {
namespace {

using dae::Kind;

enum class Form : std::uint8_t { index1, index2, index3, stabilized };

Form form_named(const std::string& name) {
  if (name == "index1") return Form::index1;
  if (name == "index2") return Form::index2;
  if (name == "index3") return Form::index3;
  return Form::stabilized;
}

std::vector<dae::Field> fields_of(Form form) {
  const Kind kind = form == Form::index1 ? Kind::index1 : form == Form::index3 ? Kind::index3 : Kind::index2;
  std::vector<dae::Field> fields{{.name = "z1", .long_name = "horizontal position"},
                                 {.name = "z2", .long_name = "vertical position"},
                                 {.name = "z3", .long_name = "horizontal velocity"},
                                 {.name = "z4", .long_name = "vertical velocity"},
                                 {.name = "lambda", .long_name = "tension", .kind = kind}};
  if (form == Form::stabilized) fields.push_back({.name = "mu", .long_name = "stabilizing multiplier", .kind = kind});
  return fields;
}

/// Where the numbers of the unknowns are used as names.
enum : std::size_t { z1, z2, z3, z4, lambda, mu };

class Pendulum final : public SmallProblem {
public:
  Pendulum(MPI_Comm comm, Form form, const core::Options& options)
      : SmallProblem(comm, "pendulum", fields_of(form), options), form_(form) {
    parameters_.bind(options, "g", gravity_, {"pendulum: gravity; it points up"}, core::Range::between(-1e6, -0.5));
  }

  double t_end() const override { return 1.0; }
  /// Index 3 is for fixed steps, where the tolerance only says how far Newton goes; its rest comes back divided by h^2.
  dae::Tolerances default_tolerances() const override {
    const double tolerance = form_ == Form::index3 ? 1e-12 : 1e-6;
    return {.rtol = tolerance, .atol = tolerance};
  }
  dae::Offers offers() const override {
    return {.jacobian = true,
            .mass_product = true,
            .hidden_constraint = form_ == Form::index2 || form_ == Form::stabilized,
            .exact = true};
  }

  dae::Figures report(double t, Vec y, Vec) override {
    const auto z = everywhere(y);
    const auto truth = solution_at(t);
    double z_error = 0.0;
    std::vector<double> relative;
    for (std::size_t i = 0; i <= lambda; ++i) {
      const double error = std::abs(z[i] - truth[i]);
      if (i < lambda) z_error = std::max(z_error, error);
      relative.push_back(error / std::abs(truth[i]));
    }
    // BCP (6.2.13)
    return {{"z_error", z_error},
            {"lambda_error", std::abs(z[lambda] - truth[lambda])},
            {"g1", 1.0 - z[z1] * z[z1] - z[z2] * z[z2]},
            {"g2", z[z1] * z[z3] + z[z2] * z[z4]},
            {"g3", z[z3] * z[z3] + z[z4] * z[z4] - z[lambda] - z[z2] * gravity_},
            {"relative_errors", relative}};
  }

protected:
  void start(double, std::span<double> y, std::span<double> ydot) const override {
    y[z1] = 1.0;
    y[z2] = y[z3] = 0.0;
    y[z4] = y[lambda] = 1.0;
    ydot[z1] = 0.0;
    ydot[z2] = 1.0;
    ydot[z3] = -1.0;
    ydot[z4] = -gravity_;
    ydot[lambda] = -3.0 * gravity_;
    if (form_ == Form::stabilized) y[mu] = 0.0;
  }

  void evaluate(double, Values y, Values ydot, std::span<double> f) const override {
    const double push = form_ == Form::stabilized ? y[mu] : 0.0;
    f[0] = ydot[z1] - y[z3] - y[z1] * push;
    f[1] = ydot[z2] - y[z4] - y[z2] * push;
    f[2] = ydot[z3] + y[z1] * y[lambda];
    f[3] = ydot[z4] + y[z2] * y[lambda] + gravity_;
    const double position = y[z1] * y[z1] + y[z2] * y[z2] - 1.0;
    const double velocity = y[z1] * y[z3] + y[z2] * y[z4];
    switch (form_) {
    case Form::index1:
      f[4] = y[z3] * y[z3] + y[z4] * y[z4] - y[lambda] - y[z2] * gravity_;
      break;
    case Form::index2:
      f[4] = velocity;
      break;
    case Form::index3:
      f[4] = position;
      break;
    case Form::stabilized:
      f[4] = velocity;
      f[5] = position;
      break;
    }
  }

  void linearise(double, Values y, Values, Linearisation& at) const override {
    for (std::size_t i = z1; i <= z4; ++i) at.dydot(i, i) = 1.0;
    at.dy(0, z3) = at.dy(1, z4) = -1.0;
    at.dy(2, z1) = at.dy(3, z2) = y[lambda];
    at.dy(2, lambda) = y[z1];
    at.dy(3, lambda) = y[z2];
    switch (form_) {
    case Form::index1:
      at.dy(4, z2) = -gravity_;
      at.dy(4, z3) = 2.0 * y[z3];
      at.dy(4, z4) = 2.0 * y[z4];
      at.dy(4, lambda) = -1.0;
      break;
    case Form::index2:
      velocity_row(4, y, at);
      break;
    case Form::index3:
      position_row(4, y, at);
      break;
    case Form::stabilized:
      at.dy(0, z1) = at.dy(1, z2) = -y[mu];
      at.dy(0, mu) = -y[z1];
      at.dy(1, mu) = -y[z2];
      velocity_row(4, y, at);
      position_row(5, y, at);
      break;
    }
  }

  void hidden(double, Values y, Values ydot, std::span<double> f) const override {
    f[4] = ydot[z1] * y[z3] + y[z1] * ydot[z3] + ydot[z2] * y[z4] + y[z2] * ydot[z4];
    if (form_ == Form::stabilized) f[5] = 2.0 * (y[z1] * ydot[z1] + y[z2] * ydot[z2]);
  }

  /// With z1 = sin(psi), z2 = cos(psi), w^2 = -g: psi'' = -w^2 sin(psi), psi(0) = pi/2, psi'(0) = -1, an oscillation
  /// with modulus k^2 = (psi'^2/(2 w^2) - cos(psi) + 1)/2 = 1/2 + 1/(4 w^2) <= 1. Then sin(psi/2) = k sn(u),
  /// cos(psi/2) = dn(u), psi' = -2 k w cn(u), u = u0 - w t.
  void solution(double t, std::span<double> y) const override {
    const double w = std::sqrt(-gravity_), k = std::sqrt(0.5 + 0.25 / (w * w));
    const double u0 = std::ellint_1(k, std::asin(1.0 / (k * std::numbers::sqrt2)));
    const auto [sn, cn, dn] = jacobi_elliptic(u0 - w * t, k);
    const double turn = 2.0 * k * w * cn;
    y[z1] = 2.0 * k * sn * dn;
    y[z2] = 1.0 - 2.0 * k * k * sn * sn;
    y[z3] = -y[z2] * turn;
    y[z4] = y[z1] * turn;
    y[lambda] = turn * turn - y[z2] * gravity_;
    if (form_ == Form::stabilized) y[mu] = 0.0;
  }

private:
  static void position_row(std::size_t row, Values y, Linearisation& at) {
    at.dy(row, z1) = 2.0 * y[z1];
    at.dy(row, z2) = 2.0 * y[z2];
  }
  static void velocity_row(std::size_t row, Values y, Linearisation& at) {
    at.dy(row, z1) = y[z3];
    at.dy(row, z2) = y[z4];
    at.dy(row, z3) = y[z1];
    at.dy(row, z4) = y[z2];
  }

  Form form_;
  double gravity_ = -1.0;
};

} // namespace

std::unique_ptr<dae::Problem> pendulum(MPI_Comm comm, const core::Options& options) {
  const std::string form = options.choice("form", "index1", {"index1", "index2", "stabilized", "index3"},
                                          {"which of the constraints stands in the equations"});
  return std::make_unique<Pendulum>(comm, form_named(form), options);
}

} // namespace rhumb::problems
