#pragma once
/// Gradients of figures by the discrete adjoint of the steps that were taken: dG/dp and dG/dy0 of G = g(y(T)) or of an
/// integral over time, for any number of parameters, in one sweep back over the accepted steps.
///
/// Orders and steps count as given numbers, and Newton as converged. With phi the differences of `History`, b_i = dG/dphi_i
/// after a step and alpha, beta, gamma the coefficients of the step (BCP 5.2.4), a step is differentiated by
///   ebar = b_1 + ... + b_{k+2};   G^T lambda = -ebar,  G = F_y + alpha F_y'
///   dG/dp += lambda^T F_p
///   b_l <- beta_l (F_y^T lambda + b_1 + ... + b_l + gamma_l F_y'^T lambda),   l = 1 ... k+1.
/// The same in values of y instead of differences loses digits where steps grow. An integral is one more variable,
/// q' = g(t, y), with a history of its own.
///
///   options.adjoint.record = true;
///   integrator.start(...); ... integrator.advance(t_end);
///   const auto gradients = integrator.gradients({std::move(figure)}, {0, 1});

#include <rhumb/core/handle.hpp>
#include <functional>
#include <vector>

namespace rhumb::bdf {

/// A function of (y, y') at a time of the run, by its derivatives. `by_ydot` may be empty.
struct AdjointSeed {
  double t = 0.0;
  core::VecHandle by_y = {}, by_ydot = {};
};

/// The integral of `value` from the start of the run to `t_end`; `gradient` gives dvalue/dy. Values are the same on all
/// ranks.
struct AdjointIntegral {
  double t_end = 0.0;
  std::function<double(double t, Vec y, Vec ydot)> value = {};
  std::function<void(double t, Vec y, Vec ydot, Vec by_y)> gradient = {};
  /// dvalue/dp of all parameters of the system; without it: by differences.
  std::function<std::vector<double>(double t, Vec y, Vec ydot)> by_parameters = {};
};

/// What is differentiated: the sum of its parts.
struct Functional {
  std::vector<AdjointSeed> seeds = {};
  std::vector<AdjointIntegral> integrals = {};
};

struct Gradient {
  std::vector<double> by_parameter;   ///< in the order asked for; seeds depend on parameters through y alone
  core::VecHandle by_initial_values;  ///< of System::initial_values; 0 where the start finds the values itself
  std::vector<double> integrals = {}; ///< their values
};

/// What a sweep has cost.
struct AdjointCounts {
  long steps = 0;          ///< backwards
  long replayed = 0;       ///< steps taken once more, since there was no memory to keep them
  long matrices = 0;       ///< evaluated
  long factorizations = 0; ///< of transposed matrices
  long iterations = 0;     ///< of GMRES with factors of an earlier step
};

} // namespace rhumb::bdf
