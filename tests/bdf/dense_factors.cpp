/// The factorization of tiny matrices.

#include <rhumb/bdf/dense_factors.hpp>

#include <rhumb/core/check.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <petscmat.h>
#include <random>

using namespace rhumb;
using bdf::DenseFactors;
using Rows = std::vector<std::vector<double>>;

namespace {

core::MatHandle sparse(const Rows& rows) {
  const auto size = static_cast<PetscInt>(rows.size());
  core::MatHandle matrix;
  core::check(MatCreateSeqAIJ(PETSC_COMM_SELF, size, size, size, nullptr, matrix.out()));
  for (PetscInt i = 0; i < size; ++i)
    for (PetscInt j = 0; j < size; ++j)
      if (const double value = rows[i][j]; value != 0.0) core::check(MatSetValue(matrix, i, j, value, INSERT_VALUES));
  core::check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

DenseFactors::Outcome outcome(const Rows& rows) {
  const auto matrix = sparse(rows);
  return DenseFactors(matrix).factor(matrix);
}

/// The largest error of a solve whose solution is 1, 2, 3, ...
double error_of(const Rows& rows) {
  const auto matrix = sparse(rows);
  DenseFactors factors(matrix);
  EXPECT_EQ(factors.factor(matrix), DenseFactors::Outcome::good);
  std::vector<double> b(rows.size(), 0.0), x(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) b[i] += rows[i][j] * static_cast<double>(j + 1);
  factors.solve(b, x);
  double error = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - static_cast<double>(i + 1)));
  return error;
}

} // namespace

TEST(DenseFactors, SolveFullSystems) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const std::size_t size : {1, 2, 3, 7, 20}) {
    Rows rows(size, std::vector<double>(size));
    for (auto& row : rows)
      for (double& value : row) value = entry(random);
    EXPECT_LT(error_of(rows), 1e-11) << size;
  }
}

TEST(DenseFactors, PivotWhereTheDiagonalIsEmpty) {
  EXPECT_LT(error_of({{0, 0, 1}, {1, 0, 2}, {3, 1, 0}}), 1e-14);
}

TEST(DenseFactors, RowsOfVeryDifferentSizeDoNotMisleadThePivot) {
  EXPECT_LT(error_of({{1e10, 1e20}, {1, 1}}), 1e-14); // without the scaling 1e10 is the pivot, and digits are lost
}

TEST(DenseFactors, NoticeASingularMatrix) {
  EXPECT_EQ(outcome({{1, 2}, {2, 4}}), DenseFactors::Outcome::singular);
  EXPECT_EQ(outcome({{1, 2}, {0, 0}}), DenseFactors::Outcome::singular);
}

TEST(DenseFactors, NoticeWhatIsNotANumber) {
  EXPECT_EQ(outcome({{1, 2}, {std::numeric_limits<double>::quiet_NaN(), 4}}), DenseFactors::Outcome::not_a_number);
}

TEST(DenseFactors, TakeTheNewEntriesOfTheSameMatrix) {
  const auto matrix = sparse({{2, 1}, {1, 3}});
  DenseFactors factors(matrix);
  EXPECT_EQ(factors.factor(matrix), DenseFactors::Outcome::good);
  core::check(MatScale(matrix, 2.0));
  EXPECT_EQ(factors.factor(matrix), DenseFactors::Outcome::good);
  const std::vector<double> b{6.0, 8.0};
  std::vector<double> x(2);
  factors.solve(b, x);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST(DenseFactors, SuitTinySequentialMatricesOnly) {
  EXPECT_TRUE(DenseFactors::suit(sparse({{1, 2}, {3, 4}})));
  Rows large(100, std::vector<double>(100, 0.0));
  for (std::size_t i = 0; i < large.size(); ++i) large[i][i] = 1.0;
  EXPECT_FALSE(DenseFactors::suit(sparse(large)));
}
