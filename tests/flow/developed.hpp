#pragma once
/// The iteration matrix of a developing flow, with the preconditioner that a run would use.

#include "flow_case.hpp"
#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/arrays.hpp>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace rhumb::tests {

using core::check;

/// A cavity that has run for a while, its iteration matrix and the problem's own preconditioner.
class Developed {
public:
  /// `given`: what else the case says beside Re and the grid, which is uniform.
  explicit Developed(int cells, double until = 1.0, std::map<std::string, std::string> given = {}) {
    given.insert({{"re", "1000"}, {"n", fmt::format("{0},{0}", cells)}, {"stretch", "0,0"}});
    problem_ = make_flow(given);
    bdf::IntegratorOptions options;
    options.tolerances = problem_->default_tolerances();
    options.tolerances.rtol = 1e-2;
    options.tolerances.atol_of_field.assign(3, 1e-2);
    integrator_.emplace(*problem_, options);
    integrator_->start(0.0, until);
    integrator_->advance(until);
    matrix_ = problem_->create_matrix();
    check(KSPCreate(PETSC_COMM_WORLD, ksp_.out()));
    check(KSPSetType(ksp_, KSPGMRES));
    check(KSPGMRESSetRestart(ksp_, 100));
    check(KSPSetTolerances(ksp_, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 100));
    check(KSPSetOperators(ksp_, matrix_, matrix_));
    PC pc = nullptr;
    check(KSPGetPC(ksp_, &pc));
    problem_->configure(pc, matrix_);
  }

  void linearize(double alpha) {
    problem_->jacobian(integrator_->time(), integrator_->state(), integrator_->derivative(), alpha, matrix_);
    check(KSPSetOperators(ksp_, matrix_, matrix_));
  }

  /// GMRES iterations for a solution that is 1 where the number of the unknown is odd, and a wave elsewhere.
  PetscInt iterations(double alpha) {
    linearize(alpha);
    const core::VecHandle wanted = problem_->create_vector(), rhs = core::same_layout(wanted),
                          x = core::same_layout(rhs);
    PetscInt first = 0;
    check(VecGetOwnershipRange(wanted, &first, nullptr));
    {
      const core::Writable w(wanted);
      for (std::size_t i = 0; i < w.size(); ++i)
        w[i] = std::sin(1.7 * static_cast<double>(first) + 1.3 * static_cast<double>(i));
    }
    check(MatMult(matrix_, wanted, rhs));
    check(KSPSolve(ksp_, rhs, x));
    PetscInt count = 0;
    check(KSPGetIterationNumber(ksp_, &count));
    return count;
  }

  dae::Problem& problem() { return *problem_; }
  Mat matrix() { return matrix_; }
  PC preconditioner() {
    PC pc = nullptr;
    check(KSPGetPC(ksp_, &pc));
    return pc;
  }

private:
  std::unique_ptr<dae::Problem> problem_;
  std::optional<bdf::Integrator> integrator_;
  core::MatHandle matrix_;
  core::KspHandle ksp_;
};

} // namespace rhumb::tests
