#include <rhumb/dae/weights.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
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

TEST_F(WeightsOfFourKinds, LocalPartsMakeTheSameNorm) {
  double sum = absolute.local_part(e, dae::all_kinds);
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

namespace {

/// Cells of a line that is finer on rank 0, and one number without place on the last rank.
class CellsAndANumber : public dae::System {
public:
  CellsAndANumber() {
    core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  }
  std::vector<dae::Field> fields() const override { return {{.name = "u"}, {.name = "lamp", .kind = Kind::index1}}; }
  bool has_number() const { return rank == ranks - 1; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, cells + (has_number() ? 1 : 0), PETSC_DETERMINE, y.out()));
    return y;
  }
  int field_of(PetscInt local) const override { return local == cells ? 1 : 0; }
  void initial_values(double, Vec, Vec) override {}
  void residual(double, Vec, Vec, Vec) override {}
  core::VecHandle volumes() const override {
    if (!knows_volumes) return {};
    auto v = create_vector();
    const core::Writable volume(v);
    for (PetscInt i = 0; i < cells; ++i) volume[i] = uniform || i % 2 == 1 ? 3.0 : 1.0;
    if (has_number()) volume[cells] = uniform ? 3.0 : 0.0;
    return v;
  }

  static constexpr PetscInt cells = 10;
  int rank = 0, ranks = 1;
  bool knows_volumes = true, uniform = false;
};

class NormsOfCells : public testing::Test {
protected:
  CellsAndANumber system;
  dae::GuardedSystem guarded{system};

  /// Of e = `wide` in the cells of volume 3, `narrow` in those of 1, `number` in the lone number.
  double norm(dae::Norm kind, std::array<double, 3> e, const dae::KindScale& scale = dae::all_kinds) {
    dae::Weights weights(guarded, {.rtol = 0.0, .atol = 0.5, .norm = kind});
    const auto y = system.create_vector(), v = system.create_vector();
    check(VecSet(y, 0.0));
    {
      const core::Writable value(v);
      for (PetscInt i = 0; i < CellsAndANumber::cells; ++i) value[i] = e[i % 2 == 1 ? 0 : 1];
      if (system.has_number()) value[CellsAndANumber::cells] = e[2];
    }
    weights.update(y);
    return weights.norm(v, scale);
  }
};

} // namespace

TEST_F(NormsOfCells, TheVolumeNormIsTheMeanOverFieldsOfMeansOverVolumes) {
  EXPECT_NEAR(norm(dae::Norm::volume, {1.0, 2.0, 0.0}), 2.0 * std::sqrt((3.0 + 4.0) / 4.0 / 2.0), 1e-12);
  EXPECT_NEAR(norm(dae::Norm::volume, {0.0, 0.0, 1.0}), 2.0 * std::sqrt(0.5), 1e-12) << "as much as all cells";
  EXPECT_NEAR(norm(dae::Norm::volume, {1.0, 2.0, 9.0}, dae::only_differential), 2.0 * std::sqrt(7.0 / 4.0), 1e-12);
}

TEST_F(NormsOfCells, TheLargestEntryOfAnyRankIsTheMaximumNorm) {
  EXPECT_NEAR(norm(dae::Norm::max, {1.0, -2.0, 0.5}), 4.0, 1e-12);
  EXPECT_NEAR(norm(dae::Norm::max, {1.0, 2.0, -9.0}), 18.0, 1e-12);
  EXPECT_NEAR(norm(dae::Norm::max, {1.0, 2.0, 9.0}, dae::only_differential), 4.0, 1e-12);
  EXPECT_FALSE(std::isfinite(norm(dae::Norm::max, {1.0, 2.0, std::nan("")}))) << "a NaN is not lost on the way";
  EXPECT_FALSE(std::isfinite(norm(dae::Norm::max, {std::nan(""), 2.0, 3.0})));
}

TEST_F(NormsOfCells, VolumesAreTheDefaultWhereANumberHasNoPlaceBesideAGrid) {
  const std::array e{1.0, 2.0, 9.0};
  EXPECT_EQ(norm(dae::Norm::automatic, e), norm(dae::Norm::volume, e));
  EXPECT_NE(norm(dae::Norm::automatic, e), norm(dae::Norm::rms, e));
  system.uniform = true;
  EXPECT_EQ(norm(dae::Norm::automatic, e), norm(dae::Norm::rms, e));
  system.knows_volumes = false;
  EXPECT_EQ(norm(dae::Norm::automatic, e), norm(dae::Norm::rms, e));
  EXPECT_THROW(norm(dae::Norm::volume, e), core::BadInput);
}
