#pragma once
/// Two fields on a small grid, coupled with their four neighbours, with a Jacobian by hand:
///   F_u = u' - lap u + u^2 v,   F_v = -lap v + sin(v) - u   (v algebraic),   values outside the grid are 0.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/guarded_system.hpp>
#include <cmath>
#include <functional>
#include <petscdmda.h>

namespace rhumb::test {

using core::check;

class TwoFields : public dae::System {
public:
  static constexpr PetscInt nx = 7, ny = 6;
  struct Point {
    double u, v;
  };

  TwoFields() {
    check(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_STAR, nx, ny,
                       PETSC_DECIDE, PETSC_DECIDE, 2, 1, nullptr, nullptr, grid_.out()));
    check(DMSetUp(grid_));
    check(DMDAGetCorners(grid_, &x0_, &y0_, nullptr, &columns_, &rows_, nullptr));
    check(DMCreateLocalVector(grid_, ghosted_.out()));
  }

  std::vector<dae::Field> fields() const override { return {{.name = "u"}, {.name = "v", .kind = dae::Kind::index1}}; }
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
  void initial_values(double, Vec y, Vec ydot) override {
    const core::Writable value(y), rate(ydot);
    PetscInt first = 0;
    check(VecGetOwnershipRange(y, &first, nullptr));
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double position = static_cast<double>(first + static_cast<PetscInt>(i));
      value[i] = 1.0 + 0.3 * std::sin(position);
      rate[i] = std::cos(position);
    }
  }

  void residual(double, Vec y, Vec ydot, Vec residual) override {
    check(VecSet(ghosted_, 0.0));
    check(DMGlobalToLocal(grid_, y, INSERT_VALUES, ghosted_));
    Point **value = nullptr, **rate = nullptr, **out = nullptr;
    check(DMDAVecGetArrayRead(grid_, ghosted_, &value));
    check(DMDAVecGetArrayRead(grid_, ydot, &rate));
    check(DMDAVecGetArray(grid_, residual, &out));
    for (PetscInt j = y0_; j < y0_ + rows_; ++j)
      for (PetscInt i = x0_; i < x0_ + columns_; ++i) {
        const auto laplacian = [&](auto field) {
          const auto at = [&](PetscInt jj, PetscInt ii) { return value[jj][ii].*field; };
          return at(j, i - 1) + at(j, i + 1) + at(j - 1, i) + at(j + 1, i) - 4.0 * at(j, i);
        };
        const Point p = value[j][i];
        out[j][i].u = rate[j][i].u - laplacian(&Point::u) + p.u * p.u * p.v;
        out[j][i].v = -laplacian(&Point::v) + std::sin(p.v) - p.u;
      }
    check(DMDAVecRestoreArray(grid_, residual, &out));
    check(DMDAVecRestoreArrayRead(grid_, ydot, &rate));
    check(DMDAVecRestoreArrayRead(grid_, ghosted_, &value));
    if (fault) fault();
  }

  /// alpha dF/dy' + dF/dy by hand.
  void fill(Vec y, double alpha, Mat matrix) {
    Point** value = nullptr;
    check(DMDAVecGetArrayRead(grid_, y, &value));
    check(MatZeroEntries(matrix));
    for (PetscInt j = y0_; j < y0_ + rows_; ++j)
      for (PetscInt i = x0_; i < x0_ + columns_; ++i) {
        const Point p = value[j][i];
        put(matrix, i, j, 0, i, j, 0, alpha + 4.0 + 2.0 * p.u * p.v);
        put(matrix, i, j, 0, i, j, 1, p.u * p.u);
        put(matrix, i, j, 1, i, j, 1, 4.0 + std::cos(p.v));
        put(matrix, i, j, 1, i, j, 0, -1.0);
        for (PetscInt field = 0; field < 2; ++field) {
          for (const PetscInt ii : {i - 1, i + 1})
            if (ii >= 0 && ii < nx) put(matrix, i, j, field, ii, j, field, -1.0);
          for (const PetscInt jj : {j - 1, j + 1})
            if (jj >= 0 && jj < ny) put(matrix, i, j, field, i, jj, field, -1.0);
        }
      }
    check(DMDAVecRestoreArrayRead(grid_, y, &value));
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }

  std::function<void()> fault; ///< called at the end of every residual

private:
  static void put(Mat matrix, PetscInt i, PetscInt j, PetscInt field, PetscInt ii, PetscInt jj, PetscInt other,
                  double value) {
    MatStencil row{}, column{};
    row.i = i, row.j = j, row.c = field;
    column.i = ii, column.j = jj, column.c = other;
    check(MatSetValuesStencil(matrix, 1, &row, 1, &column, &value, INSERT_VALUES));
  }

  core::DmHandle grid_;
  core::VecHandle ghosted_;
  PetscInt x0_ = 0, y0_ = 0, columns_ = 0, rows_ = 0;
};

inline int rank() {
  int rank = 0;
  core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  return rank;
}
inline int all_ranks() {
  int ranks = 0;
  core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  return ranks;
}

} // namespace rhumb::test
