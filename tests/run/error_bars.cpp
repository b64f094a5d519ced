#include <rhumb/run/error_bars.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;

core::Declared option(const std::string& name, const std::string& value) {
  core::Declared out;
  out.name = name;
  out.value = value;
  return out;
}

TEST(OtherGrid, HasHalfTheCellsInEveryDirection) {
  const auto grid = run::other_grid({option("mesh", ""), option("n", "64,32")});
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->option, "n");
  EXPECT_EQ(grid->value, "32,16");
  EXPECT_DOUBLE_EQ(grid->ratio, 2.0);
}

TEST(OtherGrid, OfAnOddNumberOfCellsKnowsItsTrueRatio) {
  const auto grid = run::other_grid({option("n", "15")});
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->value, "8");
  EXPECT_DOUBLE_EQ(grid->ratio, 15.0 / 8.0);
}

TEST(OtherGrid, IsMissingWhereTheGridIsCoarseOrThereIsNone) {
  EXPECT_FALSE(run::other_grid({option("n", "64,6")}));
  EXPECT_FALSE(run::other_grid({option("t_end", "1")}));
}

TEST(OtherGrid, OfAMeshIsOneRefinementLessOrElseOneMore) {
  const auto coarser = run::other_grid({option("mesh", "a.msh"), option("refine", "2"), option("n", "64")});
  ASSERT_TRUE(coarser);
  EXPECT_EQ(coarser->option, "refine");
  EXPECT_EQ(coarser->value, "1");
  EXPECT_DOUBLE_EQ(coarser->ratio, 2.0);
  const auto finer = run::other_grid({option("mesh", "a.msh"), option("refine", "0")});
  ASSERT_TRUE(finer);
  EXPECT_EQ(finer->value, "1");
  EXPECT_DOUBLE_EQ(finer->ratio, 0.5);
}

TEST(ErrorInSpace, IsExactForAFigureWhoseErrorIsTheSquareOfTheWidth) {
  const auto figure = [](double width) { return 3.0 + 0.7 * width * width; };
  EXPECT_NEAR(run::error_in_space(figure(0.1), figure(0.2), 2.0), 0.007, 1e-14);
  EXPECT_NEAR(run::error_in_space(figure(0.1), figure(0.05), 0.5), 0.007, 1e-14);
}

TEST(Extrema, HaveBarsOfLikeSizeWhereTwoRunsAgreeByChance) {
  std::vector<run::ErrorBar> bars{
      {"v_min", 1e-9, 0.5}, {"u_max", 3.0, 0.5}, {"v_max", 1e-3, 0.5}, {"u_min", std::nullopt, 0.5}};
  run::keep_extrema_together(bars);
  EXPECT_DOUBLE_EQ(bars[0].time.value(), run::least_of_other_extremum * 1e-3);
  EXPECT_DOUBLE_EQ(bars[2].time.value(), 1e-3);
  EXPECT_DOUBLE_EQ(bars[1].time.value(), 3.0);
  EXPECT_FALSE(bars[3].time);
  EXPECT_DOUBLE_EQ(bars[0].space.value(), 0.5);
}

TEST(WithError, PrintsAsManyDigitsAsAreTrue) {
  EXPECT_EQ(run::with_error(3.22481234, 0.0006), "3.2248 +- 0.0006");
  EXPECT_EQ(run::with_error(-1234.5678, 20.0), "-1235 +- 2e+01");
  EXPECT_EQ(run::with_error(2.5e-9, 3e-11), "2.50e-09 +- 3e-11");
  EXPECT_EQ(run::with_error(0.0, 1e-3), "0.000 +- 0.001");
  EXPECT_EQ(run::with_error(1.5, 0.0), "1.5");
}

TEST(ErrorBar, IsTheSumOfWhatIsKnown) {
  EXPECT_EQ(*(run::ErrorBar{"a", 0.25, 0.5}.total()), 0.75);
  EXPECT_EQ(*(run::ErrorBar{"a", std::nullopt, 0.5}.total()), 0.5);
  EXPECT_FALSE((run::ErrorBar{"a", std::nullopt, std::nullopt}.total()));
}

} // namespace
