#include "jacobi_elliptic.hpp"

#include <array>
#include <cmath>

namespace rhumb::problems {

JacobiElliptic jacobi_elliptic(double u, double k) {
  constexpr std::size_t levels = 8; // quadratic convergence: c falls below roundoff after five for k up to 0.99
  std::array<double, levels> a{}, c{};
  a[0] = 1.0;
  c[0] = k;
  double b = std::sqrt((1.0 - k) * (1.0 + k));
  std::size_t last = 0;
  while (last + 1 < levels && std::abs(c[last]) > 1e-17) {
    a[last + 1] = 0.5 * (a[last] + b);
    c[last + 1] = 0.5 * (a[last] - b);
    b = std::sqrt(a[last] * b);
    ++last;
  }
  // phi_(n-1) = (phi_n + asin(c_n sin(phi_n) / a_n)) / 2, starting from 2^n a_n u
  double phi = std::ldexp(a[last] * u, static_cast<int>(last));
  for (std::size_t n = last; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] * std::sin(phi) / a[n]));
  const double sn = std::sin(phi), cn = std::cos(phi);
  return {sn, cn, std::sqrt(1.0 - k * k * sn * sn)};
}

} // namespace rhumb::problems
