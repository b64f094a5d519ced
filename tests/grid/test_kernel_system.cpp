/// One kernel, three uses: residual, Jacobian and products must agree, on every dimension and any number of ranks.
#include <rhumb/pde/box/kernel_system.hpp>

#include <rhumb/core/check.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

using namespace rhumb;
using core::check;

namespace {

/// Two coupled nonlinear fields with convection, a Dirichlet side on the left for the first of them.
class Pair : public box::KernelSystem<Pair, 2> {
public:
  explicit Pair(const grid::BoxShape& shape, MPI_Comm comm = PETSC_COMM_WORLD)
      : KernelSystem(comm, shape, {{"u"}, {"v"}}) {}
  std::string name() const override { return "pair"; }
  double t_end() const override { return 1.0; }

  std::array<double, 2> initial(const box::Point& p) const {
    return {std::sin(3.0 * p.x) + p.y, std::cos(2.0 * p.x + p.y) + 0.5 * p.z};
  }
  template <class U, class Rate>
  auto equation(const U& u, const Rate& rate, const box::Point& p) const {
    using S = typename U::Scalar;
    using std::exp;
    const S u_equation =
        (1.0 + u[1] * u[1]) * rate[0] + u[0] * rate[1] - laplacian(u, 0) + u[1] * gradient(u, 0, 0) - p.x * exp(u[1]);
    const S v_equation = rate[1] - 0.1 * laplacian(u, 1) + u[0] * u[1];
    return std::array<S, 2>{u_equation, v_equation};
  }
  template <class U, class Rate>
  auto boundary(const U& u, const Rate& rate, const box::Point& p) const {
    auto result = equation(u, rate, p);
    if (p.on(grid::Side::left)) result[0] = u[0] - std::sin(p.t);
    return result;
  }
};

std::vector<grid::BoxShape> shapes() {
  return {{.cells = {17}},
          {.cells = {8, 11}, .upper = {2.0, 1.0, 1.0}},
          {.cells = {5, 6, 7}},
          {.cells = {9, 6}, .periodic = {true, false, false}},
          {.cells = {2, 7}, .periodic = {false, true, false}},
          {.cells = {5, 2, 4}, .periodic = {false, true, true}}};
}

/// Numbers that depend on the point alone, not on the rank that holds it.
void fill(const grid::Box& box, Vec vector, int seed) {
  const core::Writable values(vector);
  const auto indices = box::box_natural_indices(box);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::minstd_rand random(static_cast<unsigned>(indices[i] * 7 + seed * 1000003 + 1));
    random.discard(3);
    values[i] = std::uniform_real_distribution<>(-1.0, 1.0)(random);
  }
}

double distance(Vec a, Vec b) {
  const auto difference = core::same_layout(a);
  double norm = 0.0;
  check(VecWAXPY(difference, -1.0, a, b));
  check(VecNorm(difference, NORM_INFINITY, &norm));
  return norm;
}

struct State {
  core::VecHandle y, ydot, v, product, other;
  explicit State(const Pair& system)
      : y(system.create_vector()), ydot(system.create_vector()), v(system.create_vector()),
        product(system.create_vector()), other(system.create_vector()) {
    fill(system.box(), y, 1);
    fill(system.box(), ydot, 2);
    fill(system.box(), v, 3);
  }
};

} // namespace

TEST(KernelSystem, TheProductIsTheDerivativeOfTheResidual) {
  for (const auto& shape : shapes()) {
    Pair system(shape);
    State s(system);
    const double alpha = 40.0, e = 1e-6;
    system.product(0.3, s.y, s.ydot, alpha, s.v, s.product);
    const auto up = core::same_layout(s.y), down = core::same_layout(s.y);
    for (const auto& [sign, out] : {std::pair{1.0, up.get()}, std::pair{-1.0, down.get()}}) {
      const auto y = core::same_layout(s.y), ydot = core::same_layout(s.y);
      check(VecWAXPY(y, sign * e, s.v, s.y));
      check(VecWAXPY(ydot, sign * e * alpha, s.v, s.ydot));
      system.residual(0.3, y, ydot, out);
    }
    check(VecWAXPY(s.other, -1.0, down, up));
    check(VecScale(s.other, 0.5 / e));
    EXPECT_LT(distance(s.product, s.other), 1e-5) << shape.describe();
  }
}

TEST(KernelSystem, TheMatrixTimesAVectorIsTheProduct) {
  for (const auto& shape : shapes()) {
    Pair system(shape);
    State s(system);
    const auto matrix = system.create_matrix();
    system.jacobian(0.3, s.y, s.ydot, 40.0, matrix);
    check(MatMult(matrix, s.v, s.other));
    system.product(0.3, s.y, s.ydot, 40.0, s.v, s.product);
    EXPECT_LT(distance(s.product, s.other), 1e-9) << shape.describe();
  }
}

TEST(KernelSystem, TheMassProductIsTheDifferenceOfTwoProducts) {
  Pair system(shapes()[1]);
  State s(system);
  const auto mass = core::same_layout(s.y);
  system.mass_product(0.3, s.y, s.ydot, s.v, mass);
  system.product(0.3, s.y, s.ydot, 41.0, s.v, s.product);
  system.product(0.3, s.y, s.ydot, 40.0, s.v, s.other);
  check(VecAXPY(s.product, -1.0, s.other));
  EXPECT_LT(distance(s.product, mass), 1e-10);
}

TEST(KernelSystem, TheResidualDoesNotDependOnTheRanks) {
  for (const auto& shape : shapes()) {
    std::array<std::array<double, 3>, 2> norms{};
    for (const std::size_t whole : {0U, 1U}) {
      Pair system(shape, whole == 1 ? PETSC_COMM_SELF : PETSC_COMM_WORLD);
      State s(system);
      system.residual(0.3, s.y, s.ydot, s.product);
      check(VecNorm(s.product, NORM_INFINITY, &norms[whole][0]));
      check(VecNorm(s.product, NORM_2, &norms[whole][1]));
      check(VecSum(s.product, &norms[whole][2]));
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(norms[0][i], norms[1][i], 1e-8) << shape.describe();
  }
}

TEST(KernelSystem, MultigridSolvesTheSameOnAnyNumberOfRanks) {
  std::array<std::array<double, 2>, 2> norms{};
  for (const std::size_t whole : {0U, 1U}) {
    Pair system({.cells = {64, 64}}, whole == 1 ? PETSC_COMM_SELF : PETSC_COMM_WORLD);
    State s(system);
    const auto matrix = system.create_matrix();
    core::KspHandle gmres;
    PC preconditioner = nullptr;
    PCType type = nullptr;
    PetscInt iterations = 0;
    system.initial_values(0.0, s.y, s.ydot);
    system.jacobian(0.0, s.y, s.ydot, 40.0, matrix);
    check(KSPCreate(system.box().comm(), gmres.out()));
    check(KSPSetOperators(gmres, matrix, matrix));
    check(KSPSetTolerances(gmres, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    check(KSPGetPC(gmres, &preconditioner));
    system.configure(preconditioner, matrix);
    check(KSPSolve(gmres, s.v, s.product));
    check(PCGetType(preconditioner, &type));
    check(KSPGetIterationNumber(gmres, &iterations));
    EXPECT_STREQ(type, PCMG);
    EXPECT_LE(iterations, 8);
    check(VecNorm(s.product, NORM_INFINITY, &norms[whole][0]));
    check(VecNorm(s.product, NORM_2, &norms[whole][1]));
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(norms[0][i] / norms[1][i], 1.0, 1e-10);
}

TEST(KernelSystem, TheFieldsOfAPointAreSmoothedTogether) {
  Pair system({.cells = {64, 64}});
  State s(system);
  const auto matrix = system.create_matrix();
  core::PcHandle preconditioner;
  PetscInt levels = 0;
  system.jacobian(0.0, s.y, s.ydot, 40.0, matrix);
  check(PCCreate(system.box().comm(), preconditioner.out()));
  check(PCSetOperators(preconditioner, matrix, matrix));
  system.configure(preconditioner, matrix);
  check(PCSetUp(preconditioner));
  check(PCMGGetLevels(preconditioner, &levels));
  EXPECT_EQ(levels, 3); // 65^2, 33^2, 17^2 points
  for (PetscInt level = 1; level < levels; ++level) {
    KSP smoother = nullptr;
    Mat grid = nullptr;
    PetscInt fields = 0;
    check(PCMGGetSmoother(preconditioner, level, &smoother));
    check(KSPGetOperators(smoother, nullptr, &grid));
    check(MatGetBlockSize(grid, &fields));
    EXPECT_EQ(fields, 2) << "grid " << level;
  }
}

TEST(KernelSystem, OnlyTheDirichletEntriesAreAlgebraic) {
  Pair system(shapes()[1]);
  for (PetscInt owned = 0; owned < system.box().owned_nodes(); ++owned) {
    const bool left = system.box().point(owned)[0] == 0;
    EXPECT_EQ(system.variable_kind(2 * owned), left ? dae::Kind::index1 : dae::Kind::differential);
    EXPECT_EQ(system.variable_kind(2 * owned + 1), dae::Kind::differential);
  }
}

TEST(KernelSystem, SecondDifferencesOfAQuadraticAreExactInside) {
  box::Stencil<double, 1, 2> u;
  const double h = 0.25;
  const auto f = [](double x, double y) { return 3.0 * x * x - 2.0 * y * y + x; };
  u.inverse_h = {1.0 / h, 1.0 / h};
  u.centre = {f(1.0, 2.0)};
  u.minus = {{{f(1.0 - h, 2.0)}, {f(1.0, 2.0 - h)}}};
  u.plus = {{{f(1.0 + h, 2.0)}, {f(1.0, 2.0 + h)}}};
  EXPECT_NEAR(laplacian(u), 2.0, 1e-12);
  EXPECT_NEAR(second_difference(u, 1), -4.0, 1e-12);
  EXPECT_NEAR(gradient(u, 0), 7.0, 1e-12);
}
