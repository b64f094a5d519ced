#include <rhumb/dae/weights.hpp>

#include <rhumb/core/arrays.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;
using dae::Kind;

namespace {

/// One variable of each kind per point; ranks have different numbers of points.
class FourKinds : public dae::System {
public:
  std::vector<dae::Field> fields() const override {
    return {{.name = "x"},
            {.name = "a", .kind = Kind::index1},
            {.name = "p", .kind = Kind::index2},
            {.name = "l", .kind = Kind::index3}};
  }
  core::VecHandle create_vector() const override {
    int rank = 0;
    core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, 4 * (rank + 1), PETSC_DETERMINE, y.out()));
    return y;
  }
  void initial_values(double, Vec, Vec) override {}
  void residual(double, Vec, Vec, Vec) override {}
  Kind variable_kind(PetscInt local) const override {
    return all_differential ? Kind::differential : dae::System::variable_kind(local);
  }
  bool all_differential = false;
};

/// (1, 2, 3, 4) at every point.
core::VecHandle by_field(const FourKinds& system) {
  auto v = system.create_vector();
  const core::Writable values(v);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 4 + 1);
  return v;
}

class WeightsOfFourKinds : public testing::Test {
protected:
  FourKinds system;
  dae::GuardedSystem guarded{system};
  core::VecHandle y = by_field(system), e = by_field(system);
  dae::Weights relative{guarded, {.rtol = 0.1, .atol = 0.0}};
  dae::Weights absolute{guarded, {.rtol = 0.0, .atol = 0.5}};
  PetscInt points = 0;

  void SetUp() override {
    check(VecGetSize(y, &points));
    points /= 4;
    relative.update(y);
    absolute.update(y);
  }
};

} // namespace

TEST_F(WeightsOfFourKinds, TheNormIsTheRootOfTheMeanSquare) {
  EXPECT_NEAR(relative.norm(e, dae::all_kinds), 10.0, 1e-12); // every e_i / w_i is 10
  EXPECT_NEAR(absolute.norm(e, dae::all_kinds), 2.0 * std::sqrt((1.0 + 4 + 9 + 16) / 4), 1e-12);
}

TEST_F(WeightsOfFourKinds, NCountsOnlyWhatIsIncluded) {
  EXPECT_NEAR(relative.norm(e, dae::only_differential), 10.0, 1e-12);
  EXPECT_NEAR(absolute.norm(e, dae::only_differential), 2.0, 1e-12);
  EXPECT_NEAR(absolute.norm(e, dae::without_higher_index), 2.0 * std::sqrt((1.0 + 4) / 2), 1e-12);
  EXPECT_EQ(absolute.norm(e, {0, 0, 0, 0}), 0.0);
}

TEST_F(WeightsOfFourKinds, KindsAreCountedOverAllRanks) {
  for (const Kind kind : {Kind::differential, Kind::index1, Kind::index2, Kind::index3})
    EXPECT_EQ(absolute.count(kind), points);
  system.all_differential = true;
  absolute.refresh_kinds();
  EXPECT_EQ(absolute.count(Kind::differential), 4 * points);
  EXPECT_EQ(absolute.count(Kind::index2), 0);
}

TEST_F(WeightsOfFourKinds, HigherIndexIsMeasuredInPowersOfTheStep) {
  EXPECT_EQ(dae::index_scaled(0.1), (dae::KindScale{1.0, 1.0, 0.1, 0.1 * 0.1}));
  EXPECT_EQ(dae::index_scaled(-0.1), (dae::KindScale{1.0, 1.0, 0.1, 0.1 * 0.1}));
  EXPECT_EQ(dae::index_scaled(20.0), dae::all_kinds) << "never stricter than the plain norm";
  EXPECT_NEAR(absolute.norm(e, dae::index_scaled(0.1)), 2.0 * std::sqrt((1.0 + 4 + 0.09 + 0.0016) / 4), 1e-12);
}

TEST_F(WeightsOfFourKinds, LocalSquaresMakeTheSameNorm) {
  double sum = absolute.local_square(e, dae::all_kinds);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  EXPECT_DOUBLE_EQ(absolute.finish(sum, dae::all_kinds), absolute.norm(e, dae::all_kinds));
}

TEST_F(WeightsOfFourKinds, FieldsMayHaveTheirOwnTolerance) {
  dae::Weights weights(guarded, {.rtol = 0.0, .atol = 1.0, .atol_of_field = {0.5, -1.0, 2.0}});
  weights.update(y);
  const core::Readable inverse(weights.inverse());
  for (std::size_t i = 0; i < inverse.size(); ++i) EXPECT_EQ(inverse[i], (std::array{2.0, 1.0, 0.5, 1.0}[i % 4]));
}

TEST_F(WeightsOfFourKinds, VectorsOfTolerancesWin) {
  const auto rtol = by_field(system), atol = by_field(system);
  dae::Weights weights(guarded, {.rtol_vector = rtol, .atol_vector = atol});
  weights.update(y);
  const core::Readable inverse(weights.inverse());
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const double v = static_cast<double>(i % 4 + 1);
    EXPECT_DOUBLE_EQ(inverse[i], 1.0 / (v * v + v));
  }
}

TEST_F(WeightsOfFourKinds, TheLargestEntryIsFound) {
  const auto found = absolute.largest(e, dae::all_kinds);
  EXPECT_EQ(found.rank, 0);
  EXPECT_EQ(found.local, 3);
  EXPECT_EQ(found.field, 3);
  EXPECT_DOUBLE_EQ(found.size, 8.0);
  EXPECT_DOUBLE_EQ(absolute.value_at(found, y), 4.0);
  EXPECT_EQ(absolute.largest(e, dae::only_differential).local, 0);
}

TEST_F(WeightsOfFourKinds, AZeroWeightOnOneRankIsAFailureOnAll) {
  int rank = 0;
  core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) {
    const core::Writable values(y);
    values[1] = 0.0;
  }
  relative.update(y);
  EXPECT_FALSE(guarded.all_well());
  EXPECT_TRUE(guarded.all_well()) << "said once";
}

TEST_F(WeightsOfFourKinds, ANaNInYIsAFailureToo) {
  const core::Writable values(y);
  values[0] = std::nan("");
  relative.update(y);
  EXPECT_FALSE(guarded.all_well());
}
