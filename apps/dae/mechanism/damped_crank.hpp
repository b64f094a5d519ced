#pragma once
/// A slider crank with a spring and a damper, the example slider crank of SUNDIALS IDAS: a crank of length a turns by the
/// angle q, a rod of length 1 at the angle p pushes the slider at x. A spring and a damper stretch between the middles
/// of crank and rod, and a constant force acts along x.
///   0 = x - cos p - a cos q,   0 = -sin p - a sin q

#include <rhumb/physics/mechanics/element.hpp>
#include <array>
#include <cmath>

namespace rhumb::problems {

struct DampedCrankKernel {
  static constexpr double a = 0.5, crank_inertia = 1.0, rod_inertia = 2.0, rod_mass = 1.0;
  static constexpr double free_length = 1.0, pull = 1.0;
  const double *stiffness, *damping;

  std::size_t coordinates() const { return 3; }
  std::size_t constraints() const { return 2; }

  template <class T>
  void mass(std::span<const T>, mechanics::Square<T>& m) const {
    m(0, 0) = T(crank_inertia);
    m(1, 1) = T(rod_mass);
    m(2, 2) = T(rod_inertia);
  }

  template <class T>
  void force(const T&, std::span<const T> q, std::span<const T> v, std::span<T> f) const {
    using std::cos, std::sin, std::sqrt;
    using Pair = std::array<T, 2>;
    // From the middle of the crank to that of the rod, and how that changes with each coordinate.
    const Pair d{q[1] - 0.5 * cos(q[2]) - 0.5 * a * cos(q[0]), -0.5 * sin(q[2]) - 0.5 * a * sin(q[0])};
    const std::array<Pair, 3> change{
        {{0.5 * a * sin(q[0]), -0.5 * a * cos(q[0])}, {T(1.0), T(0.0)}, {0.5 * sin(q[2]), -0.5 * cos(q[2])}}};
    const T length = sqrt(d[0] * d[0] + d[1] * d[1]);
    std::array<T, 3> stretch; // of the length, by each coordinate
    T rate(0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      stretch[i] = (d[0] * change[i][0] + d[1] * change[i][1]) / length;
      rate = rate + stretch[i] * v[i];
    }
    const T tension = *stiffness * (length - free_length) + *damping * rate;
    for (std::size_t i = 0; i < 3; ++i) f[i] = -(tension * stretch[i]);
    f[1] = f[1] + pull;
    f[2] = f[2] - pull * sin(q[2]);
  }

  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    using std::cos, std::sin;
    phi[0] = q[1] - cos(q[2]) - a * cos(q[0]);
    phi[1] = -sin(q[2]) - a * sin(q[0]);
  }
};

} // namespace rhumb::problems
