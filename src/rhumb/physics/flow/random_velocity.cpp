#include <rhumb/physics/flow/random_velocity.hpp>

#include <rhumb/core/failure.hpp>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <random>

namespace rhumb::flow {

namespace {

constexpr double pi = std::numbers::pi;

/// Numbers that are the same with every standard library, whose distributions are not.
class Draws {
public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11U) + 0.5) * 0x1p-53; }
  /// Normal, with variance 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * pi * uniform());
  }
  Position direction(int dimension) {
    Position out{};
    for (int d = 0; d < dimension; ++d) out[d] = normal();
    return out;
  }

private:
  std::mt19937_64 engine_;
};

double dot(const Position& a, const Position& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// k^4 exp(-2 (k/k0)^2) is the density of k0/2 times the length of five normal numbers.
double draw_wavenumber(Draws& draws, double peak) {
  double square = 0.0;
  for (int i = 0; i < 5; ++i) {
    const double normal = draws.normal();
    square += normal * normal;
  }
  return 0.5 * peak * std::sqrt(square);
}

/// A wave vector of the spectrum that fits the box, or zero.
Position draw_vector(Draws& draws, double peak, const grid::BoxShape& shape) {
  Position k = draws.direction(shape.dimension());
  const double factor = draw_wavenumber(draws, peak) / std::sqrt(dot(k, k));
  for (int d = 0; d < shape.dimension(); ++d) {
    k[d] *= factor;
    const double basic = 2.0 * pi / (shape.upper[d] - shape.lower[d]);
    if (shape.periodic[d]) k[d] = basic * std::round(k[d] / basic);
  }
  return k;
}

} // namespace

RandomVelocity::RandomVelocity(const RandomWaves& waves, const grid::BoxShape& shape) {
  constexpr int max_attempts = 1000;
  Draws draws(waves.seed);
  const int dimension = shape.dimension();
  const double amplitude =
      waves.intensity * std::sqrt(2.0 * static_cast<double>(dimension) / static_cast<double>(waves.count));
  for (long i = 0; i < waves.count; ++i) {
    Wave wave{};
    for (int attempt = 0; dot(wave.wavenumber, wave.wavenumber) == 0.0; ++attempt) {
      if (attempt == max_attempts)
        throw core::BadInput(fmt::format("-turbulence_wavenumber {:g}: no such wave fits into the periodic box; the "
                                         "longest has 2 pi over its length",
                                         waves.wavenumber));
      wave.wavenumber = draw_vector(draws, waves.wavenumber, shape);
    }
    Position a = draws.direction(dimension);
    const double along = dot(a, wave.wavenumber) / dot(wave.wavenumber, wave.wavenumber);
    for (int d = 0; d < dimension; ++d) a[d] -= along * wave.wavenumber[d];
    const double factor = amplitude / std::sqrt(dot(a, a));
    for (int d = 0; d < dimension; ++d) wave.amplitude[d] = factor * a[d];
    wave.phase = 2.0 * pi * draws.uniform();
    waves_.push_back(wave);
  }
}

double RandomVelocity::operator()(int component, const Position& x) const {
  double sum = 0.0;
  for (const Wave& wave : waves_) sum += wave.amplitude[component] * std::cos(dot(wave.wavenumber, x) + wave.phase);
  return sum;
}

} // namespace rhumb::flow
