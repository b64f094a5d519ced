#pragma once
/// Andrews' squeezer: seven rigid bodies in the plane, three closed loops (Hairer, Wanner, Solving Ordinary Differential
/// Equations II, section VII.7; Schiehlen 1990). Coordinates are angles; a constant torque drives the crank.

#include <rhumb/physics/mechanics/element.hpp>

namespace rhumb::problems {

struct SqueezerKernel {
  static constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  static constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ss = 35e-3, zf = 2e-2, zt = 4e-2,
                          u = 4e-2, fa = 1421e-5;
  static constexpr double sc = 18e-3, sd = 2e-2, rod = e - ea, arm = zf - fa;
  static constexpr double m2 = 0.00365, m4 = 0.00706, m6 = 0.00706, i2 = 4.410e-7, i4 = 5.667e-7, i6 = 5.667e-7;
  static constexpr double crank = 0.04325 * 92e-5 * 92e-5 + 2.194e-6,
                          plate = 0.02373 * (1874e-5 * 1874e-5 + 1043e-5 * 1043e-5) + 5.255e-6,
                          left = 0.07050 * (2308e-5 * 2308e-5 + 916e-5 * 916e-5) + 1.169e-5,
                          right = 0.05498 * (1228e-5 * 1228e-5 + 449e-5 * 449e-5) + 1.912e-5;

  const double *torque, *stiffness, *spring_length;

  std::size_t coordinates() const { return 7; }
  std::size_t constraints() const { return 6; }

  /// Four groups of bodies that only the loops join.
  template <class T>
  void mass(std::span<const T> q, mechanics::Square<T>& m) const {
    using std::cos, std::sin;
    const T c1 = cos(q[1]), s3 = sin(q[3]), s5 = sin(q[5]);
    m(0, 0) = crank + i2 + m2 * (rr * rr + da * da - 2.0 * da * rr * c1);
    m(0, 1) = m(1, 0) = i2 + m2 * da * (da - rr * c1);
    m(1, 1) = T(m2 * da * da + i2);
    m(2, 2) = T(plate);
    m(3, 3) = T(m4 * rod * rod + i4);
    m(3, 4) = m(4, 3) = i4 + m4 * rod * (rod + zt * s3);
    m(4, 4) = left + i4 + m4 * (zt * zt + rod * rod + 2.0 * zt * rod * s3);
    m(5, 5) = T(m6 * arm * arm + i6);
    m(5, 6) = m(6, 5) = i6 + m6 * arm * (arm - u * s5);
    m(6, 6) = right + i6 + m6 * (arm * arm + u * u - 2.0 * u * arm * s5);
  }

  template <class T>
  void force(const T&, std::span<const T> q, std::span<const T> v, std::span<T> f) const {
    using std::cos, std::sin, std::sqrt;
    const T s1 = sin(q[1]), c3 = cos(q[3]), c5 = cos(q[5]), c2 = cos(q[2]), s2 = sin(q[2]);
    f[0] = *torque - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * s1;
    f[1] = m2 * da * rr * v[0] * v[0] * s1;
    const T x = sd * c2 + sc * s2 + xb - xc, y = sd * s2 - sc * c2 + yb - yc, length = sqrt(x * x + y * y);
    const T pull = -*stiffness * (length - *spring_length) / length;
    f[2] = pull * (x * (sc * c2 - sd * s2) + y * (sd * c2 + sc * s2));
    f[3] = m4 * zt * rod * v[4] * v[4] * c3;
    f[4] = -m4 * zt * rod * v[3] * (v[3] + 2.0 * v[4]) * c3;
    f[5] = -m6 * u * arm * v[6] * v[6] * c5;
    f[6] = m6 * u * arm * v[5] * (v[5] + 2.0 * v[6]) * c5;
  }

  /// The three loops close at the end of the crank and its rod.
  template <class T>
  void constraint(const T&, std::span<const T> q, std::span<T> phi) const {
    using std::cos, std::sin;
    const T sum = q[0] + q[1], x = rr * cos(q[0]) - d * cos(sum), y = rr * sin(q[0]) - d * sin(sum);
    phi[0] = x - ss * sin(q[2]) - xb;
    phi[1] = y + ss * cos(q[2]) - yb;
    phi[2] = x - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa;
    phi[3] = y + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya;
    phi[4] = x - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa;
    phi[5] = y - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya;
  }
};

} // namespace rhumb::problems
