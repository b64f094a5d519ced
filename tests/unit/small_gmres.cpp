/// GMRES's parts that need no PETSc: vectors in single precision, and the small least-squares problem.

#include <rhumb/bdf/hessenberg.hpp>
#include <rhumb/bdf/krylov_basis.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>

using namespace rhumb::bdf;

namespace {

/// Longer than a piece, and no multiple of the lanes.
constexpr std::size_t size = 2500 + 3;

std::vector<double> wave(double frequency) {
  std::vector<double> w(size);
  for (std::size_t i = 0; i < size; ++i)
    w[i] = std::sin(frequency * static_cast<double>(i + 1)) * std::exp(-1e-3 * static_cast<double>(i));
  return w;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// H of five columns by rows, and the products and lengths that make it.
constexpr int columns = 5;
double entry(int row, int column) {
  return row > column + 1 ? 0.0 : std::cos(3.0 * row + column * column) + (row == column ? 2.0 : 0.0);
}

Hessenberg sample(double beta, int count) {
  Hessenberg small;
  small.begin(beta, columns);
  for (int column = 0; column < count; ++column) {
    std::vector<double> products;
    for (int row = 0; row <= column; ++row) products.push_back(entry(row, column));
    small.append(products, entry(column + 1, column));
  }
  return small;
}

/// The smallest singular value of the first columns of H, by Jacobi's rotations of H^T H.
double smallest_of(int count) {
  std::vector<std::vector<double>> a(static_cast<std::size_t>(count),
                                     std::vector<double>(static_cast<std::size_t>(count)));
  const auto at = [&](int i, int j) -> double& { return a[i][j]; };
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      for (int row = 0; row <= count; ++row) at(i, j) += entry(row, i) * entry(row, j);
  for (int sweep = 0; sweep < 20; ++sweep)
    for (int p = 0; p < count; ++p)
      for (int q = p + 1; q < count; ++q) {
        const double angle = 0.5 * std::atan2(2.0 * at(p, q), at(q, q) - at(p, p)), c = std::cos(angle),
                     s = std::sin(angle);
        for (int k = 0; k < count; ++k)
          at(k, p) = std::exchange(at(k, q), s * at(k, p) + c * at(k, q)) * -s + c * at(k, p);
        for (int k = 0; k < count; ++k)
          at(p, k) = std::exchange(at(q, k), s * at(p, k) + c * at(q, k)) * -s + c * at(p, k);
      }
  double smallest = at(0, 0);
  for (int i = 1; i < count; ++i) smallest = std::min(smallest, at(i, i));
  return std::sqrt(smallest);
}

/// beta e_1 - H y
std::vector<double> residual(double beta, std::span<const double> y) {
  const int count = static_cast<int>(y.size());
  std::vector<double> left(y.size() + 1, 0.0);
  left[0] = beta;
  for (int row = 0; row <= count; ++row)
    for (int column = 0; column < count; ++column) left[row] -= entry(row, column) * y[column];
  return left;
}

} // namespace

TEST(KrylovBasis, GoesOnWithWhatItKeeps) {
  KrylovBasis basis;
  auto w = wave(0.1);
  const auto given = w;
  basis.append(w, 0.5);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(w[i], static_cast<double>(static_cast<float>(0.5 * given[i])));
    EXPECT_NEAR(w[i], 0.5 * given[i], basis.rounding() * 0.5 * std::abs(given[i]));
  }
  std::vector<double> x(size, 0.0);
  const double one = 1.0;
  basis.add({&one, 1}, x);
  EXPECT_EQ(x, w);
}

TEST(KrylovBasis, KeepsDoublesWhereToldTo) {
  KrylovBasis basis;
  EXPECT_EQ(basis.rounding(), std::ldexp(1.0, -24));
  basis.choose(KrylovBasis::Precision::double_precision);
  EXPECT_EQ(basis.rounding(), std::ldexp(1.0, -53));
  auto w = wave(0.1);
  auto given = w;
  basis.append(w, 0.5);
  for (double& value : given) value *= 0.5;
  EXPECT_EQ(w, given);
  std::vector<double> x(size, 0.0);
  const double one = 1.0;
  basis.add({&one, 1}, x);
  EXPECT_EQ(x, given);
}

TEST(KrylovBasis, TakesEntriesThatSinglePrecisionCanHardlyHoldAsZero) {
  KrylovBasis basis;
  std::vector<double> w{1.0, 1e-37, -1e-42, 1e-300, -1e-35};
  basis.append(w, 1.0);
  EXPECT_EQ(w[0], 1.0);
  for (const std::size_t i : {1, 2, 3}) EXPECT_EQ(w[i], 0.0);
  EXPECT_NEAR(w[4], -1e-35, 1e-42);
}

class InBothPrecisions : public testing::TestWithParam<KrylovBasis::Precision> {};

INSTANTIATE_TEST_SUITE_P(KrylovBasis, InBothPrecisions,
                         testing::Values(KrylovBasis::Precision::single_precision,
                                         KrylovBasis::Precision::double_precision));

TEST_P(InBothPrecisions, SumsAreThoseOfDoubles) {
  KrylovBasis basis;
  basis.choose(GetParam());
  std::vector<std::vector<double>> kept;
  for (const double frequency : {0.1, 0.37, 1.3}) {
    auto w = wave(frequency);
    basis.append(w, 1.0);
    kept.push_back(std::move(w));
  }
  ASSERT_EQ(basis.count(), 3U);
  auto w = wave(0.9);
  const auto before = w;
  std::vector<double> products(3, 7.0);
  basis.multiply(w, products);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(products[j], product(kept[j], before), 1e-12);

  const std::vector<double> coefficients{0.3, -2.0, 1.5};
  const double square = basis.subtract(coefficients, w);
  for (std::size_t i = 0; i < size; ++i)
    EXPECT_NEAR(w[i], before[i] - 0.3 * kept[0][i] + 2.0 * kept[1][i] - 1.5 * kept[2][i], 1e-14);
  EXPECT_NEAR(square, product(w, w), 1e-11 * square);
  basis.add(coefficients, w);
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(w[i], before[i], 1e-14);
}

TEST(KrylovBasis, TakesMemoryVectorByVectorAndKeepsItUntilToldOtherwise) {
  KrylovBasis basis;
  basis.reserve(2, size);
  EXPECT_EQ(basis.capacity(), 2U);
  auto w = wave(0.1);
  for (int i = 0; i < 3; ++i) basis.append(w, 1.0);
  EXPECT_EQ(basis.capacity(), 3U);
  basis.clear();
  EXPECT_EQ(basis.count(), 0U);
  EXPECT_EQ(basis.capacity(), 3U);
  basis.append(w, 1.0);
  EXPECT_EQ(basis.capacity(), 3U);
  basis.release();
  EXPECT_EQ(basis.capacity(), 0U);
}

TEST(Hessenberg, FindsTheSmallestResidualAfterEveryColumn) {
  const double beta = 3.0;
  for (int count = 1; count <= columns; ++count) {
    Hessenberg small = sample(beta, count);
    ASSERT_EQ(small.columns(), count);
    ASSERT_TRUE(small.solvable());
    const auto y = small.solution();
    const auto left = residual(beta, y);
    // Smallest: the residual is orthogonal to all columns.
    for (int column = 0; column < count; ++column) {
      double along = 0.0;
      for (int row = 0; row <= count; ++row) along += entry(row, column) * left[row];
      EXPECT_NEAR(along, 0.0, 1e-13);
    }
  }
}

TEST(Hessenberg, KnowsTheResidualsNormWithoutTheSolution) {
  Hessenberg small;
  small.begin(3.0, columns);
  for (int column = 0; column < columns; ++column) {
    std::vector<double> products;
    for (int row = 0; row <= column; ++row) products.push_back(entry(row, column));
    const double norm = small.append(products, entry(column + 1, column));
    const auto left = residual(3.0, small.solution());
    EXPECT_NEAR(norm, std::sqrt(product(left, left)), 1e-13);
  }
}

TEST(Hessenberg, FindsTheSmallestSingularValue) {
  // Columns (3 c, 3 s, 0) and (-2 s c', 2 c c', 2 s') have lengths 3 and 2 and are orthogonal.
  Hessenberg small;
  small.begin(1.0, 4);
  EXPECT_EQ(small.smallest_singular_value(), 1.0);
  const double c = std::cos(0.7), s = std::sin(0.7), c2 = std::cos(0.4), s2 = std::sin(0.4);
  small.append(std::vector{3.0 * c}, 3.0 * s);
  EXPECT_NEAR(small.smallest_singular_value(), 3.0, 1e-14);
  small.append(std::vector{-2.0 * s * c2, 2.0 * c * c2}, 2.0 * s2);
  EXPECT_NEAR(small.smallest_singular_value(), 2.0, 2e-3);
  EXPECT_NEAR(small.norm(), std::sqrt(13.0), 1e-14);
}

TEST(Hessenberg, FindsTheSmallestSingularValueOfFullColumns) {
  for (int count = 1; count <= columns; ++count) {
    const double found = sample(1.0, count).smallest_singular_value(), truth = smallest_of(count);
    EXPECT_GE(found, truth * (1.0 - 1e-12)) << count;
    EXPECT_LE(found, truth * 1.002) << count;
  }
}

TEST(Hessenberg, FindsASmallSingularValueBehindAnInnocentDiagonal) {
  Hessenberg small; // [1 50; 0 1]
  small.begin(1.0, 2);
  small.append(std::vector{1.0}, 0.0);
  small.append(std::vector{50.0, 1.0}, 0.0);
  EXPECT_NEAR(small.smallest_singular_value(), 2.0 / (50.0 + std::sqrt(2504.0)), 1e-5);
}

TEST(Hessenberg, FindsSmallSingularValuesAmongMany) {
  // The second difference with 2 - shift on its diagonal, cut off below its last row: values known.
  constexpr int many = 40;
  const double pi = std::acos(-1.0);
  for (const double shift : {0.0, -0.02, 0.001, -4.0}) {
    Hessenberg small;
    small.begin(1.0, many);
    double smallest = 1e300;
    for (int k = 0; k < many; ++k) {
      std::vector<double> products(static_cast<std::size_t>(k) + 1, 0.0);
      products.back() = 2.0 - shift;
      if (k > 0) products[products.size() - 2] = -1.0;
      small.append(products, k + 1 < many ? -1.0 : 0.0);
      smallest = std::min(smallest, std::abs(2.0 - shift - 2.0 * std::cos(pi * (k + 1) / (many + 1))));
    }
    EXPECT_GE(small.smallest_singular_value(), smallest * (1.0 - 1e-12)) << shift;
    EXPECT_LE(small.smallest_singular_value(), smallest * 1.005) << shift;
  }
}

TEST(Hessenberg, ANewProblemForgetsTheOldOne) {
  Hessenberg small = sample(3.0, columns);
  small.begin(5.0, columns);
  EXPECT_EQ(small.columns(), 0);
  EXPECT_EQ(small.append(std::vector{2.0}, 0.0), 0.0);
  EXPECT_EQ(small.solution()[0], 2.5);
}

TEST(Hessenberg, WhatIsNoNumberStaysNoNumber) {
  const double nothing = std::nan("");
  for (const auto& [product, left] : {std::pair{nothing, 1.0}, std::pair{1.0, nothing}, std::pair{nothing, nothing}}) {
    Hessenberg small;
    small.begin(1e-3, 2);
    EXPECT_TRUE(std::isnan(small.append(std::vector{product}, left)));
  }
}

TEST(Hessenberg, SaysWhereThereIsNoSolution) {
  Hessenberg small;
  small.begin(1.0, 2);
  EXPECT_EQ(small.append(std::vector{0.0}, 0.0), 1.0);
  EXPECT_FALSE(small.solvable());
  EXPECT_EQ(small.smallest_singular_value(), 0.0);
}
