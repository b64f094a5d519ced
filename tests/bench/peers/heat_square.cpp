#include "core/check.hpp"
#include "peers.hpp"
#include <array>
#include <cmath>
#include <numbers>
#include <petscdmda.h>

namespace rhumb::bench {

namespace {

using core::check;

class HeatSquare final : public dae::Problem {
public:
  explicit HeatSquare(PetscInt n) : n_(n), h_(1.0 / static_cast<double>(n + 1)) {
    check(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, PETSC_DECIDE,
                       PETSC_DECIDE, 1, 1, nullptr, nullptr, grid_.out()));
    check(DMSetUp(grid_));
    check(DMCreateLocalVector(grid_, ghosted_.out()));
  }

  std::string name() const override { return "heat"; }
  double t_end() const override { return 0.2; }
  std::vector<dae::Field> fields() const override { return {{.name = "u"}}; }
  int field_of(PetscInt) const override { return 0; }
  dae::Kind variable_kind(PetscInt) const override { return dae::Kind::differential; }
  dae::Offers offers() const override { return {.jacobian = true, .exact = true}; }
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
  void configure(PC pc, Mat) const override { check(PCSetType(pc, PCILU)); }

  void initial_values(double t, Vec y, Vec ydot) override {
    exact(t, y);
    check(VecZeroEntries(ydot));
  }

  void exact(double t, Vec y) const override {
    const double first = std::exp(-decay(1) * t), third = 0.5 * std::exp(-decay(3) * t);
    PetscScalar** u = nullptr;
    check(DMDAVecGetArray(grid_, y, static_cast<void*>(&u)));
    for (PetscInt j = 0; j < n_; ++j)
      for (PetscInt i = 0; i < n_; ++i) u[j][i] = first * mode(1, i) * mode(1, j) + third * mode(3, i) * mode(3, j);
    check(DMDAVecRestoreArray(grid_, y, static_cast<void*>(&u)));
  }

  void residual(double, Vec y, Vec ydot, Vec residual) override {
    check(DMGlobalToLocalBegin(grid_, y, INSERT_VALUES, ghosted_));
    check(DMGlobalToLocalEnd(grid_, y, INSERT_VALUES, ghosted_));
    const PetscScalar **u = nullptr, **rate = nullptr;
    PetscScalar** f = nullptr;
    check(DMDAVecGetArrayRead(grid_, ghosted_, static_cast<void*>(&u)));
    check(DMDAVecGetArrayRead(grid_, ydot, static_cast<void*>(&rate)));
    check(DMDAVecGetArray(grid_, residual, static_cast<void*>(&f)));
    const auto value = [&](PetscInt i, PetscInt j) { return i < 0 || j < 0 || i >= n_ || j >= n_ ? 0.0 : u[j][i]; };
    for (PetscInt j = 0; j < n_; ++j)
      for (PetscInt i = 0; i < n_; ++i) {
        const double around = value(i - 1, j) + value(i + 1, j) + value(i, j - 1) + value(i, j + 1);
        f[j][i] = rate[j][i] - (around - 4.0 * u[j][i]) / (h_ * h_);
      }
    check(DMDAVecRestoreArrayRead(grid_, ghosted_, static_cast<void*>(&u)));
    check(DMDAVecRestoreArrayRead(grid_, ydot, static_cast<void*>(&rate)));
    check(DMDAVecRestoreArray(grid_, residual, static_cast<void*>(&f)));
  }

  void jacobian(double, Vec, Vec, double alpha, Mat jacobian) override {
    const double side = -1.0 / (h_ * h_);
    for (PetscInt j = 0; j < n_; ++j)
      for (PetscInt i = 0; i < n_; ++i) {
        const MatStencil row{.k = 0, .j = j, .i = i, .c = 0};
        std::array<MatStencil, 5> columns{row, row, row, row, row};
        --columns[1].i, ++columns[2].i, --columns[3].j, ++columns[4].j;
        for (auto& column : columns) // a negative index is left out
          if (column.i >= n_ || column.j >= n_) column.i = -1;
        const std::array<PetscScalar, 5> values{alpha - 4.0 * side, side, side, side, side};
        check(MatSetValuesStencil(jacobian, 1, &row, 5, columns.data(), values.data(), INSERT_VALUES));
      }
    check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
  }

private:
  double mode(int k, PetscInt i) const { return std::sin(k * std::numbers::pi * h_ * static_cast<double>(i + 1)); }
  /// The eigenvalue of the five-point differences for mode (k, k).
  double decay(int k) const { return 4.0 / (h_ * h_) * (1.0 - std::cos(k * std::numbers::pi * h_)); }

  PetscInt n_;
  double h_;
  core::DmHandle grid_;
  core::VecHandle ghosted_;
};

} // namespace

std::unique_ptr<dae::Problem> heat_square(PetscInt n) {
  return std::make_unique<HeatSquare>(n);
}

} // namespace rhumb::bench
