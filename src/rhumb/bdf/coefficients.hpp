#pragma once
/// The numbers of the fixed-leading-coefficient BDF, BCP (5.2.4), from step sizes and order alone. Pure arithmetic.
/// Arrays keep the subscripts of the book: psi[i] is psi_i, entry 0 is unused.

#include <array>
#include <span>

namespace rhumb::bdf {

inline constexpr int highest_order = 5;
/// phi_1 .. phi_{k+2} at order 5.
inline constexpr int difference_count = highest_order + 2;
/// Those that a later step reads: phi_7 would serve order 6.
inline constexpr int kept_differences = highest_order + 1;
/// psi up to order + 2 needs this many past steps.
inline constexpr int past_step_count = highest_order + 2;

struct Coefficients {
  using DifferenceArray = std::array<double, difference_count + 1>;
  int order = 0;
  double h = 0.0;
  DifferenceArray psi{};   ///< psi_i(n+1) = t_{n+1} - t_{n+1-i}
  DifferenceArray alpha{}; ///< alpha_i = h / psi_i
  DifferenceArray beta{};  ///< phi*_i = beta_i phi_i
  DifferenceArray sigma{}; ///< Taylor terms (5.2.22)
  DifferenceArray gamma{}; ///< predictor's derivative
  double alpha_s = 0.0;
  double alpha_0 = 0.0;

  /// alpha = -alpha_s / h of the corrector (5.2.10): y' = y'^(0) + alpha (y - y^(0)).
  double leading() const { return -alpha_s / h; }
  /// M of the error test (5.2.21).
  double error_constant() const;
};

/// past_steps = h_n, h_{n-1}, ..., at least order + 1 of them; h is the step being tried.
Coefficients coefficients(std::span<const double> past_steps, double h, int order);

/// Weights of phi_1, phi_2, ... in the interpolant (5.2.9) of degree `order` at t_{n+1} + offset, where psi_i belong to
/// the completed step, and of its derivative.
struct InterpolantWeights {
  std::array<double, difference_count + 1> value{}, derivative{};
};
InterpolantWeights interpolant_weights(std::span<const double> past_steps, double offset, int order);

} // namespace rhumb::bdf
