/// The block preconditioner on the cavity at Re 1000, with the matrix at a developing flow.

#include "developed.hpp"
#include <rhumb/physics/flow/velocity_sweep.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using core::check;
using core::check_mpi;
using tests::Developed;

TEST(Preconditioner, NeedsFewIterationsThatHardlyGrowWithTheGrid) {
  Developed coarse(32), fine(64);
  const PetscInt few = coarse.iterations(100.0), more = fine.iterations(100.0);
  EXPECT_LE(more, 10);
  EXPECT_LE(more, few + 3);
  EXPECT_LE(fine.iterations(1000.0), 6);
}

TEST(Preconditioner, SatisfiesTheConstraintWhateverTheVelocitySolveDoes) {
  Developed cavity(32);
  cavity.linearize(100.0);
  const core::VecHandle r = cavity.problem().create_vector(), z = core::same_layout(r), back = core::same_layout(r);
  {
    const core::Writable values(r);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool free = cavity.problem().variable_kind(static_cast<PetscInt>(i)) == dae::Kind::differential;
      values[i] = free ? std::sin(3.1 * static_cast<double>(i)) : 0.0; // no divergence is asked for
    }
  }
  check(PCSetUp(cavity.preconditioner()));
  check(PCApply(cavity.preconditioner(), r, z));
  check(MatMult(cavity.matrix(), z, back));
  const core::Readable residual(back), correction(z);
  double largest = 0.0, size = 0.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const auto kind = cavity.problem().variable_kind(static_cast<PetscInt>(i));
    if (kind == dae::Kind::index2) largest = std::max(largest, std::abs(residual[i]));
    if (kind == dae::Kind::differential) size = std::max(size, std::abs(correction[i]));
  }
  EXPECT_GT(size, 1e-3);
  EXPECT_LT(largest, 1e-11 * size * 32);
}

/// Largest entry of r - G P^-1 r, of that of r; r has no net inflow, as no right side of a run has.
double defect(Developed& flow, double alpha) {
  flow.linearize(alpha);
  const core::VecHandle wanted = flow.problem().create_vector();
  const core::VecHandle r = core::same_layout(wanted), z = core::same_layout(wanted), back = core::same_layout(wanted);
  {
    const core::Writable values(wanted);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(1.3 * static_cast<double>(i));
  }
  check(MatMult(flow.matrix(), wanted, r));
  check(PCSetUp(flow.preconditioner()));
  check(PCApply(flow.preconditioner(), r, z));
  check(MatMult(flow.matrix(), z, back));
  PetscReal size = 0.0, rest = 0.0;
  check(VecNorm(r, NORM_INFINITY, &size));
  check(VecAXPY(back, -1.0, r));
  check(VecNorm(back, NORM_INFINITY, &rest));
  return rest / size;
}

/// z^T (P r) and (P^T z)^T r, over |z| |P r|; r as above.
double asymmetry(Developed& flow, double alpha) {
  flow.linearize(alpha);
  const core::VecHandle z = flow.problem().create_vector(), wanted = core::same_layout(z);
  const core::VecHandle r = core::same_layout(z), forwards = core::same_layout(z), backwards = core::same_layout(z);
  PetscInt first = 0;
  check(VecGetOwnershipRange(z, &first, nullptr));
  {
    const core::Writable values(wanted), others(z);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double place = static_cast<double>(first) + static_cast<double>(i);
      values[i] = std::sin(1.3 * place);
      others[i] = std::cos(0.7 * place * place);
    }
  }
  check(MatMult(flow.matrix(), wanted, r));
  check(PCSetUp(flow.preconditioner()));
  check(PCApply(flow.preconditioner(), r, forwards));
  check(PCApplyTranspose(flow.preconditioner(), z, backwards));
  PetscReal length = 0.0, size = 0.0;
  double one = 0.0, other = 0.0;
  check(VecNorm(z, NORM_2, &length));
  check(VecNorm(forwards, NORM_2, &size));
  check(VecDot(z, forwards, &one));
  check(VecDot(backwards, r, &other));
  return std::abs(one - other) / (length * size);
}

/// Largest error of velocities (1, 2, 1, 2, ... by components) that one sweep finds from what the momentum block makes
/// of them, of the largest one.
double sweep_error(Developed& flow, double alpha) {
  flow.linearize(alpha);
  const core::VecHandle wanted = flow.problem().create_vector(), image = core::same_layout(wanted);
  std::vector<PetscInt> rows;
  {
    const core::Writable values(wanted);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto local = static_cast<PetscInt>(i);
      const int field = flow.problem().field_of(local);
      values[i] = field == 2 ? 0.0 : 1.0 + field;
      if (field != 2) rows.push_back(local);
    }
  }
  check(MatMult(flow.matrix(), wanted, image));
  core::VecHandle r;
  check(VecCreateMPI(PETSC_COMM_WORLD, static_cast<PetscInt>(rows.size()), PETSC_DETERMINE, r.out()));
  const core::VecHandle u = core::same_layout(r);
  {
    const core::Readable from(image);
    const core::Writable to(r);
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }
  flow::VelocitySweep(flow.matrix(), rows).apply(r, u);
  const core::Readable found(u), exact(wanted);
  double error = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) error = std::max(error, std::abs(found[i] - exact[rows[i]]));
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  return error / 2.0;
}

TEST(Preconditioner, SweepsAsWellWhereRanksMeet) {
  Developed cavity(32);
  EXPECT_LT(sweep_error(cavity, 1000.0), 1e-3);
  EXPECT_LT(sweep_error(cavity, 100.0), 0.06);
}

TEST(Preconditioner, HasItsTransposeForStepsOfAnyLength) {
  Developed cavity(24);
  for (const double alpha : {1e4, 100.0, 2.0, 0.1}) EXPECT_LT(asymmetry(cavity, alpha), 1e-11) << alpha;
  for (const char* formulation : {"index2", "index1"}) {
    Developed open(24, 0.5, {{"problem", "obstacle"}, {"scalar", "yes"}, {"formulation", formulation}});
    for (const double alpha : {1e4, 30.0, 0.05})
      EXPECT_LT(asymmetry(open, alpha), 1e-11) << formulation << ' ' << alpha;
  }
}

TEST(Preconditioner, IsExactInThePlaneWhereStepsAreLong) {
  // The flow crosses at most 24 cells in a unit of time.
  Developed cavity(24);
  EXPECT_GT(defect(cavity, 2.0), 1e-4);
  EXPECT_LT(defect(cavity, 0.1), 1e-10);
  EXPECT_LT(defect(cavity, 1e-6), 1e-8);
}

TEST(Preconditioner, IsExactForLongStepsThroughSidesAndAroundObstacles) {
  std::map<std::string, std::string> through{{"problem", "obstacle"}, {"scalar", "yes"}, {"buoyancy", "0,1"}};
  for (const char* formulation : {"index2", "index1"}) {
    through["formulation"] = formulation;
    through["bc_left_u"] = "4*y*(1-y)*(1+0.1*sin(t))";
    Developed open(24, 0.5, through);
    EXPECT_LT(defect(open, 0.05), 1e-10) << formulation;
  }
  Developed channel(24, 0.5, {{"problem", "channel"}, {"drive", "1"}, {"solid", "(abs(x-0.5)<0.2)&&(abs(y)<0.3)"}});
  EXPECT_LT(defect(channel, 0.01), 1e-10);
}

} // namespace
