#pragma once
/// What a run has cost, and one line about each step. Names as in run.json and steps.csv.

#include <array>

namespace rhumb::bdf {

struct Statistics {
  long steps = 0;
  long residual_evals = 0;          ///< all of them
  long residual_evals_krylov = 0;   ///< for products by differences
  long residual_evals_jacobian = 0; ///< for matrices by coloured differences
  long jacobian_evals = 0;
  long pc_setups = 0;
  long newton_iterations = 0;
  long linear_iterations = 0;
  long filter_solves = 0;     ///< linear solves made for the error test
  long filter_iterations = 0; ///< Krylov iterations in those
  long start_iterations = 0;  ///< Krylov iterations for consistent start values, not among linear_iterations
  long error_test_failures = 0;
  long convergence_failures = 0;
  long constraint_failures = 0;
  long restarts = 0;                     ///< after events
  long kind_check_residuals = 0;         ///< made to check the declared kinds, in no other count
  long kind_check_matrices = 0;          ///< likewise
  long reductions = 0;                   ///< global reductions made by the integrator itself
  long sensitivity_residuals = 0;        ///< of all parameters: F_y s + F_y' s' + F_p
  long sensitivity_evals = 0;            ///< residuals made for those by differences, in no other count
  long sensitivity_matrices = 0;         ///< made for those, in no other count
  long sensitivity_iterations = 0;       ///< linear solves, of all parameters
  long sensitivity_krylov = 0;           ///< Krylov iterations in those, in no other count
  std::array<long, 6> order_histogram{}; ///< accepted steps by order; [0] unused
  double h_min = 0.0;                    ///< smallest and largest accepted step
  double h_max = 0.0;
};

/// One accepted step, as in steps.csv.
struct StepReport {
  double t = 0.0; ///< time reached
  double h = 0.0;
  int order = 0;
  double error = 0.0; ///< of the test; accepted at most 1
  int newton = 0;     ///< Newton iterations of all attempts of this step
  int krylov = 0;
  int error_failures = 0;
  int convergence_failures = 0;
};

/// CPU-wall seconds by phase.
struct Phases {
  double residual = 0.0;
  double jacobian = 0.0;
  double pc_setup = 0.0;
  double linear_solve = 0.0; ///< all of it, of which:
  double pc_apply = 0.0;     ///< preconditioner or factors
  double products = 0.0;     ///< of the iteration matrix with a vector
  double error_test = 0.0;
  double sensitivities = 0.0; ///< residuals of the sensitivity equations
};

} // namespace rhumb::bdf
