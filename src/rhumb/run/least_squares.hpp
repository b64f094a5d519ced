#pragma once
/// Nonlinear least squares with bounds for a few parameters, by Levenberg and Marquardt's damped Gauss-Newton, and what the
/// solution says of its parameters. Every rank solves the same small problem.
///
/// TAO's bounded Gauss-Newton (PETSc 3.18) was tried: it takes steps out of the domain of a problem, where there is no run
/// that could be compared, and cannot be told so. Here a try without a value is a step too long.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::run {

/// Residuals and their derivatives, derivative[parameter][residual].
struct Residuals {
  std::vector<double> values;
  std::vector<std::vector<double>> derivatives;
  double square() const;
};

/// Between two tries: all that decides what comes.
struct LeastSquaresState {
  std::vector<double> x;
  double damping = 1e-3; ///< Marquardt's
  int iterations = 0;
};

struct LeastSquaresProblem {
  LeastSquaresState start;
  std::vector<double> lower, upper;
  /// Residuals in units of their standard errors; nothing where they have no value.
  std::function<std::optional<Residuals>(const std::vector<double>&)> residuals;
  /// Gets each state that a later call can start from, and the sum of squares there.
  std::function<void(const LeastSquaresState&, double)> keep;
};

struct LeastSquaresSolution {
  std::vector<double> x;
  Residuals residuals; ///< there
  bool converged = false;
  int iterations = 0;
};

/// Throws what `residuals` throws, and std::logic_error where they have no value at the start.
LeastSquaresSolution minimize(const LeastSquaresProblem& problem);

/// (J^T J)^-1, and combinations of parameters that change no residual.
struct Covariance {
  std::vector<std::vector<double>> matrix;       ///< infinite where the parameters are not determined
  std::vector<std::vector<std::size_t>> unknown; ///< parameters that cannot be told apart, or one that has no influence
};
Covariance covariance_of(const Residuals& residuals);

} // namespace rhumb::run
