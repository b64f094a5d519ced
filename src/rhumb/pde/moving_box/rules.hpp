#pragma once
/// Quadrature on simplices in barycentric coordinates; weights add up to one.

#include <rhumb/pde/moving_box/pde.hpp>

namespace rhumb::moving_box {

/// The D + 1 points of degree two: point q has the coordinate `near` at corner q and `far` at the others.
template <int D>
struct SecondDegree {
  static_assert(D >= 1 && D <= 3);
  static constexpr double far = D == 1   ? 0.21132486540518711775 // (1 - 1/sqrt 3)/2
                                : D == 2 ? 1.0 / 6.0
                                         : 0.13819660112501051518; // (5 - sqrt 5)/20
  static constexpr double near = 1.0 - D * far;
  static constexpr double weight = 1.0 / (D + 1);
  static constexpr double coordinate(std::size_t q, std::size_t corner) { return q == corner ? near : far; }
};

/// Five Gauss points in each direction of the collapsed square or cube: exact to degree 9 - D, for errors.
template <int D>
std::vector<std::pair<Array<double, D + 1>, double>> fine_rule() {
  constexpr std::array<double, 5> places{-0.90617984593866399280, -0.53846931010568309104, 0.0, 0.53846931010568309104,
                                         0.90617984593866399280};
  constexpr std::array<double, 5> weights{0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                          0.47862867049936646804, 0.23692688505618908751};
  std::vector<std::pair<Array<double, D + 1>, double>> rule;
  std::size_t total = 1;
  for (int d = 0; d < D; ++d) total *= places.size();
  for (std::size_t index = 0; index < total; ++index) {
    Array<double, D + 1> corner{};
    double left = 1.0, weight = 1.0; // what the coordinates so far leave of one
    std::size_t rest = index;
    for (std::size_t d = 0; d < D; ++d, rest /= places.size()) {
      const std::size_t q = rest % places.size();
      // The volume of a simplex shrinks with the power of what is left; (D - d) makes the weights add up to one.
      const double size = left;
      corner[d + 1] = 0.5 * (1.0 + places[q]) * left;
      left -= corner[d + 1];
      double share = static_cast<double>(D - d) * 0.5 * weights[q];
      for (std::size_t power = d + 1; power < D; ++power) share *= left / size;
      weight *= share;
    }
    corner[0] = left;
    rule.emplace_back(corner, weight);
  }
  return rule;
}

} // namespace rhumb::moving_box
