/// Prey c1 and predators c2 on the unit square, no flux through its sides, -n points per side:
///   c1' = lap c1 + c1 (b - c1 - 0.5e-6 c2)
///   0   = 0.05 lap c2 + c2 (-b + 1e4 c1 - c2),      b = 1 + 50 x y + 1000 sin(4 pi x) sin(4 pi y)
///   c1(0) = 10 + (16 x (1-x) y (1-y))^2, the predators from the algebraic rows at t = 0, searched from 1e5.
/// Five-point differences; on a side the point outside mirrors the one inside, so that the normal derivative is zero.

#include "problems.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/core/memory.hpp>
#include <array>
#include <cmath>
#include <numbers>
#include <petscdmda.h>

namespace rhumb::problems {
namespace {

using core::check;

struct Species {
  double prey, predator;
};

constexpr Species diffusion{1.0, 0.05};
constexpr double eaten = 0.5e-6, fed = 1e4;

class Foodweb final : public dae::Problem {
public:
  Foodweb(MPI_Comm comm, PetscInt points)
      : comm_(comm), points_(points), spacing_(1.0 / static_cast<double>(points - 1)) {
    core::check_memory_demand(comm_, 2.0 * static_cast<double>(points) * static_cast<double>(points), 7.0, "-n");
    check(DMDACreate2d(comm_, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, points, points, PETSC_DECIDE,
                       PETSC_DECIDE, 2, 1, nullptr, nullptr, grid_.out()));
    check(DMSetUp(grid_));
    check(DMDASetUniformCoordinates(grid_, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0));
    check(DMDASetFieldName(grid_, 0, "c1"));
    check(DMDASetFieldName(grid_, 1, "c2"));
    check(DMDAGetCorners(grid_, &x0_, &y0_, nullptr, &nx_, &ny_, nullptr));
    check(DMCreateLocalVector(grid_, with_ghosts_.out()));
  }

  std::string name() const override { return "foodweb"; }
  double t_end() const override { return 1.0; }
  dae::Tolerances default_tolerances() const override { return {.rtol = 1e-5, .atol = 1e-5}; }
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true}; }

  std::vector<dae::Field> fields() const override {
    return {{.name = "c1", .long_name = "prey"}, {.name = "c2", .long_name = "predators", .kind = dae::Kind::index1}};
  }
  int field_of(PetscInt local) const override { return static_cast<int>(local % 2); }
  dae::Kind variable_kind(PetscInt local) const override {
    return local % 2 == 0 ? dae::Kind::differential : dae::Kind::index1;
  }

  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(DMCreateGlobalVector(grid_, y.out()));
    return y;
  }
  core::MatHandle create_matrix() const override {
    core::MatHandle matrix;
    check(DMCreateMatrix(grid_, matrix.out()));
    return matrix;
  }

  void configure(PC preconditioner, Mat) const override {
    int ranks = 1;
    core::check_mpi(MPI_Comm_size(comm_, &ranks));
    check(PCSetType(preconditioner, ranks == 1 ? PCILU : PCBJACOBI)); // ILU on each rank's block
  }

  void initial_values(double, Vec y, Vec ydot) override {
    check(VecSet(ydot, 0.0));
    Grid<Species> value(grid_, y);
    for_owned_points([&](PetscInt i, PetscInt j) {
      const double bump = 16.0 * x(i) * (1.0 - x(i)) * x(j) * (1.0 - x(j));
      value[j][i] = {10.0 + bump * bump, 1e5};
    });
  }

  void residual(double, Vec y, Vec ydot, Vec residual) override {
    fetch_ghosts(y);
    Grid<const Species> c(grid_, with_ghosts_), rate(grid_, ydot);
    Grid<Species> f(grid_, residual);
    for_owned_points([&](PetscInt i, PetscInt j) {
      const auto [prey, predator] = c[j][i];
      const Species lap = laplacian(c, i, j);
      const double b = growth(i, j);
      f[j][i].prey = rate[j][i].prey - diffusion.prey * lap.prey - prey * (b - prey - eaten * predator);
      f[j][i].predator = -diffusion.predator * lap.predator - predator * (-b + fed * prey - predator);
    });
  }

  void jacobian(double, Vec y, Vec, double alpha, Mat jacobian) override {
    check(MatZeroEntries(jacobian));
    {
      Grid<const Species> c(grid_, y);
      for_owned_points([&](PetscInt i, PetscInt j) { add_row(jacobian, i, j, c[j][i], alpha); });
    }
    check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
  }

  void mass_product(double, Vec, Vec, Vec v, Vec product) override {
    Grid<const Species> factor(grid_, v);
    Grid<Species> out(grid_, product);
    for_owned_points([&](PetscInt i, PetscInt j) { out[j][i] = {factor[j][i].prey, 0.0}; });
  }

  dae::Figures report(double, Vec y, Vec) override {
    dae::Figures figures;
    const double count = static_cast<double>(points_ * points_);
    for (PetscInt field = 0; field < 2; ++field) {
      const std::string field_name = field == 0 ? "c1" : "c2";
      double sum = 0.0, low = 0.0, high = 0.0;
      check(VecStrideMin(y, field, nullptr, &low));
      check(VecStrideMax(y, field, nullptr, &high));
      check(VecStrideSum(y, field, &sum));
      figures.emplace_back(field_name + "_mean", sum / count);
      figures.emplace_back(field_name + "_min", low);
      figures.emplace_back(field_name + "_max", high);
    }
    const auto corners = corner_values(y);
    figures.emplace_back("c1_bottom_left", corners[0]);
    figures.emplace_back("c2_bottom_left", corners[1]);
    figures.emplace_back("c1_top_right", corners[2]);
    figures.emplace_back("c2_top_right", corners[3]);
    return figures;
  }

private:
  /// A Vec on the grid as [j][i], for as long as the object lives.
  template <class Point>
  class Grid {
  public:
    Grid(DM grid, Vec vector) : grid_(grid), vector_(vector) {
      if constexpr (std::is_const_v<Point>)
        check(DMDAVecGetArrayRead(grid, vector, static_cast<void*>(&rows_)));
      else
        check(DMDAVecGetArray(grid, vector, static_cast<void*>(&rows_)));
    }
    ~Grid() {
      if constexpr (std::is_const_v<Point>)
        DMDAVecRestoreArrayRead(grid_, vector_, static_cast<void*>(&rows_));
      else
        DMDAVecRestoreArray(grid_, vector_, static_cast<void*>(&rows_));
    }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;
    Point* operator[](PetscInt j) const { return rows_[j]; }

  private:
    DM grid_;
    Vec vector_;
    Point** rows_ = nullptr;
  };

  template <class Body>
  void for_owned_points(Body&& body) const {
    for (PetscInt j = y0_; j < y0_ + ny_; ++j)
      for (PetscInt i = x0_; i < x0_ + nx_; ++i) body(i, j);
  }

  void fetch_ghosts(Vec y) {
    check(DMGlobalToLocalBegin(grid_, y, INSERT_VALUES, with_ghosts_));
    check(DMGlobalToLocalEnd(grid_, y, INSERT_VALUES, with_ghosts_));
  }

  double x(PetscInt i) const { return static_cast<double>(i) * spacing_; }
  double growth(PetscInt i, PetscInt j) const {
    const double wave = 4.0 * std::numbers::pi;
    return 1.0 + 50.0 * x(i) * x(j) + 1000.0 * std::sin(wave * x(i)) * std::sin(wave * x(j));
  }

  PetscInt below(PetscInt i) const { return i > 0 ? i - 1 : 1; }
  PetscInt above(PetscInt i) const { return i < points_ - 1 ? i + 1 : points_ - 2; }

  Species laplacian(const Grid<const Species>& c, PetscInt i, PetscInt j) const {
    const Species &w = c[j][below(i)], &e = c[j][above(i)], &s = c[below(j)][i], &n = c[above(j)][i], &p = c[j][i];
    const double scale = 1.0 / (spacing_ * spacing_);
    return {scale * (w.prey + e.prey + s.prey + n.prey - 4.0 * p.prey),
            scale * (w.predator + e.predator + s.predator + n.predator - 4.0 * p.predator)};
  }

  /// The two rows of one point. Where neighbours coincide, on a side, their entries add up.
  void add_row(Mat jacobian, PetscInt i, PetscInt j, const Species& c, double alpha) const {
    const double scale = 1.0 / (spacing_ * spacing_), b = growth(i, j);
    const std::array<MatStencil, 5> at{{{.k = 0, .j = j, .i = i, .c = 0},
                                        {.k = 0, .j = j, .i = below(i), .c = 0},
                                        {.k = 0, .j = j, .i = above(i), .c = 0},
                                        {.k = 0, .j = below(j), .i = i, .c = 0},
                                        {.k = 0, .j = above(j), .i = i, .c = 0}}};
    const double prey_prey = alpha + 4.0 * diffusion.prey * scale - b + 2.0 * c.prey + eaten * c.predator;
    const double predator_predator = 4.0 * diffusion.predator * scale + b - fed * c.prey + 2.0 * c.predator;
    add_entries(jacobian, at, 0, {prey_prey, eaten * c.prey}, -diffusion.prey * scale);
    add_entries(jacobian, at, 1, {-fed * c.predator, predator_predator}, -diffusion.predator * scale);
  }

  /// One row: the entries for both species at the point itself, and one value for the own species at its neighbours.
  static void add_entries(Mat jacobian, std::array<MatStencil, 5> at, int species, const std::array<double, 2>& centre,
                          double neighbour) {
    const std::array<PetscScalar, 6> values{centre[0], centre[1], neighbour, neighbour, neighbour, neighbour};
    MatStencil row = at[0];
    row.c = species;
    std::array<MatStencil, 6> columns{at[0], at[0], at[1], at[2], at[3], at[4]};
    columns[1].c = 1;
    for (std::size_t k = 2; k < columns.size(); ++k) columns[k].c = species;
    check(MatSetValuesStencil(jacobian, 1, &row, 6, columns.data(), values.data(), ADD_VALUES));
  }

  /// Both species at (0, 0) and at (1, 1), on all ranks.
  std::array<double, 4> corner_values(Vec y) const {
    std::array<double, 4> corners{};
    {
      Grid<const Species> c(grid_, y);
      for_owned_points([&](PetscInt i, PetscInt j) {
        if (i == 0 && j == 0) corners[0] = c[j][i].prey, corners[1] = c[j][i].predator;
        if (i == points_ - 1 && j == points_ - 1) corners[2] = c[j][i].prey, corners[3] = c[j][i].predator;
      });
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, corners.data(), 4, MPI_DOUBLE, MPI_SUM, comm_));
    return corners;
  }

  MPI_Comm comm_;
  PetscInt points_;
  double spacing_;
  core::DmHandle grid_;
  core::VecHandle with_ghosts_;
  PetscInt x0_ = 0, y0_ = 0, nx_ = 0, ny_ = 0;
};

} // namespace

std::unique_ptr<dae::Problem> foodweb(MPI_Comm comm, const core::Options& options) {
  const long points = options.integer("n", 20, {"grid points per side"}, core::Range::between(3, 20000));
  return std::make_unique<Foodweb>(comm, static_cast<PetscInt>(points));
}

} // namespace rhumb::problems
