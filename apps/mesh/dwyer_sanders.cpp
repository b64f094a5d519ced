#include "cases.hpp"
#include <rhumb/pde/moving/system.hpp>
#include <algorithm>

namespace rhumb::mesh_cases {

using core::Range;
using namespace moving;

namespace {
/// A flame of Dwyer and Sanders (1978): density u and temperature T with
///   u_t = u_xx - K u,  T_t = T_xx + K u,  K = 3.52e6 e^(-4/T),
/// u = 1, T = 0.2 at the start, no flux but at x = 1, where T is brought from 0.2 to 1.2 within 2e-4: a flame starts
/// there and runs to x = 0.
struct Flame {
  static constexpr int components = 2;
  double rate = 3.52e6;
  double heating = 2e-4;

  auto flux(const auto& at) const { return at.ux; }
  auto balance(const auto& at) const {
    using std::exp;
    const auto burnt = rate * exp(-4.0 / at.u[1]) * at.u[0];
    return std::array{at.ut[0] + burnt, at.ut[1] - burnt};
  }
  auto left(const auto& at) const { return no_flux(at); }
  auto right(const auto& at) const {
    auto end = no_flux(at);
    end.q[1] = 0.0;
    end.p[1] = at.u[1] - (0.2 + std::min(at.t / heating, 1.0));
    return end;
  }
  std::array<double, 2> initial(double) const { return {1.0, 0.2}; }
};
} // namespace

std::unique_ptr<dae::Problem> dwyer_sanders(MPI_Comm comm, const core::Options& options) {
  Flame pde;
  pde.rate = options.real("reaction_rate", pde.rate, {"dwyer_sanders: factor of the reaction rate"}, Range::positive());
  Description about;
  about.name = "dwyer_sanders";
  about.fields = {{"density", "", "density of the unburnt gas"}, {"T", "", "temperature"}};
  about.sizes = {1.0, 1.0};
  about.t_end = 0.006;
  about.tau = 1e-5;
  about.front_component = 1;
  about.front_level = 0.7;
  about.front_times = {0.001, 0.002, 0.003, 0.004, 0.005, 0.006};
  return std::make_unique<System<Flame>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
