#include "cases.hpp"
#include <rhumb/pde/moving/system.hpp>
#include <numbers>

namespace rhumb::mesh_cases {

using core::Range;
using namespace moving;

namespace {
/// Burgers' equation u_t + u u_x = eps u_xx on [0, 1] as a conservation law, f = eps u_x - u^2/2.
struct Burgers {
  static constexpr int components = 1;
  double eps = 1e-3;

  auto flux(const auto& at) const { return std::array{eps * at.ux[0] - 0.5 * at.u[0] * at.u[0]}; }
  auto balance(const auto& at) const { return at.ut; }
};

/// u(x,0) = sin 2 pi x + sin(pi x) / 2, u = 0 at both ends: steepens, runs to the right, dies out.
struct Sines : Burgers {
  auto left(const auto& at) const { return fixed_value(at, {0.0}); }
  auto right(const auto& at) const { return fixed_value(at, {0.0}); }
  std::array<double, 1> initial(double x) const {
    using std::numbers::pi;
    return {std::sin(2.0 * pi * x) + 0.5 * std::sin(pi * x)};
  }
};

/// A single front, u = (1 - tanh((x - t/2 - 1/4) / (4 eps))) / 2, with its own values at the ends.
struct Front : Burgers {
  std::array<double, 1> exact(double x, double t) const {
    return {0.5 * (1.0 - std::tanh((x - 0.5 * t - 0.25) / (4.0 * eps)))};
  }
  auto left(const auto& at) const { return fixed_value(at, exact(0.0, at.t)); }
  auto right(const auto& at) const { return fixed_value(at, exact(1.0, at.t)); }
  std::array<double, 1> initial(double x) const { return exact(x, 0.0); }
};
} // namespace

std::unique_ptr<dae::Problem> burgers(MPI_Comm comm, const core::Options& options) {
  const double eps = options.real("eps", 1e-3, {"viscosity"}, Range::positive());
  const auto start = options.choice("start", "sines", {"sines", "front"}, {"burgers: what it starts with"});
  Description about;
  about.name = "burgers";
  about.fields = {{"u", "", "velocity"}};
  about.sizes = {1.0};
  about.front_level = 0.5;
  if (start == "front") {
    Front pde;
    pde.eps = eps;
    about.front_times = {0.25, 0.5, 0.75, 1.0};
    return std::make_unique<System<Front>>(comm, options, pde, about);
  }
  Sines pde;
  pde.eps = eps;
  about.t_end = 2.0;
  about.front_times = {0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 2.0};
  return std::make_unique<System<Sines>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
