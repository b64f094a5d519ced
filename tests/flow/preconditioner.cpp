/// The block preconditioner on the cavity at Re 1000, with the matrix at a developing flow.

#include "bdf/integrator.hpp"
#include "core/arrays.hpp"
#include "flow_case.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using core::check;

/// A cavity that has run for a while, its iteration matrix and the problem's own preconditioner.
class Developed {
public:
  explicit Developed(int cells) : problem_(tests::make_flow({{"re", "1000"}, {"n", fmt::format("{0},{0}", cells)}})) {
    bdf::Options options;
    options.tolerances = problem_->default_tolerances();
    options.tolerances.rtol = 1e-2;
    options.tolerances.atol_of_field.assign(3, 1e-2);
    integrator_.emplace(*problem_, options);
    integrator_->start(0.0, 1.0);
    integrator_->advance(1.0);
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

TEST(Preconditioner, NeedsFewIterationsThatHardlyGrowWithTheGrid) {
  Developed coarse(32), fine(64);
  const PetscInt few = coarse.iterations(100.0), more = fine.iterations(100.0);
  EXPECT_LE(more, 10);
  EXPECT_LE(more, few + 3);
  EXPECT_LE(fine.iterations(1000.0), 6);
}

TEST(Preconditioner, SatisfiesTheConstraintWhateverTheVelocitySolveDoes) {
  Developed cavity(32);
  cavity.linearize(100.0);
  const core::VecHandle r = cavity.problem().create_vector(), z = core::same_layout(r), back = core::same_layout(r);
  {
    const core::Writable values(r);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool free = cavity.problem().variable_kind(static_cast<PetscInt>(i)) == dae::Kind::differential;
      values[i] = free ? std::sin(3.1 * static_cast<double>(i)) : 0.0; // no divergence is asked for
    }
  }
  check(PCSetUp(cavity.preconditioner()));
  check(PCApply(cavity.preconditioner(), r, z));
  check(MatMult(cavity.matrix(), z, back));
  const core::Readable residual(back), correction(z);
  double largest = 0.0, size = 0.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const auto kind = cavity.problem().variable_kind(static_cast<PetscInt>(i));
    if (kind == dae::Kind::index2) largest = std::max(largest, std::abs(residual[i]));
    if (kind == dae::Kind::differential) size = std::max(size, std::abs(correction[i]));
  }
  EXPECT_GT(size, 1e-3);
  EXPECT_LT(largest, 1e-11 * size * 32);
}

} // namespace
