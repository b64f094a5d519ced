/// How GMRES iterations with the block preconditioner grow with the grid: Re 1000, alpha = 100, relative tolerance
/// 1e-6.

#include "developed.hpp"
#include <gtest/gtest.h>

namespace {

using rhumb::tests::Developed;

TEST(PreconditionerOnGrids, NeedsFewIterationsThatGrowLittleAndHardlyWithRanks) {
  constexpr double near_steady = 60.0, alpha = 100.0, growth = 1.5, with_ranks = 1.3;
  const std::map<int, PetscInt> on_one_rank{{64, 6}, {128, 7}, {256, 8}};
  std::map<int, PetscInt> count;
  for (const auto& [cells, known] : on_one_rank) {
    count[cells] = Developed(cells, near_steady).iterations(alpha);
    fmt::print("{0} x {0}: {1} iterations\n", cells, count[cells]);
    EXPECT_LE(static_cast<double>(count[cells]), with_ranks * static_cast<double>(known)) << cells;
  }
  EXPECT_LE(count[128], 15);
  EXPECT_LE(static_cast<double>(count[256]), growth * static_cast<double>(count[64]));
}

} // namespace
