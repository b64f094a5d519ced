#pragma once
/// The flexible slider crank of the IVP test set (Simeon, Math. Modelling of Systems 2, 1996): a crank that turns at a
/// given rate, an elastic connecting rod and a sliding block. Coordinates: the angles of crank and rod, the position of
/// the block, two modes of the rod across and two nodes along it.

#include <rhumb/physics/mechanics/element.hpp>
#include <array>

namespace rhumb::problems {

struct CrankKernel {
  static constexpr double pi = 3.1415927; // the test set's
  static constexpr double m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.30, j1 = 0.002727, j2 = 0.0045339259;
  static constexpr double modulus = 0.20e12, width = 0.0080, height = 0.0080, rho = 7870.0;
  static constexpr double volume = width * height * l2, beam_mass = rho * volume,
                          stiffness = modulus * width * height / l2;
  static constexpr double slender = (height / l2) * (height / l2);

  using Four = std::array<double, 4>;
  static constexpr std::array<Four, 4> beam_masses{{{0.5 * beam_mass, 0, 0, 0},
                                                    {0, 0.5 * beam_mass, 0, 0},
                                                    {0, 0, 8.0 * beam_mass, beam_mass},
                                                    {0, 0, beam_mass, 2.0 * beam_mass}}};
  static constexpr std::array<Four, 4> springs{{{stiffness * pi * pi * pi * pi / 24.0 * slender, 0, 0, 0},
                                                {0, stiffness* pi* pi* pi* pi * 2.0 / 3.0 * slender, 0, 0},
                                                {0, 0, stiffness * 16.0 / 3.0, -stiffness * 8.0 / 3.0},
                                                {0, 0, -stiffness * 8.0 / 3.0, stiffness * 7.0 / 3.0}}};
  static constexpr double b13 = volume * 16.0 / (pi * pi * pi), b14 = volume * (8.0 / (pi * pi * pi) - 1.0 / pi),
                          b24 = volume * 0.5 / pi;
  static constexpr std::array<Four, 4> gyration{
      {{0, 0, -b13, b14}, {0, 0, 0, b24}, {b13, 0, 0, 0}, {-b14, -b24, 0, 0}}};
  static constexpr Four c1{0, 0, volume * 2.0 / 3.0, volume / 6.0}, c2{volume * 2.0 / pi, 0, 0, 0},
      c12{0, 0, l2*volume / 3.0, l2*volume / 6.0}, c21{l2 * volume / pi, -l2*volume * 0.5 / pi, 0, 0};

  const double* turning_rate; ///< of the crank, rad/s

  std::size_t coordinates() const { return 7; }
  std::size_t constraints() const { return 3; }

  template <class T>
  static T dot(const Four& a, std::span<const T> x) {
    return a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3];
  }
  template <class T>
  static std::array<T, 4> product(const std::array<Four, 4>& a, std::span<const T> x) {
    return {dot(a[0], x), dot(a[1], x), dot(a[2], x), dot(a[3], x)};
  }

  template <class T>
  void mass(std::span<const T> all, mechanics::Square<T>& m) const {
    using std::cos, std::sin;
    const auto q = all.subspan(3);
    const T c = cos(all[0] - all[1]), s = sin(all[0] - all[1]);
    const auto moved = product(beam_masses, q), turned = product(gyration, q); // B is antisymmetric: q^T B = -B q
    m(0, 0) = T(j1 + m2 * l1 * l1);
    m(0, 1) = m(1, 0) = 0.5 * l1 * l2 * m2 * c + rho * l1 * (s * dot(c2, q) + c * dot(c1, q));
    m(1, 1) = j2 + 2.0 * rho * dot(c12, q);
    m(2, 2) = T(m3);
    for (std::size_t i = 0; i < 4; ++i) {
      m(1, 1) += q[i] * moved[i];
      m(0, 3 + i) = m(3 + i, 0) = rho * l1 * (c * c2[i] - s * c1[i]);
      m(1, 3 + i) = m(3 + i, 1) = rho * (c21[i] - turned[i]);
      for (std::size_t j = 0; j < 4; ++j) m(3 + i, 3 + j) = T(beam_masses[i][j]);
    }
  }

  template <class T>
  void force(const T&, std::span<const T> all, std::span<const T> v, std::span<T> f) const {
    using std::cos, std::sin;
    const auto q = all.subspan(3), qd = v.subspan(3);
    const T c = cos(all[0] - all[1]), s = sin(all[0] - all[1]), turn1 = v[0] * v[0], turn2 = v[1] * v[1];
    const auto moved = product(beam_masses, q), bent = product(springs, q), swept = product(gyration, qd);
    f[0] = -0.5 * l1 * l2 * m2 * turn2 * s + rho * l1 * turn2 * (c * dot(c2, q) - s * dot(c1, q)) -
           2.0 * rho * l1 * v[1] * (c * dot(c1, qd) + s * dot(c2, qd));
    f[1] = 0.5 * l1 * l2 * m2 * turn1 * s + rho * l1 * turn1 * (s * dot(c1, q) - c * dot(c2, q)) -
           2.0 * rho * v[1] * dot(c12, qd);
    for (std::size_t i = 0; i < 4; ++i) {
      f[1] += -2.0 * v[1] * qd[i] * moved[i] - rho * qd[i] * swept[i];
      f[3 + i] = turn2 * moved[i] - bent[i] +
                 rho * (turn2 * c12[i] + l1 * turn1 * (c * c1[i] + s * c2[i]) + 2.0 * v[1] * swept[i]);
    }
  }

  /// The rod's end is the block, and the crank's angle is given.
  template <class T>
  void constraint(const T& t, std::span<const T> q, std::span<T> phi) const {
    using std::cos, std::sin;
    phi[0] = l1 * sin(q[0]) + (l2 + q[6]) * sin(q[1]);
    phi[1] = q[2] - l1 * cos(q[0]) - (l2 + q[6]) * cos(q[1]);
    phi[2] = q[0] - *turning_rate * t;
  }
};

} // namespace rhumb::problems
