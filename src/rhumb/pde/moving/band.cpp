#include <rhumb/pde/moving/band.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::moving {

Band::Band(std::size_t size, std::size_t reach)
    : size_(size), reach_(reach), width_(3 * reach + 1), entries_(size * width_, 0.0) {}

std::vector<double> Band::solve(std::vector<double> b) && {
  const auto right = [&](std::size_t row) { return std::min(size_, row + 2 * reach_ + 1); };
  for (std::size_t k = 0; k < size_; ++k) {
    const std::size_t below = std::min(size_, k + reach_ + 1);
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < below; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (pivot != k) {
      for (std::size_t j = k; j < right(k); ++j) std::swap(at(k, j), at(pivot, j));
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < below; ++i) {
      const double factor = at(i, k) / at(k, k);
      if (factor == 0.0) continue;
      for (std::size_t j = k; j < right(k); ++j) at(i, j) -= factor * at(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = size_; k-- > 0;) {
    for (std::size_t j = k + 1; j < right(k); ++j) b[k] -= at(k, j) * b[j];
    b[k] /= at(k, k);
  }
  return b;
}

} // namespace rhumb::moving
