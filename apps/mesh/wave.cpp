#include "cases.hpp"
#include <rhumb/pde/moving/system.hpp>
#include <numbers>

namespace rhumb::mesh_cases {

using core::Range;
using namespace moving;

namespace {
/// A front that goes to and fro, in any symmetry, with a known solution:
///   u_t = x^-m (x^m eps u_x)_x + s,   u = tanh(k (x^2 - X(t))),  X = 0.45 + amplitude sin(2 pi t),
/// s being what u leaves over. With z = x^2, g = tanh(k (z - X)): x^-m (x^m u_x)_x = 2 (1 + m) g' + 4 z g''.
struct Wave {
  static constexpr int components = 1;
  int m = 0;
  double eps = 0.01, k = 10.0, amplitude = 0.2;

  double centre(double t) const { return 0.45 + amplitude * std::sin(2.0 * std::numbers::pi * t); }
  double speed(double t) const { return amplitude * 2.0 * std::numbers::pi * std::cos(2.0 * std::numbers::pi * t); }
  auto flux(const auto& at) const { return std::array{eps * at.ux[0]}; }
  auto balance(const auto& at) const {
    using std::tanh;
    const auto z = at.x * at.x;
    const auto g = tanh(k * (z - centre(at.t)));
    const auto first = k * (1.0 - g * g), second = -2.0 * k * g * first;
    const auto source = -first * speed(at.t) - eps * (2.0 * (1.0 + m) * first + 4.0 * z * second);
    return std::array{at.ut[0] - source};
  }
  std::array<double, 1> exact(double x, double t) const { return {std::tanh(k * (x * x - centre(t)))}; }
  auto left(const auto& at) const { return no_flux(at); }
  auto right(const auto& at) const { return fixed_value(at, exact(1.0, at.t)); }
  std::array<double, 1> initial(double x) const { return exact(x, 0.0); }
};
} // namespace

std::unique_ptr<dae::Problem> wave(MPI_Comm comm, const core::Options& options) {
  Wave pde;
  Description about;
  pde.m = about.symmetry =
      static_cast<int>(options.integer("symmetry", 0, {"m: 0 planar, 1 cylinder, 2 sphere"}, Range::between(0, 2)));
  pde.eps = options.real("eps", pde.eps, {"wave: diffusivity"}, Range::positive());
  pde.k = options.real("steepness", pde.k, {"wave: steepness of the front"}, Range::positive());
  pde.amplitude = options.real("amplitude", pde.amplitude, {"wave: how far the front goes; 0: it stands"},
                               Range::between(0.0, 0.4));
  about.name = "wave";
  about.fields = {{"u"}};
  about.sizes = {1.0};
  about.front_level = 0.0;
  about.front_times = {0.25, 0.5, 0.75, 1.0};
  return std::make_unique<System<Wave>>(comm, options, pde, about);
}

} // namespace rhumb::mesh_cases
