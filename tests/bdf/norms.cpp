/// What the norms promise: independent equations, of which a few move, so that a mean over all hides their errors.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;

namespace {

/// y_i' = g_i'(t) - 50 (y_i - g_i(t)) with g_i = 1 + a_i sin(20 t), whose solution is g_i; each cell has a volume.
class Cells : public dae::System {
public:
  struct Cell {
    double amplitude = 0.0, volume = 1.0;
    int field = 0;
  };
  using Make = std::function<Cell(PetscInt cell, PetscInt cells)>;
  Cells(PetscInt size, const Make& make) : size_(size) {
    const auto y = create_vector();
    PetscInt first = 0, end = 0;
    check(VecGetOwnershipRange(y, &first, &end));
    for (PetscInt i = first; i < end; ++i) cells_.push_back(make(i, size));
  }

  std::vector<dae::Field> fields() const override { return {{.name = "u"}, {.name = "lamp"}}; }
  int field_of(PetscInt local) const override { return cells_[local].field; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, size_, y.out()));
    return y;
  }
  core::VecHandle volumes() const override {
    auto v = create_vector();
    const core::Writable volume(v);
    for (std::size_t i = 0; i < cells_.size(); ++i) volume[i] = cells_[i].volume;
    return v;
  }
  core::MatHandle create_matrix() const override {
    core::MatHandle matrix;
    const auto local = static_cast<PetscInt>(cells_.size());
    check(MatCreateAIJ(PETSC_COMM_WORLD, local, local, size_, size_, 1, nullptr, 0, nullptr, matrix.out()));
    PetscInt first = 0, end = 0;
    check(MatGetOwnershipRange(matrix, &first, &end));
    for (PetscInt i = first; i < end; ++i) check(MatSetValue(matrix, i, i, 1.0, INSERT_VALUES));
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    return matrix;
  }
  dae::Offers offers() const override { return {.jacobian = true}; }
  void initial_values(double t, Vec y, Vec ydot) override {
    const core::Writable value(y), rate(ydot);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      value[i] = exact(cells_[i], t);
      rate[i] = cells_[i].amplitude * frequency * std::cos(frequency * t);
    }
  }
  void residual(double t, Vec y, Vec ydot, Vec residual) override {
    const core::Readable value(y), rate(ydot);
    const core::Writable f(residual);
    for (std::size_t i = 0; i < cells_.size(); ++i)
      f[i] = rate[i] - cells_[i].amplitude * frequency * std::cos(frequency * t) +
             stiffness * (value[i] - exact(cells_[i], t));
  }
  void jacobian(double, Vec, Vec, double alpha, Mat matrix) override {
    const auto d = create_vector();
    check(VecSet(d, alpha + stiffness));
    check(MatDiagonalSet(matrix, d, INSERT_VALUES));
  }

  struct Errors {
    double largest = 0.0, over_volume = 0.0;
  };
  /// At t, the second one as the root of the mean square over the volume.
  Errors errors(double t, Vec y) const {
    const core::Readable value(y);
    double largest = 0.0;
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const double e = value[i] - exact(cells_[i], t);
      largest = std::max(largest, std::abs(e));
      sums[0] += cells_[i].volume * e * e;
      sums[1] += cells_[i].volume;
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
    return {largest, std::sqrt(sums[0] / sums[1])};
  }

private:
  static constexpr double frequency = 20.0, stiffness = 50.0;
  static double exact(const Cell& cell, double t) { return 1.0 + cell.amplitude * std::sin(frequency * t); }
  PetscInt size_;
  std::vector<Cell> cells_;
};

constexpr double atol = 1e-5, end = 1.0;

struct Outcome {
  long steps = 0;
  Cells::Errors errors; ///< the largest over the steps, in tolerances
};

Outcome run(Cells& system, dae::Norm norm) {
  bdf::IntegratorOptions options;
  options.tolerances = {.rtol = 0.0, .atol = atol, .norm = norm};
  bdf::Integrator integrator(system, options);
  Outcome out;
  integrator.start(0.0, end);
  while (integrator.time() < end) {
    integrator.step();
    const auto e = system.errors(integrator.time(), integrator.state());
    out.errors.largest = std::max(out.errors.largest, e.largest / atol);
    out.errors.over_volume = std::max(out.errors.over_volume, e.over_volume / atol);
  }
  out.steps = integrator.statistics().steps;
  return out;
}

} // namespace

TEST(Norms, AFrontInOnePerCentOfTheCellsHasTheAccuracyAskedForInTheMaximumNorm) {
  Cells system(2000, [](PetscInt i, PetscInt n) { return Cells::Cell{.amplitude = i < n / 100 ? 1.0 : 0.0}; });
  EXPECT_GT(run(system, dae::Norm::rms).errors.largest, 6.0) << "a mean over all cells hides it";
  const Outcome seen = run(system, dae::Norm::max);
  EXPECT_LT(seen.errors.largest, 4.0);
  EXPECT_EQ(seen.steps, run(system, dae::Norm::max).steps);
}

TEST(Norms, AStiffNumberBesideManyCellsHasTheAccuracyAskedForByDefault) {
  Cells system(4001, [](PetscInt i, PetscInt n) {
    const bool lamp = i == n - 1;
    return Cells::Cell{.amplitude = lamp ? 1.0 : 0.0, .volume = lamp ? 0.0 : 1e-4, .field = lamp ? 1 : 0};
  });
  EXPECT_GT(run(system, dae::Norm::rms).errors.largest, 20.0);
  EXPECT_LT(run(system, dae::Norm::automatic).errors.largest, 6.0);
  EXPECT_LT(run(system, dae::Norm::max).errors.largest, 4.0);
}

TEST(Norms, AStretchedGridHasTheAccuracyAskedForOverItsVolume) {
  // 1 % of the cells hold 99 % of the volume, and what happens happens there.
  Cells system(2000, [](PetscInt i, PetscInt n) {
    const bool wide = i >= n - n / 100;
    return Cells::Cell{.amplitude = wide ? 1.0 : 0.0, .volume = wide ? 0.99 / 20.0 : 0.01 / 1980.0};
  });
  EXPECT_GT(run(system, dae::Norm::rms).errors.over_volume, 5.0);
  EXPECT_LT(run(system, dae::Norm::volume).errors.over_volume, 4.0);
}

TEST(Norms, EqualVolumesChangeNothing) {
  const auto even = [](double volume) {
    return
        [volume](PetscInt i, PetscInt) { return Cells::Cell{.amplitude = i % 3 == 0 ? 1.0 : 0.1, .volume = volume}; };
  };
  Cells small(300, even(1e-3)), large(300, even(5.0));
  const Outcome a = run(small, dae::Norm::automatic), b = run(large, dae::Norm::rms), c = run(large, dae::Norm::volume);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.errors.largest, b.errors.largest);
  EXPECT_NEAR(c.errors.largest, b.errors.largest, 1e-6 * b.errors.largest);
}
