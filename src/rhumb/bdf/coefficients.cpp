#include <rhumb/bdf/coefficients.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::bdf {

double Coefficients::error_constant() const {
  const double next = alpha[static_cast<std::size_t>(order) + 1];
  return std::max(next, std::abs(next + alpha_s - alpha_0));
}

Coefficients coefficients(std::span<const double> past_steps, double h, int order) {
  Coefficients c;
  c.order = order;
  c.h = h;
  const auto terms = static_cast<std::size_t>(order) + 2;

  double old_psi = 0.0; // psi_{i-1}(n)
  for (std::size_t i = 1; i <= terms; ++i) {
    c.psi[i] = h + old_psi;
    c.alpha[i] = h / c.psi[i];
    if (i == 1) {
      c.beta[i] = 1.0;
      c.sigma[i] = 1.0;
      c.gamma[i] = 0.0;
    } else {
      c.beta[i] = c.beta[i - 1] * c.psi[i - 1] / old_psi;
      c.sigma[i] = c.sigma[i - 1] * static_cast<double>(i - 1) * c.alpha[i];
      c.gamma[i] = c.gamma[i - 1] + c.alpha[i - 1] / h;
    }
    if (i - 1 < past_steps.size()) old_psi += past_steps[i - 1];
  }
  for (std::size_t j = 1; j <= static_cast<std::size_t>(order); ++j) {
    c.alpha_s -= 1.0 / static_cast<double>(j);
    c.alpha_0 -= c.alpha[j];
  }
  return c;
}

InterpolantWeights interpolant_weights(std::span<const double> past_steps, double offset, int order) {
  InterpolantWeights w;
  w.value[1] = 1.0;
  double psi = 0.0; // psi_{j-1}(n) of the completed step, psi_0 = 0
  for (std::size_t j = 1; j <= static_cast<std::size_t>(order); ++j) {
    const double next = psi + past_steps[j - 1];
    w.value[j + 1] = w.value[j] * (offset + psi) / next;
    w.derivative[j + 1] = (w.derivative[j] * (offset + psi) + w.value[j]) / next;
    psi = next;
  }
  return w;
}

} // namespace rhumb::bdf
