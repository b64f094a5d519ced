#pragma once
/// Problems of the literature that have led integrators astray, with the values that their sources give for the end.

#include "small_systems.hpp"
#include <limits>
#include <numbers>

namespace rhumb::test {

struct LiteratureProblem {
  std::vector<dae::Field> fields;
  Numbers start, rate;
  Pointwise::Function f;
  double t_end;
  Numbers end; ///< NaN where the source gives no value

  /// The largest error at the end, in units of tolerance (|y| + 1).
  double error(std::span<const double> y, double tolerance) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < end.size(); ++i)
      if (std::isfinite(end[i]))
        largest = std::max(largest, std::abs(y[i] - end[i]) / (tolerance * (std::abs(end[i]) + 1.0)));
    return largest;
  }
};

/// `count` fields "name1", "name2", ...
inline std::vector<dae::Field> numbered(const std::string& name, int count, dae::Kind kind = dae::Kind::differential) {
  std::vector<dae::Field> fields;
  for (int i = 1; i <= count; ++i) fields.push_back({.name = name + std::to_string(i), .kind = kind});
  return fields;
}

/// Two transistors in a row amplify a sine of 0.1 V: eight node voltages, five capacitors, a mass matrix of rank five
/// (Hairer, Wanner, Solving Ordinary Differential Equations II, section VI.1). The current through a transistor is
/// exponential in what a small difference of voltages is, so the last stage sees the errors before it enlarged.
inline LiteratureProblem transistor_amplifier() {
  return {numbered("u", 8),
          {0, 3, 3, 6, 3, 3, 6, 0},
          {51.338775, 51.338775, -3 / (2e-6 * 9000), -24.9757667, -24.9757667, -3 / (4e-6 * 9000), -10.00564453,
           -10.00564453},
          [](double t, auto u, auto du, auto f) {
            constexpr double supply = 6, resistance = 9000, input_resistance = 1000, microfarad = 1e-6, alpha = 0.99;
            const auto emitted = [](double base, double emitter) {
              return 1e-6 * std::expm1((base - emitter) / 0.026);
            };
            const auto to_ground = [&](int node) { return u[node] / resistance; };
            const auto to_supply = [&](int node) { return (u[node] - supply) / resistance; };
            const double input = 0.1 * std::sin(200 * std::numbers::pi * t);
            const double first = emitted(u[1], u[2]), second = emitted(u[4], u[5]);
            const double c1 = microfarad * (du[0] - du[1]), c3 = 3 * microfarad * (du[3] - du[4]),
                         c5 = 5 * microfarad * (du[6] - du[7]);
            f[0] = (u[0] - input) / input_resistance + c1;
            f[1] = to_ground(1) + to_supply(1) - c1 + (1 - alpha) * first;
            f[2] = to_ground(2) + 2 * microfarad * du[2] - first;
            f[3] = to_supply(3) + c3 + alpha * first;
            f[4] = to_ground(4) + to_supply(4) - c3 + (1 - alpha) * second;
            f[5] = to_ground(5) + 4 * microfarad * du[5] - second;
            f[6] = to_supply(6) + c5 + alpha * second;
            f[7] = to_ground(7) - c5;
          },
          0.2,
          {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128, 2.926422536206241, 2.704617865010554,
           2.761837778393145, 4.770927631616772, 1.236995868091548}};
}

/// The chemistry of pyrolysis E5 (Enright, Hull, Lindberg 1975): rates over twenty decades. y2 - y3 - y4 is conserved,
/// and y2 and y3 fall from 1e-10 to 1e-17: what is lost of their difference early on is all of y3 later.
inline LiteratureProblem e5() {
  return {numbered("y", 4),
          {1.76e-3, 0, 0, 0},
          {-7.89e-10 * 1.76e-3, 7.89e-10 * 1.76e-3, 7.89e-10 * 1.76e-3, 0},
          [](double, auto y, auto dy, auto f) {
            const double decay = 7.89e-10 * y[0], binding = 1.1e7 * y[0] * y[2], loss = 1.13e9 * y[1] * y[2],
                         release = 1.13e3 * y[3];
            f[0] = dy[0] + decay + binding;
            f[1] = dy[1] - decay + loss;
            f[2] = dy[2] - decay + binding + loss - release;
            f[3] = dy[3] - binding + release;
          },
          5e9,
          // by this integrator with the exact matrix and rtol 1e-10
          {1.9026e-16, 1.1728e-17, 1.1727e-17, 2.1720e-29}};
}

/// The ring modulator (Kampowsky, Rentrop, Schmidt 1992) without the parasitic capacitors: four diodes leave only
/// differences of the four inner voltages determined by their currents, and one combination is of index 2.
inline LiteratureProblem ring_modulator() {
  LiteratureProblem problem{numbered("u", 7), test::Numbers(15, 0.0), test::Numbers(15, 0.0), {}, 1e-4, {}};
  for (const int inner : {2, 3, 4, 5}) problem.fields[inner].kind = dae::Kind::index1;
  for (const auto& current : numbered("i", 8)) problem.fields.push_back(current);
  problem.f = [](double t, auto y, auto dy, auto f) {
    constexpr double pi = std::numbers::pi;
    const double in = 0.5 * std::sin(2e3 * pi * t), carrier = 2.0 * std::sin(2e4 * pi * t);
    const auto diode = [](double u) { return 40.67286402e-9 * std::expm1(17.7493332 * u); };
    const double q1 = diode(y[2] - y[4] - y[6] - carrier), q2 = diode(-y[3] + y[5] - y[6] - carrier),
                 q3 = diode(y[3] + y[4] + y[6] + carrier), q4 = diode(-y[2] - y[5] + y[6] + carrier);
    // node voltages: 16 nF at the ends, 10 nF at the carrier
    f[0] = 1.6e-8 * dy[0] - (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / 25e3);
    f[1] = 1.6e-8 * dy[1] - (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / 25e3);
    f[2] = y[9] - q1 + q4;
    f[3] = -y[10] + q2 - q3;
    f[4] = y[11] + q1 - q3;
    f[5] = -y[12] - q2 + q4;
    f[6] = 1e-8 * dy[6] - (-y[6] / 50 + q1 + q2 - q3 - q4);
    // currents through coils
    f[7] = 4.45 * dy[7] + y[0];
    f[8] = 4.45 * dy[8] + y[1];
    f[9] = 5e-4 * dy[9] - (0.5 * y[0] - y[2] - 17.3 * y[9]);
    f[10] = 5e-4 * dy[10] - (-0.5 * y[0] + y[3] - 17.3 * y[10]);
    f[11] = 5e-4 * dy[11] - (0.5 * y[1] - y[4] - 17.3 * y[11]);
    f[12] = 5e-4 * dy[12] - (-0.5 * y[1] + y[5] - 17.3 * y[12]);
    f[13] = 2e-3 * dy[13] - (-y[0] + in - 86.3 * y[13]);
    f[14] = 2e-3 * dy[14] - (-y[1] - 636.3 * y[14]);
  };
  return problem;
}

} // namespace rhumb::test
