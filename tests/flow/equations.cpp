/// The discrete equations: exact derivatives, conserved energy, boundaries.

#include "flow_case.hpp"
#include <rhumb/core/arrays.hpp>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using core::check;
using Given = std::map<std::string, std::string>;

/// A smooth but arbitrary vector, the same for any number of ranks.
void fill(dae::Problem& problem, Vec y, double phase) {
  const auto indices = dynamic_cast<grid::Geometry&>(problem).natural_indices();
  const core::Writable values(y);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * indices[i] + phase) + 0.2;
}

double norm(Vec v) {
  PetscReal value = 0.0;
  check(VecNorm(v, NORM_INFINITY, &value));
  return value;
}

/// Largest entry of (F(y + e v, y' + e alpha v) - F(y - e v, y' - e alpha v)) / 2e - G v: F is quadratic in y, so
/// nothing but rounding is left.
double jacobian_defect(const Given& given, double e = 0.5) {
  const auto problem = tests::make_flow(given);
  const double t = 0.3, alpha = 7.0;
  core::VecHandle y = problem->create_vector();
  core::VecHandle ydot = core::same_layout(y), v = core::same_layout(y), plus = core::same_layout(y),
                  minus = core::same_layout(y), moved = core::same_layout(y), moved_dot = core::same_layout(y);
  fill(*problem, y, 0.0);
  fill(*problem, ydot, 1.0);
  fill(*problem, v, 2.0);
  const core::MatHandle matrix = problem->create_matrix();
  problem->jacobian(t, y, ydot, alpha, matrix);
  for (const double sign : {1.0, -1.0}) {
    check(VecWAXPY(moved, sign * e, v, y));
    check(VecWAXPY(moved_dot, sign * e * alpha, v, ydot));
    problem->residual(t, moved, moved_dot, sign > 0 ? plus : minus);
  }
  check(VecAXPY(plus, -1.0, minus));
  check(VecScale(plus, 0.5 / e));
  check(MatMult(matrix, v, minus));
  const double size = norm(minus);
  check(VecAXPY(plus, -1.0, minus));
  return norm(plus) / size;
}

TEST(Equations, HaveAnExactJacobianInThePlane) {
  EXPECT_LT(jacobian_defect({{"problem", "cavity"}, {"n", "8,6"}}), 1e-13);
  EXPECT_LT(jacobian_defect({{"problem", "cavity"}, {"n", "8,6"}, {"stretch", "1.5,1"}, {"convection", "divergence"}}),
            1e-13);
  EXPECT_LT(jacobian_defect({{"problem", "taylor_green"}, {"n", "8,6"}}), 1e-13);
  EXPECT_LT(jacobian_defect({{"problem", "plume"}, {"n", "8,6"}}), 1e-13);
  EXPECT_LT(jacobian_defect({{"problem", "cavity"}, {"n", "8,6"}, {"formulation", "index1"}}), 1e-13);
}

TEST(Equations, HaveAnExactJacobianWithSidesThatChangeWithTime) {
  for (const char* formulation : {"index2", "index1"})
    EXPECT_LT(jacobian_defect({{"problem", "obstacle"},
                               {"n", "32,16"},
                               {"backflow", "0"},
                               {"bc_left_u", "4*y*(1-y)*sin(t)"},
                               {"formulation", formulation}}),
              1e-13);
}

TEST(Equations, HaveAnExactJacobianWithUpwinding) {
  // Quadratic only as long as no velocity changes its sign: a small step, and its rounding.
  EXPECT_LT(jacobian_defect({{"problem", "cavity"}, {"n", "8,6"}, {"convection", "upwind3"}}, 1e-4), 1e-10);
  EXPECT_LT(jacobian_defect({{"problem", "taylor_green"}, {"n", "8,6"}, {"convection", "upwind3"}}, 1e-4), 1e-10);
  EXPECT_LT(jacobian_defect({{"problem", "obstacle"}, {"n", "32,16"}, {"convection", "upwind3"}}, 1e-4), 1e-10);
}

TEST(Equations, HaveAnExactJacobianWithOutflowAndObstacle) {
  const Given open{{"problem", "obstacle"}, {"n", "32,16"}, {"backflow", "0"}};
  EXPECT_LT(jacobian_defect(open), 1e-13);
  Given quadratic = open;
  quadratic["sides"] = "quadratic";
  quadratic["stretch"] = "1,1";
  EXPECT_LT(jacobian_defect(quadratic), 1e-13);
  Given with_scalar = open;
  with_scalar["scalar"] = "yes";
  EXPECT_LT(jacobian_defect(with_scalar), 1e-13);
}

TEST(Equations, HaveAnExactJacobianWhereFluidComesBackThroughAnOutflow) {
  // As with upwinding: no velocity may change its sign.
  EXPECT_LT(jacobian_defect({{"problem", "obstacle"}, {"n", "32,16"}}, 1e-4), 1e-10);
  EXPECT_LT(jacobian_defect({{"problem", "obstacle"}, {"dim", "3"}, {"n", "32,8,8"}}, 1e-4), 1e-10);
  EXPECT_LT(jacobian_defect({{"problem", "obstacle"}, {"n", "32,16"}, {"bc_top_type", "outflow"}}, 1e-4), 1e-10);
}

TEST(Equations, HaveAnExactJacobianInSpace) {
  EXPECT_LT(jacobian_defect({{"problem", "cavity"}, {"dim", "3"}, {"n", "6,4,5"}}), 1e-13);
  EXPECT_LT(jacobian_defect({{"problem", "plume"}, {"dim", "3"}, {"n", "6,4,5"}, {"stretch", "1,1,1"}}), 1e-13);
  EXPECT_LT(jacobian_defect({{"problem", "taylor_green"}, {"dim", "3"}, {"n", "4,6,4"}}), 1e-13);
}

/// sum over unknowns of volume times velocity times its rate of change, without viscosity, for a velocity without
/// divergence. The rate includes the pressure gradient, which does no work either.
double power_of_convection(const Given& given) {
  const auto problem = tests::make_flow(given);
  auto& flow = dynamic_cast<flow::Flow&>(*problem);
  core::VecHandle y = problem->create_vector();
  const core::VecHandle ydot = core::same_layout(y), rate = core::same_layout(y);
  fill(*problem, y, 0.4);
  {
    const core::Writable values(y); // walls stand still
    for (std::size_t i = 0; i < values.size(); ++i)
      if (problem->variable_kind(static_cast<PetscInt>(i)) == dae::Kind::index1) values[i] = 0.0;
  }
  flow.make_divergence_free(0.0, y);
  problem->residual(0.0, y, ydot, rate);
  const core::VecHandle weight = flow.volumes();
  double power = 0.0, size = 0.0;
  {
    const core::Readable values(y), rates(rate), volumes(weight);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (problem->variable_kind(static_cast<PetscInt>(i)) != dae::Kind::differential) continue;
      power += volumes[i] * values[i] * rates[i];
      size += std::abs(volumes[i] * values[i] * rates[i]);
    }
  }
  std::array<double, 2> sums{power, size};
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  EXPECT_GT(sums[1], 1e-3);
  return std::abs(sums[0]) / sums[1];
}

TEST(Equations, ConserveKineticEnergyWithoutViscosity) {
  const Given walls{{"problem", "cavity"}, {"bc_top_type", "wall"}, {"re", "1e30"}, {"n", "12,10"}};
  for (const char* form : {"skew", "divergence"})
    for (const char* stretch : {"0,0", "1.5,1"}) {
      Given given = walls;
      given["convection"] = form;
      given["stretch"] = stretch;
      EXPECT_LT(power_of_convection(given), 1e-12) << form << " " << stretch;
    }
  EXPECT_LT(power_of_convection({{"problem", "taylor_green"}, {"re", "1e30"}, {"n", "12,10"}}), 1e-12);
  EXPECT_LT(power_of_convection({{"problem", "taylor_green"}, {"dim", "3"}, {"re", "1e30"}, {"n", "6,4,8"}}), 1e-12);
}

TEST(Equations, LoseEnergyByUpwinding) {
  EXPECT_GT(
      power_of_convection({{"problem", "taylor_green"}, {"re", "1e30"}, {"n", "12,10"}, {"convection", "upwind3"}}),
      1e-6);
}

} // namespace
