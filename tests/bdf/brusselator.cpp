/// Sensitivities of the Brusselator on 82 x 82 points by its two diffusion coefficients, GMRES on any number of ranks,
/// against what SUNDIALS 7.5 prints for its example idasBruss_FSA_kry_bbd_p (rtol = atol = 1e-5):
///   u_t = eps1 lap u + u^2 v - (B + 1) u + A,   v_t = eps2 lap v - u^2 v + B u,   A = 1, B = 3.4, on the unit square;
/// points on the rim equal their neighbours inside.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/check.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <petscdmda.h>

using namespace rhumb;
using core::check;

namespace {

constexpr PetscInt points = 82;
constexpr double spacing = 1.0 / (points - 1);

struct Species {
  double u, v;
};

bool on_rim(PetscInt i) {
  return i == 0 || i == points - 1;
}
PetscInt inside(PetscInt i) {
  return i == 0 ? 1 : i == points - 1 ? points - 2 : i;
}

class Brusselator final : public dae::System {
public:
  Brusselator() {
    check(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, points, points,
                       PETSC_DECIDE, PETSC_DECIDE, 2, 1, nullptr, nullptr, dm_.out()));
    check(DMSetUp(dm_));
    check(DMDAGetLocalInfo(dm_, &box_));
    parameters_.add({.name = "eps1", .value = eps1_}, eps1_);
    parameters_.add({.name = "eps2", .value = eps2_}, eps2_);
  }

  std::vector<dae::Field> fields() const override { return {{.name = "u"}, {.name = "v"}}; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(DMCreateGlobalVector(dm_, y.out()));
    return y;
  }
  core::MatHandle create_matrix() const override {
    core::MatHandle matrix;
    check(DMCreateMatrix(dm_, matrix.out()));
    return matrix;
  }
  dae::Kind variable_kind(PetscInt local) const override {
    const PetscInt i = box_.xs + local / 2 % box_.xm, j = box_.ys + local / 2 / box_.xm;
    return on_rim(i) || on_rim(j) ? dae::Kind::index1 : dae::Kind::differential;
  }

  void initial_values(double, Vec y, Vec ydot) override {
    Species** value = nullptr;
    check(DMDAVecGetArray(dm_, y, &value));
    const double pi = std::numbers::pi;
    each_point([&](PetscInt i, PetscInt j) {
      value[j][i] = {1.0 - 0.5 * std::cos(pi * spacing * static_cast<double>(inside(j))),
                     3.5 - 2.5 * std::cos(pi * spacing * static_cast<double>(inside(i)))};
    });
    check(DMDAVecRestoreArray(dm_, y, &value));
    check(VecSet(ydot, 0.0));
  }

  void residual(double, Vec y, Vec ydot, Vec residual) override {
    Vec local = nullptr;
    check(DMGetLocalVector(dm_, &local));
    check(DMGlobalToLocal(dm_, y, INSERT_VALUES, local));
    Species **value = nullptr, **rate = nullptr, **f = nullptr;
    check(DMDAVecGetArrayRead(dm_, local, &value));
    check(DMDAVecGetArrayRead(dm_, ydot, &rate));
    check(DMDAVecGetArray(dm_, residual, &f));
    each_point([&](PetscInt i, PetscInt j) { f[j][i] = equations(value, rate[j][i], i, j); });
    check(DMDAVecRestoreArray(dm_, residual, &f));
    check(DMDAVecRestoreArrayRead(dm_, ydot, &rate));
    check(DMDAVecRestoreArrayRead(dm_, local, &value));
    check(DMRestoreLocalVector(dm_, &local));
  }

  /// The example's mean: each of its 2 x 2 processes leaves out the first line and column of its 41 x 41 points.
  double mean(Vec y) const {
    Species** value = nullptr;
    check(DMDAVecGetArrayRead(dm_, y, &value));
    double sum = 0.0;
    each_point([&](PetscInt i, PetscInt j) {
      if (i % 41 != 0 && j % 41 != 0) sum += value[j][i].u;
    });
    check(DMDAVecRestoreArrayRead(dm_, y, &value));
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
    return sum * spacing * spacing;
  }

private:
  template <class Body>
  void each_point(const Body& body) const {
    for (PetscInt j = box_.ys; j < box_.ys + box_.ym; ++j)
      for (PetscInt i = box_.xs; i < box_.xs + box_.xm; ++i) body(i, j);
  }

  Species equations(Species** y, Species rate, PetscInt i, PetscInt j) const {
    const auto [u, v] = y[j][i];
    if (on_rim(i)) return {y[j][inside(i)].u - u, y[j][inside(i)].v - v};
    if (on_rim(j)) return {y[inside(j)][i].u - u, y[inside(j)][i].v - v};
    const auto laplacian = [&](double Species::*c) {
      return (y[j][i - 1].*c + y[j][i + 1].*c + y[j - 1][i].*c + y[j + 1][i].*c - 4.0 * y[j][i].*c) /
             (spacing * spacing);
    };
    return {rate.u - eps1_ * laplacian(&Species::u) - (u * u * v - (B + 1.0) * u + A),
            rate.v - eps2_ * laplacian(&Species::v) - (B * u - u * u * v)};
  }

  static constexpr double A = 1.0, B = 3.4;
  double eps1_ = 2e-3, eps2_ = 2e-3;
  core::DmHandle dm_;
  DMDALocalInfo box_{};
};

struct Outcome {
  double mean, by_eps1, by_eps2;
  bdf::Statistics statistics;
};

Outcome solve(bdf::IntegratorOptions options) {
  Brusselator system;
  options.sensitivities.parameters = {{0}, {1}};
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  integrator.advance(1.0);
  const core::VecHandle y = integrator.new_vector();
  integrator.interpolate(1.0, y, nullptr);
  Outcome out{.mean = system.mean(y), .by_eps1 = 0.0, .by_eps2 = 0.0, .statistics = integrator.statistics()};
  integrator.interpolate_sensitivity(0, 1.0, y, nullptr);
  out.by_eps1 = system.mean(y);
  integrator.interpolate_sensitivity(1, 1.0, y, nullptr);
  out.by_eps2 = system.mean(y);
  return out;
}

} // namespace

TEST(Brusselator, SensitivitiesOfTheMeanAreThoseThatIdasPrints) {
  bdf::IntegratorOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-5;
  const Outcome found = solve(options);
  EXPECT_NEAR(found.mean, 1.62453, 5e-5);
  EXPECT_NEAR(found.by_eps1, 16.1571227152, 3e-4 * 16.157);
  EXPECT_NEAR(found.by_eps2, -3.7188364999, 3e-4 * 3.7188);
  EXPECT_LT(found.statistics.steps, 152); // of IDAS
}
