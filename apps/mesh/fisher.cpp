#include "cases.hpp"
#include <rhumb/pde/moving/system.hpp>

namespace rhumb::mesh_cases {

using core::Range;
using namespace moving;

namespace {
/// Fisher's equation u_t = u_xx + r u (1 - u) with the travelling wave of Ablowitz and Zeppetella (1979),
///   u = (1 + e^z)^-2,  z = sqrt(r/6) x - 5 r t / 6,
/// whose values hold at the ends. Ahead of the front u = 0 is unstable: a mesh that leaves that region coarse makes the
/// front too fast.
struct Fisher {
  static constexpr int components = 1;
  double r = 1e3;

  auto flux(const auto& at) const { return at.ux; }
  auto balance(const auto& at) const { return std::array{at.ut[0] - r * at.u[0] * (1.0 - at.u[0])}; }
  std::array<double, 1> exact(double x, double t) const {
    const double e = 1.0 + std::exp(std::sqrt(r / 6.0) * (x - 0.2) - 5.0 * r * t / 6.0);
    return {1.0 / (e * e)};
  }
  auto left(const auto& at) const { return fixed_value(at, exact(0.0, at.t)); }
  auto right(const auto& at) const { return fixed_value(at, exact(1.0, at.t)); }
  std::array<double, 1> initial(double x) const { return exact(x, 0.0); }
};
} // namespace

std::unique_ptr<dae::Problem> fisher(MPI_Comm comm, const core::Options& options) {
  Fisher pde;
  pde.r = options.real("reaction_rate", pde.r, {"fisher: r"}, Range::positive());
  Description about;
  about.name = "fisher";
  about.fields = {{"u", "", "population"}};
  about.sizes = {1.0};
  about.t_end = 0.5 / (5.0 * std::sqrt(pde.r / 6.0)); // half the domain
  about.tau = 1e-2 * about.t_end;
  about.theta = 0.0; // u < 0 would run away
  about.cells = 60;
  about.front_times = {0.5 * about.t_end, about.t_end};
  return std::make_unique<System<Fisher>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
