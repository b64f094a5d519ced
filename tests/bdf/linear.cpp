/// The promise of bdf::Linear: the error of x, not some residual, is below the tolerance in the weighted norm.

#include <rhumb/bdf/linear.hpp>
#include <rhumb/bdf/spigmr.hpp>

#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;

namespace {

/// Stiff diffusion on a line, its rows multiplied by a factor: F_i = factor (y_i' - K (y_{i-1} - 2 y_i + y_{i+1})).
class StiffHeat : public dae::System {
public:
  static constexpr PetscInt size = 60;
  static constexpr double stiffness = 1e3;

  explicit StiffHeat(double factor) : factor_(factor) {}
  bool broken = false;
  std::vector<dae::Field> fields() const override { return {{.name = "T"}}; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, size, y.out()));
    return y;
  }
  core::MatHandle create_matrix() const override {
    core::MatHandle matrix;
    check(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, size, size, 3, nullptr, 2, nullptr, matrix.out()));
    for_each_row(matrix, [&](PetscInt i, std::span<const PetscInt> columns) {
      for (const PetscInt j : columns) check(MatSetValue(matrix, i, j, 0.0, INSERT_VALUES));
    });
    return matrix;
  }
  void initial_values(double, Vec, Vec) override {}
  dae::Offers offers() const override { return {.jacobian = true}; }
  void residual(double, Vec y, Vec ydot, Vec residual) override {
    if (broken) {
      check(VecSet(residual, std::nan("")));
      return;
    }
    const auto matrix = create_matrix();
    jacobian(0.0, y, ydot, 0.0, matrix);
    check(MatMult(matrix, y, residual));
    check(VecAXPY(residual, factor_, ydot));
  }
  void jacobian(double, Vec, Vec, double alpha, Mat matrix) override {
    for_each_row(matrix, [&](PetscInt i, std::span<const PetscInt> columns) {
      for (const PetscInt j : columns)
        check(MatSetValue(matrix, i, j, factor_ * (i == j ? alpha + 2.0 * stiffness : -stiffness), INSERT_VALUES));
    });
  }

private:
  template <class Visit>
  static void for_each_row(Mat matrix, Visit&& visit) {
    PetscInt first = 0, last = 0;
    check(MatGetOwnershipRange(matrix, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
      std::vector<PetscInt> columns;
      for (const PetscInt j : {i - 1, i, i + 1})
        if (j >= 0 && j < size) columns.push_back(j);
      visit(i, columns);
    }
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }
  double factor_;
};

struct Solved {
  double error; ///< weighted norm of the error of x
  int iterations;
  bool converged;
};

/// Solves G x = b for a smooth b, whose solution is almost all in the directions where G is small.
Solved solve(const std::string& preconditioner, double factor, double tolerance,
             bdf::Operator linear_operator = bdf::Operator::assembled, const std::string& type = bdf::spigmr) {
  const test::PetscOptionsFor words({{"-dae_pc_type", preconditioner}, {"-dae_ksp_type", type}});
  StiffHeat system(factor);
  dae::GuardedSystem guarded(system);
  bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  options.linear_operator = linear_operator;
  dae::Weights weights(guarded, options.tolerances);
  bdf::Phases phases;
  const auto y = system.create_vector(), ydot = core::same_layout(y), x = core::same_layout(y),
             truth = core::same_layout(y), b = core::same_layout(y), residual = core::same_layout(y);
  PetscInt first = 0;
  check(VecGetOwnershipRange(y, &first, nullptr));
  {
    const core::Writable value(y), wanted(truth);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double position = static_cast<double>(first + static_cast<PetscInt>(i) + 1) / (StiffHeat::size + 1);
      value[i] = 1.0 + position; // the weights differ from entry to entry
      wanted[i] = std::sin(std::acos(-1.0) * position) + 0.01 * std::cos(40.0 * position);
    }
  }
  weights.update(y);
  const auto matrix = system.create_matrix();
  const double alpha = 1.0;
  system.jacobian(0.0, y, ydot, alpha, matrix);
  check(MatMult(matrix, truth, b));

  bdf::Linear linear(guarded, weights, options, phases);
  guarded.residual(0.0, y, ydot, residual);
  EXPECT_EQ(linear.setup({0.0, y, ydot}, residual, alpha), bdf::SetupResult::good);
  linear.rescale(dae::all_kinds);
  linear.linearize({0.0, y, ydot}, residual, alpha);
  const bdf::SolveResult result = linear.solve(b, x, tolerance);
  check(VecAXPY(x, -1.0, truth));
  return {weights.norm(x, dae::all_kinds), result.iterations, result.converged};
}

} // namespace

TEST(Spigmr, KeepsItsToleranceWithAPoorPreconditioner) {
  // P^-1 G has singular values down to 1e-3: a small preconditioned residual alone says little about x.
  for (const char* const restart : {"100", "30"})
    for (const double tolerance : {1.0, 0.1, 1e-2, 1e-3}) {
      const test::PetscOptionsFor often("-dae_ksp_gmres_restart", restart), long_enough("-dae_ksp_max_it", "10000");
      const Solved jacobi = solve("jacobi", 1.0, tolerance);
      EXPECT_TRUE(jacobi.converged);
      EXPECT_LE(jacobi.error, tolerance) << "Jacobi, restarts after " << restart;
      const Solved none = solve("none", 1e-4, tolerance);
      EXPECT_TRUE(none.converged);
      EXPECT_LE(none.error, tolerance) << "no preconditioner, restarts after " << restart;
    }
}

TEST(Spigmr, VectorsInSinglePrecisionLeaveTheSolutionInDouble) {
  const test::PetscOptionsFor long_enough("-dae_ksp_max_it", "10000");
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const Solved good = solve("bjacobi", 1.0, tolerance), poor = solve("jacobi", 1.0, tolerance);
    EXPECT_TRUE(good.converged && poor.converged) << tolerance;
    EXPECT_LE(good.error, tolerance);
    EXPECT_LE(poor.error, tolerance);
  }
}

TEST(Spigmr, DoesWhatPetscsGmresDoes) {
  const test::PetscOptionsFor words("-dae_ksp_gmres_restart", "100");
  for (const double tolerance : {30.0, 3.0, 1.0}) {
    const Solved ours = solve("jacobi", 1.0, tolerance);
    const Solved petscs = solve("jacobi", 1.0, tolerance, bdf::Operator::assembled, KSPGMRES);
    EXPECT_EQ(ours.iterations, petscs.iterations) << tolerance;
    EXPECT_NEAR(ours.error, petscs.error, 1e-3 * tolerance);
  }
}

TEST(Spigmr, KeepsItWithProductsByDifferences) {
  const Solved solved = solve("jacobi", 1.0, 0.1, bdf::Operator::differences);
  EXPECT_TRUE(solved.converged);
  EXPECT_LE(solved.error, 0.1);
}

TEST(Spigmr, AGoodPreconditionerCostsNothingExtra) {
  int ranks = 0;
  core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  const Solved solved = solve("bjacobi", 1.0, 1e-3);
  EXPECT_LE(solved.error, 1e-3);
  EXPECT_LE(solved.iterations, 2 * ranks) << "ILU(0) of a tridiagonal block is exact";
}

TEST(Spigmr, TheMatrixIsFilledAgainWhereItsFactorsHaveTakenItsPlace) {
  int ranks = 0;
  core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  const test::PetscOptionsFor words("-dae_pc_type", ranks == 1 ? "ilu" : "bjacobi");
  StiffHeat system(1.0);
  dae::GuardedSystem guarded(system);
  bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  options.linear_operator = bdf::Operator::differences; // nothing is multiplied with the matrix
  dae::Weights weights(guarded, options.tolerances);
  bdf::Phases phases;
  const auto y = system.create_vector(), residual = core::same_layout(y);
  check(VecSet(y, 1.0));
  weights.update(y);
  guarded.residual(0.0, y, y, residual);
  bdf::Linear linear(guarded, weights, options, phases);
  EXPECT_EQ(linear.setup({0.0, y, y}, residual, 1.0), bdf::SetupResult::good);
  EXPECT_EQ(linear.singular_parts().empty_rows, "");
  EXPECT_EQ(linear.setup({0.0, y, y}, residual, 2.0), bdf::SetupResult::good);
  EXPECT_NO_THROW(linear.check_jacobian({0.0, y, y}, residual, 1.0));
}

TEST(Spigmr, SaysSoWhenItDoesNotConverge) {
  const test::PetscOptionsFor words("-dae_ksp_max_it", "5");
  for (const char* const restart : {"100", "5", "3"}) {
    const test::PetscOptionsFor early("-dae_ksp_gmres_restart", restart);
    const Solved cut = solve("jacobi", 1.0, 1e-3);
    EXPECT_FALSE(cut.converged);
    EXPECT_EQ(cut.iterations, 5);
  }
}

TEST(Spigmr, StopsAtWhatIsNoNumberAndLeavesTheSolutionAlone) {
  const test::PetscOptionsFor words("-dae_pc_type", "jacobi");
  StiffHeat system(1.0);
  dae::GuardedSystem guarded(system);
  bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  options.linear_operator = bdf::Operator::differences;
  dae::Weights weights(guarded, options.tolerances);
  bdf::Phases phases;
  const auto y = system.create_vector(), b = core::same_layout(y), x = core::same_layout(y);
  check(VecSet(y, 1.0));
  weights.update(y);
  guarded.residual(0.0, y, y, b);
  bdf::Linear linear(guarded, weights, options, phases);
  EXPECT_EQ(linear.setup({0.0, y, y}, b, 1.0), bdf::SetupResult::good);
  linear.rescale(dae::all_kinds);
  linear.linearize({0.0, y, y}, b, 1.0);
  system.broken = true;
  for (const double tolerance : {1e-3, 1e9}) { // the latter is met by the residual at once
    const bdf::SolveResult result = linear.solve(b, x, tolerance);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.iterations, 1);
    for (const double v : test::local_values(x)) EXPECT_EQ(v, 0.0);
  }
  system.broken = false;
  EXPECT_TRUE(linear.solve(b, x, 1.0).converged);
  linear.krylov()->release();
  EXPECT_TRUE(linear.solve(b, x, 1.0).converged);
}

TEST(Spigmr, GoesOnFromAGuess) {
  const test::PetscOptionsFor words("-dae_ksp_knoll", "true"); // P^-1 b
  const Solved solved = solve("redundant", 1.0, 1e-3);
  EXPECT_TRUE(solved.converged);
  EXPECT_LE(solved.error, 1e-3);
  EXPECT_LE(solved.iterations, 1);
}

TEST(Spigmr, ADirectSolveIsExact) {
  const test::PetscOptionsFor words("-dae_pc_type", "lu");
  StiffHeat system(1.0);
  dae::GuardedSystem guarded(system);
  const bdf::IntegratorOptions options = test::with_tolerance(1e-3);
  dae::Weights weights(guarded, options.tolerances);
  bdf::Phases phases;
  bdf::Linear linear(guarded, weights, options, phases);
  EXPECT_TRUE(linear.direct());
  const auto y = system.create_vector(), b = core::same_layout(y), x = core::same_layout(y);
  check(VecSet(x, 3.0));
  const auto matrix = system.create_matrix();
  system.jacobian(0.0, y, y, 1.0, matrix);
  check(MatMult(matrix, x, b));
  EXPECT_EQ(linear.setup({0.0, y, y}, b, 1.0), bdf::SetupResult::good);
  linear.solve(b, x, 1.0);
  for (const double v : test::local_values(x)) EXPECT_NEAR(v, 3.0, 1e-10);
}

TEST(CheckJacobian, FindsAWrongEntryAndNamesIt) {
  const auto make = [](double entry) {
    auto system = std::make_unique<test::Pointwise>(
        std::vector<dae::Field>{{.name = "u"}, {.name = "v", .kind = dae::Kind::index1}}, test::Numbers{1.0, 1.0},
        test::Numbers{0.0, 0.0}, [](double, auto y, auto ydot, auto f) {
          f[0] = ydot[0] + y[0] * y[1];
          f[1] = y[1] - y[0] * y[0];
        });
    system->jacobian_block = [entry](double, auto y, double alpha) {
      return test::Numbers{alpha + y[1], y[0], entry * y[0], 1.0};
    };
    return system;
  };
  const auto message = [&](double entry) {
    const auto system = make(entry);
    bdf::IntegratorOptions options = test::with_tolerance(1e-5);
    options.check_jacobian = true;
    return test::message_of<core::BadInput>([&] { bdf::Integrator(*system, options).start(0.0, 1.0); });
  };
  EXPECT_EQ(message(-2.0), "");
  const std::string wrong = message(-2.01);
  EXPECT_NE(wrong.find("field v"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("-2.01 given, -2 by differences"), std::string::npos) << wrong;
}
