/// PDEs on simplices whose points move: the exact Jacobian row by row, what the mesh rests at, what folds, on any number
/// of ranks.
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving_box/system.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace rhumb;
using namespace rhumb::moving_box;
using core::check;

namespace {

/// Two components that are coupled through everything, with values on one side and outflow through the others.
/// No two neighbours have the same value: there the limiter of volumes has a kink.
template <int D>
struct Coupled {
  static constexpr int directions = D, components = 2;
  template <class S>
  Terms<S, D, 2> terms(const Point<S, D, 2>& at) const {
    using std::sin;
    Terms<S, D, 2> f;
    f.source = {S(at.ut[0] + at.u[0] * at.grad[1][0] - sin(at.x[1] * at.u[1])),
                S(at.ut[1] + at.u[0] * at.t + at.grad[0][1] * at.u[1])};
    for (std::size_t d = 0; d < D; ++d) {
      f.flux[0][d] = (1.0 + at.u[1] * at.u[1]) * at.grad[0][d];
      f.flux[1][d] = at.grad[1][d] + 0.1 * at.x[0] * at.grad[0][d];
    }
    return f;
  }
  template <class S>
  Array<S, 2> initial(const Array<S, D>& x) const {
    using std::cos;
    using std::tanh;
    S along = 0.03 - 0.5 * D;
    for (const S& coordinate : x) along += coordinate;
    return {S(tanh(4.0 * along)), S(1.5 + cos(3.0 * x[0] + along))};
  }
  bool holds(int component, const std::string& side) const { return component == 0 && side == "left"; }
  template <class S>
  S value(int, const Array<S, D>& x, double t) const {
    return S(x[1] * x[1] + x[D - 1] + t);
  }
  template <class S>
  Array<S, 2> outflow(const Point<S, D, 2>& at, const std::string& side) const {
    return {S(side == "top" ? S(at.u[0] * at.u[1]) : S(0.0)), S(0.2 * at.u[1] * at.x[0])};
  }
  template <class S>
  S monitor(const Point<S, D, 2>& at) const {
    return 1.0 + at.u[0] * at.u[0] + 0.1 * at.grad[1][0] * at.grad[1][0];
  }
};

template <int D>
Description coupled() {
  Description about;
  about.name = "coupled";
  about.fields = {{"u"}, {"v"}};
  about.box.cells = D == 2 ? std::vector<PetscInt>{7, 6} : std::vector<PetscInt>{4, 3, 5};
  about.tau = 1.0;
  return about;
}

using List = std::map<std::string, std::string>;

const std::string meshes = RHUMB_MESHES;

std::string text(const List& options) {
  std::string all;
  for (const auto& [name, value] : options) all += " -" + name + " " + value;
  return all;
}

/// The largest entry of each unknown.
std::vector<double> largest(Vec v, int unknowns) {
  std::vector<double> out(static_cast<std::size_t>(unknowns));
  check(VecStrideNormAll(v, NORM_INFINITY, out.data()));
  return out;
}

/// Differences of the residual along one direction against the matrix, each unknown's rows in their own units.
template <int D>
void compare_with_differences(const List& options) {
  SCOPED_TRACE(text(options));
  const core::Options reader(options);
  System<Coupled<D>> system(PETSC_COMM_WORLD, reader, {}, coupled<D>());
  const auto y = system.create_vector(), ydot = core::same_layout(y), v = core::same_layout(y);
  const auto plus = core::same_layout(y), minus = core::same_layout(y), moved = core::same_layout(y),
             moved_dot = core::same_layout(y), product = core::same_layout(y);
  system.initial_values(0.3, y, ydot);
  {
    // By numbers that do not depend on the ranks: so the limiter has the same kinks near by.
    const core::Writable direction(v), rate(ydot);
    const auto numbers = system.natural_indices();
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const auto k = static_cast<double>(numbers[i]);
      direction[i] = std::sin(1.0 + 3.0 * k);
      rate[i] = 0.3 * std::cos(2.0 * k);
    }
  }
  const double alpha = 3.0, step = 1e-6, tolerance = 1e-6;
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
  const int unknowns = static_cast<int>(system.fields().size());
  const auto sizes = largest(plus, unknowns);
  check(VecAXPY(plus, -1.0, product));
  const auto differences = largest(plus, unknowns);
  for (int f = 0; f < unknowns; ++f) {
    EXPECT_GT(sizes[f], 0.0) << system.fields()[f].name;
    EXPECT_LT(differences[f], tolerance * sizes[f]) << system.fields()[f].name;
  }
}

} // namespace

TEST(MovingSimplices, ExactJacobianTimesAVectorIsTheDerivativeOfTheResidualInThePlane) {
  for (const char* monitor : {"arc", "own"})
    for (const char* balance : {"points", "volumes", "nonnegative"})
      for (const char* diagonal : {"rising", "falling", "alternating"})
        compare_with_differences<2>({{"monitor", monitor}, {"balance", balance}, {"diagonal", diagonal}});
  compare_with_differences<2>({{"mesh_equation", "fixed"}});
  compare_with_differences<2>({{"mesh_equation", "fixed"}, {"balance", "volumes"}});
}

TEST(MovingSimplices, ExactJacobianTimesAVectorIsTheDerivativeOfTheResidualInSpace) {
  for (const char* balance : {"points", "volumes"}) compare_with_differences<3>({{"balance", balance}});
}

TEST(MovingSimplices, ExactJacobianTimesAVectorIsTheDerivativeOfTheResidualOnAMeshFromAFile) {
  for (const char* balance : {"points", "volumes"})
    compare_with_differences<2>({{"mesh", meshes + "/square.msh"}, {"balance", balance}});
}

namespace {
/// The largest rate of the points that the mesh equations ask for at y, times tau.
double restlessness(BoxProblem& system, Vec y) {
  const auto zero = core::same_layout(y), rows = core::same_layout(y);
  check(VecSet(zero, 0.0));
  system.residual(0.0, y, zero, rows);
  const auto sizes = largest(rows, static_cast<int>(system.fields().size()));
  const auto first = static_cast<std::size_t>(system.components());
  return system.settings().tau * std::max(sizes[first], sizes[first + 1]);
}

/// A hill with a rim, around which u is zero.
struct Kink {
  static constexpr int directions = 2, components = 1;
  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    return {{at.ut[0]}, {at.grad[0]}};
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    const S below = 1.0 - (x[0] * x[0] + x[1] * x[1]) / 0.09;
    return {core::value_of(below) > 0.0 ? below : S(0.0)};
  }
};

struct Counting : System<Kink> {
  using System<Kink>::System;
  int matrices = 0;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override {
    ++matrices;
    System<Kink>::jacobian(t, y, ydot, alpha, jacobian);
  }
};
} // namespace

TEST(MovingSimplices, InitialMeshStandsStillAndWithoutAMonitorItIsTheOneThatWasGiven) {
  for (const char* mesh : {"", "square.msh"}) {
    const List with = *mesh ? List{{"mesh", meshes + "/" + mesh}} : List{};
    auto constant = with;
    constant.emplace("monitor_alpha", "0");
    const core::Options reader(with), other(constant);
    System<Coupled<2>> moved(PETSC_COMM_WORLD, reader, {}, coupled<2>()),
        rests(PETSC_COMM_WORLD, other, {}, coupled<2>());
    const auto y = moved.create_vector(), ydot = core::same_layout(y), z = core::same_layout(y);
    moved.initial_values(0.0, y, ydot);
    rests.initial_values(0.0, z, ydot);
    EXPECT_LT(restlessness(moved, y), 1e-3) << mesh;
    EXPECT_LT(restlessness(rests, z), 1e-10) << mesh;
    check(VecAXPY(y, -1.0, z));
    EXPECT_GT(largest(y, 5)[2], 0.01) << mesh; // it has moved
  }
}

TEST(MovingSimplices, AKinkOfTheInitialValuesCostsNoMoreMatricesOnAFinerMesh) {
  for (const PetscInt n : {20, 40}) {
    Description about;
    about.name = "kink";
    about.fields = {{"u"}};
    about.box.cells = {n, n};
    Counting system(PETSC_COMM_WORLD, core::Options{}, {}, about);
    const auto y = system.create_vector(), ydot = core::same_layout(y);
    system.initial_values(0.0, y, ydot);
    EXPECT_LT(restlessness(system, y), 1e-3) << n;
    EXPECT_LE(system.matrices, 12) << n; // more than a hundred with Newton's method alone
  }
}

TEST(MovingSimplices, ACellThatIsTurnedOverIsARecoverableFailureWithItsPlace) {
  System<Coupled<2>> system(PETSC_COMM_WORLD, core::Options{}, {}, coupled<2>());
  const auto y = system.create_vector(), ydot = core::same_layout(y), residual = core::same_layout(y);
  system.initial_values(0.0, y, ydot);
  check(VecStrideScale(y, 2, -1.0)); // the mirror image: every cell of every rank
  try {
    system.residual(0.0, y, ydot, residual);
    FAIL() << "a folded mesh was taken";
  } catch (const core::Recoverable& failure) {
    EXPECT_NE(std::string(failure.what()).find("the mesh folds: a cell at ("), std::string::npos) << failure.what();
  }
}

TEST(MovingSimplices, PointsSlideAlongSidesAndCornersStay) {
  System<Coupled<2>> system(PETSC_COMM_WORLD, core::Options{}, {}, coupled<2>());
  const auto y = system.create_vector();
  std::array<PetscInt, 2> algebraic{}, all{}; // of x and y
  for (PetscInt i = 0; i < system.simplices().owned_nodes(); ++i)
    for (PetscInt d = 0; d < 2; ++d)
      algebraic[d] += system.variable_kind(i * system.simplices().unknowns() + 2 + d) == dae::Kind::index1 ? 1 : 0;
  core::check_mpi(MPI_Allreduce(algebraic.data(), all.data(), 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  EXPECT_EQ(all[0], 2 * 7); // of 8 x 7 points: across the sides left and right, corners among them
  EXPECT_EQ(all[1], 2 * 8);
}
