#include <rhumb/physics/heat/modes.hpp>

#include <cmath>
#include <numbers>

namespace rhumb::heat {

namespace {

/// sin(pi m / n) for m = 0 .. 2n - 1.
std::vector<double> sines(std::size_t n) {
  std::vector<double> values(2 * n);
  for (std::size_t m = 0; m < 2 * n; ++m)
    values[m] = std::sin(std::numbers::pi * static_cast<double>(m) / static_cast<double>(n));
  return values;
}

} // namespace

Modes::Modes(const Expression& profile, const grid::BoxShape& shape, double diffusivity) : diffusivity_(diffusivity) {
  for (int d = 0; d < shape.dimension(); ++d) {
    const auto n = static_cast<std::size_t>(shape.cells[d]);
    const auto sine = sines(n);
    const double h = shape.spacing(d);
    std::vector<double> amplitudes(n, 0.0), rates(n, 0.0);
    for (std::size_t m = 1; m < n; ++m) {
      for (std::size_t j = 1; j < n; ++j) {
        const double x = shape.lower[d] + static_cast<double>(j) * h;
        amplitudes[m] += profile({{x, 0.0, 0.0}, 0.0, 0.0}) * sine[m * j % (2 * n)];
      }
      amplitudes[m] *= 2.0 / static_cast<double>(n);
      const double s = std::sin(std::numbers::pi * static_cast<double>(m) / (2.0 * static_cast<double>(n)));
      rates[m] = 4.0 * s * s / (h * h);
    }
    amplitudes_.push_back(std::move(amplitudes));
    decay_rates_.push_back(std::move(rates));
    values_.emplace_back(n + 1, 0.0);
  }
}

void Modes::at(double t) {
  for (std::size_t d = 0; d < values_.size(); ++d) {
    const std::size_t n = amplitudes_[d].size();
    const auto sine = sines(n);
    std::vector<double> now(n, 0.0);
    for (std::size_t m = 1; m < n; ++m) now[m] = amplitudes_[d][m] * std::exp(-diffusivity_ * decay_rates_[d][m] * t);
    for (std::size_t j = 1; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t m = 1; m < n; ++m) sum += now[m] * sine[m * j % (2 * n)];
      values_[d][j] = sum;
    }
  }
}

double Modes::value(const std::array<PetscInt, 3>& point) const {
  double product = 1.0;
  for (std::size_t d = 0; d < values_.size(); ++d) product *= values_[d][point[d]];
  return product;
}

} // namespace rhumb::heat
