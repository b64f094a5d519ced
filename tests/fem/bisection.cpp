/// Parts of a mesh.

#include <rhumb/grid/bisection.hpp>
#include <algorithm>
#include <gtest/gtest.h>

using rhumb::grid::bisect;

namespace {
/// Cells in rows, `width` in each, twice as long as they are high.
std::vector<std::array<double, 3>> rows(std::size_t width, std::size_t height) {
  std::vector<std::array<double, 3>> centres;
  for (std::size_t j = 0; j < height; ++j)
    for (std::size_t i = 0; i < width; ++i)
      centres.push_back({2.0 * static_cast<double>(i), static_cast<double>(j), 0.0});
  return centres;
}
} // namespace

TEST(Bisection, PartsDifferByAtMostOneCell) {
  for (const int parts : {1, 2, 3, 5, 7, 16}) {
    const auto part_of = bisect(rows(11, 9), parts);
    std::vector<long> sizes;
    for (int part = 0; part < parts; ++part) sizes.push_back(std::count(part_of.begin(), part_of.end(), part));
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1) << parts;
    EXPECT_GT(*least, 0) << parts;
  }
}

TEST(Bisection, CutsAcrossTheLongestSide) {
  const auto centres = rows(8, 4);
  const auto part_of = bisect(centres, 2);
  for (std::size_t cell = 0; cell < centres.size(); ++cell) EXPECT_EQ(part_of[cell], centres[cell][0] < 7.0 ? 0 : 1);
}

TEST(Bisection, HasEmptyPartsWhereCellsAreFewer) {
  const auto part_of = bisect(rows(2, 1), 5);
  EXPECT_NE(part_of[0], part_of[1]);
  EXPECT_TRUE(bisect({}, 3).empty());
}
