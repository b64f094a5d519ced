/// A PDE as a DAE: the exact Jacobian, what the rows mean, what moves and what is refused, on any number of ranks.
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/coloured_jacobian.hpp>
#include <rhumb/pde/moving/system.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <petscsys.h>

using namespace rhumb;
using namespace rhumb::moving;
using core::check;

namespace {

/// Two components that are coupled through everything, their time derivatives included.
struct Coupled {
  static constexpr int components = 2;
  auto flux(const auto& at) const {
    return std::array{(1.0 + at.u[1] * at.u[1]) * at.ux[0] - at.u[0] * at.u[1], at.ux[1] + 0.1 * at.x * at.ux[0]};
  }
  auto balance(const auto& at) const {
    using std::sin;
    return std::array{at.ut[0] + at.u[0] * at.ut[1] - sin(at.x * at.u[1]),
                      (2.0 + at.ux[0]) * at.ut[1] + at.u[0] * at.t};
  }
  auto left(const auto& at) const {
    auto end = no_flux(at);
    end.p[0] = at.u[0] * at.u[1];
    return end;
  }
  auto right(const auto& at) const { return fixed_value(at, {0.3, 0.2}); }
  std::array<double, 2> initial(double x) const { return {std::tanh(20.0 * (x - 0.4)), std::cos(3.0 * x)}; }
  auto monitor(const auto& at) const { return 1.0 + at.u[0] * at.u[0]; }
};

Description coupled() {
  Description about;
  about.name = "coupled";
  about.fields = {{"u"}, {"v"}};
  return about;
}

using List = std::map<std::string, std::string>;

std::vector<List> meshes() {
  std::vector<List> all{{{"mesh_equation", "fixed"}}};
  for (const char* equation : {"mmpde4", "mmpde5", "mmpde6", "dorfi"})
    for (const char* monitor : {"arc", "curvature", "own"})
      all.push_back({{"mesh_equation", equation}, {"monitor", monitor}, {"tau", "0.1"}});
  all.push_back({{"mesh_equation", "mmpde6"}, {"monitor_floor", "mean"}, {"tau", "0.1"}});
  all.push_back({{"mesh_equation", "rate"}});
  all.push_back({{"mesh_equation", "rate"}, {"theta", "0"}, {"regrid_share", "0.1"}, {"n_max", "60"}});
  all.push_back({{"mesh_equation", "rate"}, {"regrid_error", "0.02"}, {"n_max", "60"}});
  for (const char* smoothing : {"0", "2"})
    all.push_back({{"mesh_equation", "mmpde6"}, {"monitor_smoothing", smoothing}, {"tau", "0.1"}});
  return all;
}

/// Contents of volumes as unknowns. Their rows are not linear in x': upwinding has a kink where a face stands still.
std::vector<List> volumes() {
  std::vector<List> all;
  for (const char* equation : {"mmpde6", "mmpde5", "dorfi"})
    for (const char* balance : {"volumes", "nonnegative"})
      all.push_back({{"mesh_equation", equation}, {"balance", balance}, {"tau", "0.1"}});
  return all;
}

std::string text(const List& options) {
  std::string all;
  for (const auto& [name, value] : options) all += " -" + name + " " + value;
  return all;
}

double norm(Vec v) {
  PetscReal out = 0.0;
  check(VecNorm(v, NORM_INFINITY, &out));
  return out;
}

} // namespace

TEST(System, ExactJacobianTimesAVectorIsTheDerivativeOfTheResidual) {
  // Limited slopes have kinks where u is flat, and differences step over some of them.
  constexpr double smooth = 2e-6, limited = 2e-5;
  auto all = meshes();
  for (const auto& options : volumes()) all.push_back(options);
  for (const auto& options : all) {
    const core::Options reader(options);
    System<Coupled> system(PETSC_COMM_WORLD, reader, {}, coupled());
    const auto y = system.create_vector(), ydot = core::same_layout(y), v = core::same_layout(y);
    const auto plus = core::same_layout(y), minus = core::same_layout(y), moved = core::same_layout(y),
               moved_dot = core::same_layout(y), product = core::same_layout(y);
    system.initial_values(0.3, y, ydot);
    {
      const core::Writable direction(v), rate(ydot);
      PetscInt first = 0;
      check(VecGetOwnershipRange(v, &first, nullptr));
      for (std::size_t i = 0; i < direction.size(); ++i) {
        direction[i] = std::sin(1.0 + 3.0 * static_cast<double>(first) + 3.0 * static_cast<double>(i));
        rate[i] = 0.3 * std::cos(2.0 * (static_cast<double>(first) + static_cast<double>(i)));
      }
    }
    const double alpha = 3.0, step = 1e-6;
    const auto matrix = system.create_matrix();
    system.jacobian(0.3, y, ydot, alpha, matrix);
    check(MatMult(matrix, v, product));
    for (const double sign : {1.0, -1.0}) {
      check(VecWAXPY(moved, sign * step, v, y));
      check(VecWAXPY(moved_dot, sign * step * alpha, v, ydot));
      system.residual(0.3, moved, moved_dot, sign > 0.0 ? plus : minus);
    }
    check(VecAXPY(plus, -1.0, minus));
    check(VecScale(plus, 0.5 / step));
    const double size = norm(plus);
    check(VecAXPY(plus, -1.0, product));
    EXPECT_LT(norm(plus), (options.contains("balance") ? limited : smooth) * size) << text(options);
  }
}

TEST(System, RatesOfTheStartSolveTheEquations) {
  for (const auto& options : meshes()) {
    const core::Options reader(options);
    System<Coupled> system(PETSC_COMM_WORLD, reader, {}, coupled());
    const auto y = system.create_vector(), ydot = core::same_layout(y), zero = core::same_layout(y),
               residual = core::same_layout(y), without = core::same_layout(y);
    system.initial_values(0.3, y, ydot);
    system.residual(0.3, y, ydot, residual);
    system.residual(0.3, y, zero, without);
    const core::Readable with(residual), before(without);
    for (std::size_t i = 0; i < with.size(); ++i)
      if (system.variable_kind(static_cast<PetscInt>(i)) == dae::Kind::differential) {
        EXPECT_LT(std::abs(with[i]), 1e-8 * (1.0 + norm(without))) << text(options) << " entry " << i;
      }
  }
}

TEST(System, OnlyEndsWithValuesAndNodesAtTheEndsAreAlgebraic) {
  const core::Options reader({{"mesh_equation", "mmpde6"}, {"n", "20"}});
  System<Coupled> system(PETSC_COMM_WORLD, reader, {}, coupled());
  const auto y = system.create_vector();
  PetscInt first = 0, last = 0, size = 0;
  check(VecGetOwnershipRange(y, &first, &last));
  check(VecGetSize(y, &size));
  for (PetscInt i = first; i < last; ++i) {
    const bool algebraic = i == 2 || i >= size - 3; // x at the left; u, v and x at the right
    EXPECT_EQ(system.variable_kind(i - first) == dae::Kind::index1, algebraic) << i;
  }
}

TEST(System, NodesThatCrossAreARecoverableFailure) {
  const core::Options reader({{"mesh_equation", "mmpde6"}, {"n", "20"}});
  System<Coupled> system(PETSC_COMM_WORLD, reader, {}, coupled());
  const auto y = system.create_vector(), ydot = core::same_layout(y), residual = core::same_layout(y);
  system.initial_values(0.0, y, ydot);
  {
    const core::Writable values(y); // every rank crosses its first two nodes
    std::swap(values[2 + 3], values[2]);
  }
  EXPECT_THROW(system.residual(0.0, y, ydot, residual), core::Recoverable);
}

TEST(System, InitialMeshEquidistributesTheSmoothedMonitor) {
  for (const char* equation : {"mmpde6", "dorfi"}) {
    const core::Options reader({{"mesh_equation", equation}, {"tau", "1"}});
    System<Coupled> system(PETSC_COMM_WORLD, reader, {}, coupled());
    const auto y = system.create_vector(), ydot = core::same_layout(y), zero = core::same_layout(y),
               residual = core::same_layout(y);
    system.initial_values(0.0, y, ydot);
    system.residual(0.0, y, zero, residual);
    const core::Readable rows(residual);
    for (std::size_t i = 2; i < rows.size(); i += 3) EXPECT_NEAR(rows[i], 0.0, 1e-7) << equation << " " << i;
  }
}

namespace {
struct BadMonitor : Coupled {
  auto monitor(const auto& at) const { return at.u[0]; } // negative on the left
};
} // namespace

TEST(System, RefusesAMonitorThatIsNotPositive) {
  const core::Options reader({{"mesh_equation", "mmpde6"}, {"monitor", "own"}});
  EXPECT_THROW(System<BadMonitor>(PETSC_COMM_WORLD, reader, {}, coupled()), core::BadInput);
}

TEST(System, RefusesFewCellsAndATauThatIsNotPositive) {
  for (const auto& options : {List{{"n", "4"}}, List{{"tau", "0"}}, List{{"tau", "-1"}}, List{{"monitor_alpha", "0"}},
                              List{{"mesh_equation", "rate"}, {"rate_case", "4"}}}) {
    const core::Options reader(options);
    EXPECT_THROW(System<Coupled>(PETSC_COMM_WORLD, reader, {}, coupled()), core::BadInput) << text(options);
  }
}
