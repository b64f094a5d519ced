#pragma once
/// Andrews' squeezer: seven rigid bodies in the plane, three closed loops (Hairer, Wanner, Solving Ordinary
/// Differential Equations II, section VII.7; Schiehlen 1990). Positions q are angles, velocities v their rates, lambda
/// six forces.

#include "literature_problems.hpp"

namespace rhumb::test {

namespace squeezer_parts {
inline constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
inline constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ss = 35e-3, zf = 2e-2, zt = 4e-2,
                        u = 4e-2, fa = 1421e-5;

/// The three loops at O: each closes at the end of the crank and its rod.
inline std::array<double, 6> loops(std::span<const double> q) {
  const double sum = q[0] + q[1], x = rr * std::cos(q[0]) - d * std::cos(sum),
               y = rr * std::sin(q[0]) - d * std::sin(sum);
  return {x - ss * std::sin(q[2]) - xb,
          y + ss * std::cos(q[2]) - yb,
          x - e * std::sin(q[3] + q[4]) - zt * std::cos(q[4]) - xa,
          y + e * std::cos(q[3] + q[4]) - zt * std::sin(q[4]) - ya,
          x - zf * std::cos(q[5] + q[6]) - u * std::sin(q[6]) - xa,
          y - zf * std::sin(q[5] + q[6]) + u * std::cos(q[6]) - ya};
}

/// G w, G being the derivative of the loops.
inline std::array<double, 6> along(std::span<const double> q, std::span<const double> w) {
  const double sum = q[0] + q[1], w_sum = w[0] + w[1], w34 = w[3] + w[4], w56 = w[5] + w[6];
  const double x = -rr * std::sin(q[0]) * w[0] + d * std::sin(sum) * w_sum,
               y = rr * std::cos(q[0]) * w[0] - d * std::cos(sum) * w_sum;
  return {x - ss * std::cos(q[2]) * w[2],
          y - ss * std::sin(q[2]) * w[2],
          x - e * std::cos(q[3] + q[4]) * w34 + zt * std::sin(q[4]) * w[4],
          y - e * std::sin(q[3] + q[4]) * w34 - zt * std::cos(q[4]) * w[4],
          x + zf * std::sin(q[5] + q[6]) * w56 - u * std::cos(q[6]) * w[6],
          y - zf * std::cos(q[5] + q[6]) * w56 - u * std::sin(q[6]) * w[6]};
}

/// G^T m: column by column of G.
inline std::array<double, 7> forces(std::span<const double> q, std::span<const double> m) {
  std::array<double, 7> sum{};
  for (std::size_t i = 0; i < 7; ++i) {
    std::array<double, 7> unit{};
    unit[i] = 1.0;
    const auto column = along(q, unit);
    for (std::size_t j = 0; j < 6; ++j) sum[i] += column[j] * m[j];
  }
  return sum;
}

/// M(q) a - f(q, v): four groups of bodies that only the loops join.
inline std::array<double, 7> dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> a) {
  constexpr double m2 = 0.00365, m4 = 0.00706, m6 = 0.00706, i2 = 4.410e-7, i4 = 5.667e-7, i6 = 5.667e-7;
  constexpr double crank = 0.04325 * 92e-5 * 92e-5 + 2.194e-6,
                   plate = 0.02373 * (1874e-5 * 1874e-5 + 1043e-5 * 1043e-5) + 5.255e-6,
                   left = 0.07050 * (2308e-5 * 2308e-5 + 916e-5 * 916e-5) + 1.169e-5,
                   right = 0.05498 * (1228e-5 * 1228e-5 + 449e-5 * 449e-5) + 1.912e-5;
  constexpr double rod = e - ea, arm = zf - fa;
  const double c1 = std::cos(q[1]), s1 = std::sin(q[1]), s3 = std::sin(q[3]), c3 = std::cos(q[3]), s5 = std::sin(q[5]),
               c5 = std::cos(q[5]);
  // crank and its rod, driven by a constant torque
  const double coupled = m2 * da * (da - rr * c1) + i2;
  const double m00 = crank + m2 * (rr * rr - 2 * da * rr * c1 + da * da) + i2;
  // the spring at body 3
  const double c2 = std::cos(q[2]), s2 = std::sin(q[2]), sc = 18e-3, sd = 2e-2;
  const double x = sd * c2 + sc * s2 + xb - xc, y = sd * s2 - sc * c2 + yb - yc, length = std::hypot(x, y);
  const double pull = -4530 * (length - 7785e-5) / length;
  const double m34 = m4 * (rod * rod + zt * rod * s3) + i4, m56 = m6 * (arm * arm - u * arm * s5) + i6;
  return {m00 * a[0] + coupled * a[1] - 33e-3 + m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * s1,
          coupled * a[0] + (m2 * da * da + i2) * a[1] - m2 * da * rr * v[0] * v[0] * s1,
          plate * a[2] - pull * (x * (sc * c2 - sd * s2) + y * (sd * c2 + sc * s2)),
          (m4 * rod * rod + i4) * a[3] + m34 * a[4] - m4 * zt * rod * v[4] * v[4] * c3,
          m34 * a[3] + (m4 * (zt * zt + 2 * zt * rod * s3 + rod * rod) + left + i4) * a[4] +
              m4 * zt * rod * v[3] * (v[3] + 2 * v[4]) * c3,
          (m6 * arm * arm + i6) * a[5] + m56 * a[6] + m6 * u * arm * v[6] * v[6] * c5,
          m56 * a[5] + (m6 * (arm * arm - 2 * u * arm * s5 + u * u) + right + i6) * a[6] -
              m6 * u * arm * v[5] * (v[5] + 2 * v[6]) * c5};
}
} // namespace squeezer_parts

enum class SqueezerForm : std::uint8_t { index3, stabilized };

inline LiteratureProblem squeezer(SqueezerForm form) {
  const bool stabilized = form == SqueezerForm::stabilized;
  LiteratureProblem problem;
  problem.fields = numbered("q", 7);
  const auto add = [&](const std::vector<dae::Field>& more) {
    problem.fields.insert(problem.fields.end(), more.begin(), more.end());
  };
  add(numbered("v", 7));
  add(numbered("lambda", 6, stabilized ? dae::Kind::index2 : dae::Kind::index3));
  if (stabilized) add(numbered("mu", 6, dae::Kind::index2));
  problem.start = problem.rate = Numbers(problem.fields.size(), 0.0);
  const Numbers angles{-0.0617138900142764496, 0,
                       0.455279819163070380,   0.222668390165885885,
                       0.487364979543842550,   -0.222668390165885885,
                       1.23054744454982119};
  std::copy(angles.begin(), angles.end(), problem.start.begin());
  problem.start[14] = 98.5668703962410896;
  problem.start[15] = -6.12268834425566266;
  problem.rate[7] = 14222.4439199541139;
  problem.rate[8] = -10666.8329399655854;
  problem.f = [stabilized](double, auto y, auto dy, auto f) {
    using namespace squeezer_parts;
    const auto q = y.subspan(0, 7), v = y.subspan(7, 7);
    const auto moved = dynamics(q, v, dy.subspan(7, 7)), held = forces(q, y.subspan(14, 6));
    const auto pushed = stabilized ? forces(q, y.subspan(20, 6)) : std::array<double, 7>{};
    for (std::size_t i = 0; i < 7; ++i) {
      f[i] = dy[i] - v[i] + pushed[i];
      f[7 + i] = moved[i] + held[i];
    }
    const auto position = loops(q), velocity = along(q, v);
    for (std::size_t j = 0; j < 6; ++j) {
      f[14 + j] = stabilized ? velocity[j] : position[j];
      if (stabilized) f[20 + j] = position[j];
    }
  };
  problem.t_end = 0.03;
  problem.end = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                 0.5244099658805304, 0.5347301163226948, 1.048080741042263};
  return problem;
}

} // namespace rhumb::test
