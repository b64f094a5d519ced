#include <rhumb/dae/block_tridiagonal.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using rhumb::dae::BlockTridiagonal;

namespace {

/// The rows of a matrix with entries between -1 and 1, as BlockTridiagonal takes them.
struct Example {
  std::size_t nodes, entries;
  std::vector<double> rows;

  Example(std::size_t nodes_, std::size_t entries_) : nodes(nodes_), entries(entries_) {
    std::mt19937 numbers(7);
    std::uniform_real_distribution<double> between(-1.0, 1.0);
    rows.resize((3 * nodes - 2) * entries * entries);
    std::ranges::generate(rows, [&] { return between(numbers); });
  }

  std::size_t begin(std::size_t node) const { return node == 0 ? 0 : node - 1; }
  std::size_t end(std::size_t node) const { return std::min(node + 2, nodes); }

  /// Calls visit(row, column, entry) for every entry.
  void each(const auto& visit) {
    auto entry = rows.begin();
    for (std::size_t row = 0; row < nodes * entries; ++row)
      for (std::size_t column = begin(row / entries) * entries; column < end(row / entries) * entries; ++column)
        visit(row, column, *entry++);
  }
};

} // namespace

TEST(BlockTridiagonal, SolvesWhatWasMultiplied) {
  for (const std::size_t nodes : {1, 2, 5, 40})
    for (const std::size_t entries : {1, 2, 3, 4, 13, 16, 17, 21}) {
      Example A(nodes, entries);
      std::vector<double> truth(nodes * entries), b(truth.size(), 0.0), x(truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) truth[i] = std::sin(static_cast<double>(i));
      A.each([&](std::size_t row, std::size_t column, double& a) {
        if (row == column) a += 4.0; // keeps a random matrix away from singular ones
      });
      A.each([&](std::size_t row, std::size_t column, double a) { b[row] += a * truth[column]; });
      BlockTridiagonal solver(nodes, entries);
      ASSERT_TRUE(solver.factor(A.rows));
      solver.solve(b, x);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], truth[i], 1e-10) << nodes << ' ' << entries;
    }
}

TEST(BlockTridiagonal, FindsPivotsBesideTheDiagonal) {
  Example A(6, 3);
  A.each([](std::size_t row, std::size_t column, double& a) {
    if (row / 3 == column / 3) a = column % 3 == (row + 1) % 3 ? 5.0 : 0.0; // a permutation: zeros on the diagonal
  });
  std::vector<double> b(18, 0.0), x(18);
  A.each([&](std::size_t row, std::size_t, double a) { b[row] += a; });
  BlockTridiagonal solver(6, 3);
  ASSERT_TRUE(solver.factor(A.rows));
  solver.solve(b, x);
  for (const double value : x) EXPECT_NEAR(value, 1.0, 1e-12);
}

TEST(BlockTridiagonal, SaysThatAMatrixIsSingular) {
  Example A(4, 3);
  A.each([](std::size_t row, std::size_t, double& a) {
    if (row == 7) a = 0.0;
  });
  EXPECT_FALSE(BlockTridiagonal(4, 3).factor(A.rows));
}

TEST(BlockTridiagonal, RefusesWhatIsNoNumber) {
  for (const std::size_t index : {0, 11, 30}) {
    Example A(4, 3);
    A.rows[index] = std::nan("");
    EXPECT_FALSE(BlockTridiagonal(4, 3).factor(A.rows)) << index;
  }
}
