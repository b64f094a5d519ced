#include "cases.hpp"
#include <rhumb/pde/moving/system.hpp>

namespace rhumb::mesh_cases {

using core::Range;
using namespace moving;

namespace {
/// A single-step reaction with diffusion (Adjerid and Flaherty; BCP section 6.5),
///   T_t = T_xx + D (1 + alpha - T) e^(-delta/T),   D = R e^delta / (alpha delta),
///   T_x(0,t) = 0, T(1,t) = 1, T(x,0) = 1:
/// T rises slowly, ignites at x = 0, and a steep front runs to x = 1.
struct Reaction {
  static constexpr int components = 1;
  double alpha = 1.0, delta = 30.0, R = 5.0;

  auto flux(const auto& at) const { return std::array{at.ux[0]}; }
  auto balance(const auto& at) const {
    using std::exp;
    const auto& T = at.u[0];
    // e^delta e^(-delta/T) in one exponent: neither overflows.
    return std::array{at.ut[0] - R / (alpha * delta) * (1.0 + alpha - T) * exp(delta * (1.0 - 1.0 / T))};
  }
  auto left(const auto& at) const { return no_flux(at); }
  auto right(const auto& at) const { return fixed_value(at, {1.0}); }
  std::array<double, 1> initial(double) const { return {1.0}; }
};
} // namespace

std::unique_ptr<dae::Problem> reaction(MPI_Comm comm, const core::Options& options) {
  Reaction pde;
  pde.alpha = options.real("alpha", 1.0, {"reaction: heat release"}, Range::positive());
  pde.delta = options.real("delta", 30.0, {"reaction: activation energy"}, Range::positive());
  pde.R = options.real("reaction_rate", 5.0, {"reaction: rate R"}, Range::positive());
  Description about;
  about.name = "reaction";
  about.fields = {{"T", "", "temperature"}};
  about.sizes = {1.0};
  about.t_end = 0.29;
  about.front_level = 1.0 + 0.5 * pde.alpha;
  about.ignition_level = about.front_level;
  about.front_times = {0.2404, 0.242, 0.245};
  about.cells = 30;
  about.tau = 1e-5;
  about.monitor_alpha = 0.1; // more nodes for the front: fewer steps, and a smaller error
  return std::make_unique<System<Reaction>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
