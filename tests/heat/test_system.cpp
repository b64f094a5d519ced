/// The heat system on any number of ranks: derivatives, and multigrid that does not slow down on finer grids.
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;
using heat::Expression;

namespace {

heat::Case plain(std::vector<PetscInt> cells) {
  std::vector<heat::Material> materials;
  materials.push_back({"", std::nullopt, Expression("k", "1", ""), Expression("c", "1", ""), Expression("s", "0", "")});
  return {{.problem = "test",
           .materials = std::move(materials),
           .initial = Expression("initial", "1 + 0.3*x", "x"),
           .exact = std::nullopt,
           .watch_times = {},
           .probes = {}},
          {.cells = std::move(cells)}};
}

void set_wall(heat::Case& read, std::size_t side, heat::Wall::Type type) {
  auto& wall = read.walls[side];
  wall.type = type;
  if (type == heat::Wall::Type::dirichlet) wall.value = Expression("value", "0", "");
  if (type == heat::Wall::Type::flux) wall.value = Expression("value", "1 - T^2", "xtT");
  if (type == heat::Wall::Type::convection || type == heat::Wall::Type::radiation) {
    wall.coefficient = Expression("h", "2 + 0.1*T", "xtT");
    wall.ambient = Expression("ambient", "1.5 + x", "xt");
  }
}

/// One case of each variety, with each type of wall somewhere.
std::vector<heat::Case> cases() {
  std::vector<heat::Case> all;
  for (const auto& cells : {std::vector<PetscInt>{12}, {6, 7}, {4, 5, 6}})
    for (const char* k : {"1.5", "1 + x", "1 + 0.5*T*T"}) {
      auto read = plain(cells);
      read.stefan_boltzmann = 0.3;
      read.materials[0].k = Expression("k", k, "xT");
      if (std::string(k).find('T') != std::string::npos) {
        read.materials[0].capacity = Expression("c", "2 + 0.3*T", "T");
        read.materials[0].source = Expression("s", "sin(T)", "T");
      }
      const heat::Wall::Type types[] = {heat::Wall::Type::flux,      heat::Wall::Type::radiation,
                                        heat::Wall::Type::dirichlet, heat::Wall::Type::convection,
                                        heat::Wall::Type::symmetry,  heat::Wall::Type::flux};
      for (std::size_t side = 0; side < 2 * cells.size(); ++side) set_wall(read, side, types[side]);
      all.push_back(std::move(read));
    }
  return all;
}

void fill(Vec vector, double base, double swing, double frequency) {
  PetscInt first = 0;
  check(VecGetOwnershipRange(vector, &first, nullptr));
  const core::Writable values(vector);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = base + swing * std::sin(frequency * static_cast<double>(first + static_cast<PetscInt>(i)));
}

double largest_difference(Vec a, Vec b) {
  const auto difference = core::same_layout(a);
  double norm = 0.0;
  check(VecWAXPY(difference, -1.0, a, b));
  check(VecNorm(difference, NORM_INFINITY, &norm));
  return norm;
}

} // namespace

TEST(HeatSystem, ProductMatrixAndResidualAgree) {
  for (auto& read : cases()) {
    const auto about = read.shape.describe() + ", k = " + read.materials[0].k.text();
    const auto system = heat::make_heat_of(PETSC_COMM_WORLD, std::move(read));
    const auto y = system->create_vector(), ydot = system->create_vector(), v = system->create_vector();
    const auto product = system->create_vector(), other = system->create_vector(), up = system->create_vector();
    fill(y, 1.5, 0.4, 1.3);
    fill(ydot, 0.2, 1.0, 2.1);
    fill(v, 0.0, 1.0, 0.7);
    const double alpha = 30.0, e = 1e-6;
    system->product(0.0, y, ydot, alpha, v, product);
    const auto matrix = system->create_matrix();
    system->jacobian(0.0, y, ydot, alpha, matrix);
    check(MatMult(matrix, v, other));
    EXPECT_LT(largest_difference(product, other), 1e-9) << about;
    check(VecAXPY(y, e, v));
    check(VecAXPY(ydot, e * alpha, v));
    system->residual(0.0, y, ydot, up);
    check(VecAXPY(y, -2.0 * e, v));
    check(VecAXPY(ydot, -2.0 * e * alpha, v));
    system->residual(0.0, y, ydot, other);
    check(VecAXPY(up, -1.0, other));
    check(VecScale(up, 0.5 / e));
    EXPECT_LT(largest_difference(product, up), 2e-6) << about;
  }
}

TEST(HeatSystem, DirichletPointsAreAlgebraicAndNoOthers) {
  auto read = plain({6, 6});
  set_wall(read, 0, heat::Wall::Type::dirichlet);
  const auto system = heat::make_heat_of(PETSC_COMM_WORLD, std::move(read));
  PetscInt local = 0;
  check(VecGetLocalSize(system->create_vector(), &local));
  int algebraic = 0;
  for (PetscInt i = 0; i < local; ++i) algebraic += system->variable_kind(i) == dae::Kind::index1 ? 1 : 0;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &algebraic, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  EXPECT_EQ(algebraic, 7);
}

TEST(HeatSystem, TakesMultigridForAnyBoxThatIsNotSmall) {
  const auto type_for = [](std::vector<PetscInt> cells, std::array<double, 3> upper) {
    auto read = plain(std::move(cells));
    read.shape.upper = upper;
    const auto system = heat::make_heat_of(PETSC_COMM_WORLD, std::move(read));
    const auto matrix = system->create_matrix();
    core::PcHandle preconditioner;
    check(PCCreate(PETSC_COMM_WORLD, preconditioner.out()));
    system->configure(preconditioner, matrix);
    PCType type = nullptr;
    check(PCGetType(preconditioner, &type));
    return std::string(type);
  };
  EXPECT_EQ(type_for({96, 64}, {1.5, 1, 1}), PCMG);
  EXPECT_EQ(type_for({16, 16, 16}, {1, 1, 1}), PCMG);
  EXPECT_EQ(type_for({101, 101}, {1, 1, 1}), PCMG); // odd
  EXPECT_EQ(type_for({96, 64}, {15, 1, 1}), PCMG);  // cells ten times as long as wide
  EXPECT_EQ(type_for({16, 16}, {1, 1, 1}), PCLU);
}

namespace {
/// GMRES iterations to 1e-8 with the preconditioner that the system takes.
PetscInt iterations(std::vector<PetscInt> cells, std::array<double, 3> upper, heat::Wall::Type wall) {
  auto read = plain(std::move(cells));
  read.shape.upper = upper;
  for (std::size_t side = 0; side < 2 * read.shape.cells.size(); ++side) set_wall(read, side, wall);
  const auto system = heat::make_heat_of(PETSC_COMM_WORLD, std::move(read));
  const auto y = system->create_vector(), x = system->create_vector(), b = system->create_vector();
  fill(y, 1.0, 0.0, 0.0);
  fill(b, 0.0, 1.0, 0.37);
  const auto matrix = system->create_matrix();
  system->jacobian(0.0, y, y, 1.0, matrix);
  core::KspHandle ksp;
  check(KSPCreate(PETSC_COMM_WORLD, ksp.out()));
  check(KSPSetOperators(ksp, matrix, matrix));
  check(KSPSetTolerances(ksp, 1e-8, 0.0, PETSC_DEFAULT, 60));
  PC preconditioner = nullptr;
  check(KSPGetPC(ksp, &preconditioner));
  system->configure(preconditioner, matrix);
  PCType type = nullptr;
  check(PCGetType(preconditioner, &type));
  EXPECT_STREQ(type, PCMG);
  check(KSPSolve(ksp, b, x));
  PetscInt count = 0;
  check(KSPGetIterationNumber(ksp, &count));
  return count;
}
} // namespace

TEST(HeatSystem, MultigridNeedsAsManyIterationsOnAFineGridAsOnACoarseOne) {
  for (const auto wall : {heat::Wall::Type::dirichlet, heat::Wall::Type::convection}) {
    const auto on = [&](PetscInt n) { return iterations({n, n}, {1, 1, 1}, wall); };
    const PetscInt coarse = on(64), fine = on(256);
    EXPECT_LE(fine, 14) << heat::wall_type_names[static_cast<std::size_t>(wall)];
    EXPECT_LE(fine, coarse + 2) << heat::wall_type_names[static_cast<std::size_t>(wall)];
  }
}

TEST(HeatSystem, MultigridNeedsHardlyMoreIterationsForOddSizesAndLongCells) {
  for (const auto wall : {heat::Wall::Type::dirichlet, heat::Wall::Type::convection}) {
    const auto* name = heat::wall_type_names[static_cast<std::size_t>(wall)];
    const PetscInt even = iterations({64, 64}, {1, 1, 1}, wall);
    for (const PetscInt n : {61, 63, 65, 67, 99, 125, 127, 129})
      EXPECT_LE(iterations({n, n}, {1, 1, 1}, wall), even + 3) << name << ", n = " << n;
    EXPECT_LE(iterations({96, 64}, {15, 1, 1}, wall), even + 3) << name << ", long cells";
    const PetscInt cube = iterations({32, 32, 32}, {1, 1, 1}, wall);
    EXPECT_LE(iterations({31, 33, 35}, {1, 1, 1}, wall), cube + 3) << name << ", 31 x 33 x 35";
    EXPECT_LE(iterations({65, 31, 17}, {1, 1, 1}, wall), cube + 3) << name << ", 65 x 31 x 17";
  }
}
