/// The pieces of the heat module that need no grid.
#include <rhumb/core/failure.hpp>
#include <rhumb/grid/expression.hpp>
#include <rhumb/physics/heat/energy.hpp>
#include <rhumb/physics/heat/kernel.hpp>
#include <rhumb/physics/heat/modes.hpp>
#include <rhumb/physics/heat/table.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

using namespace rhumb;
using heat::Expression;

namespace {
std::string refusal(const std::string& text, const std::string& letters) {
  try {
    Expression("k", text, letters);
  } catch (const core::BadInput& problem) {
    return problem.what();
  }
  return "";
}
} // namespace

TEST(Expression, EvaluatesAtAPlaceATimeAndATemperature) {
  const Expression e("k", "x + 2*y + 3*z + 4*t + 5*T + pi", "xyztT");
  EXPECT_DOUBLE_EQ(e({{1.0, 2.0, 3.0}, 4.0, 5.0}), 1.0 + 4.0 + 9.0 + 16.0 + 25.0 + std::numbers::pi);
  EXPECT_DOUBLE_EQ(Expression("k", "r^2", "xr")({{3.0, 0.0, 0.0}, 0.0, 0.0}), 9.0);
}

TEST(Expression, KnowsWhatItDependsOn) {
  const Expression e("k", "x*T", "xytT");
  EXPECT_TRUE(e.uses('x') && e.uses('T') && e.uses_position());
  EXPECT_FALSE(e.uses('y') || e.uses('t'));
  EXPECT_FALSE(Expression("k", "2*sqrt(3)", "xytT").uses_position());
}

TEST(Expression, ItsSlopeInTIsTheDerivative) {
  const Expression e("k", "exp(0.01*T) + T^3", "xT");
  const double T = 320.0;
  EXPECT_NEAR(e.derivative_by_T({{}, 0.0, T}) / (0.01 * std::exp(3.2) + 3.0 * T * T), 1.0, 1e-15);
  EXPECT_EQ(Expression("k", "3*x", "xT").derivative_by_T({{1.0, 0.0, 0.0}, 0.0, T}), 0.0);
}

TEST(Expression, AMistakeIsShownAtItsPlace) {
  EXPECT_NE(refusal("1 + frog", "x").find("1 + frog\n      ^"), std::string::npos);
  EXPECT_NE(refusal("2*(x + 1", "x").find("-k"), std::string::npos);
  EXPECT_NE(refusal("2*y", "x").find("'y'"), std::string::npos);
  EXPECT_NE(refusal("", "x"), "");
  EXPECT_EQ(refusal("2*x", "x"), "");
}

TEST(Table, AConstantIsOneNumberAndATableOfTFollowsEveryState) {
  const Expression constant("k", "3", "xtT"), of_T("k", "2*T", "xtT");
  const heat::Table::PositionOf at = [](PetscInt i) { return std::array<double, 3>{static_cast<double>(i), 0.0, 0.0}; };
  using heat::Table;
  Table one({&constant}, {}, 5, at, {"k", true}, Table::Layout::compact);
  EXPECT_EQ(one.update(0.0, {}, Table::With::values), "");
  EXPECT_TRUE(one.uniform());
  EXPECT_EQ(one.row(0).value(4), 3.0);
  Table moving({&of_T}, {}, 2, at, {"k", true}, Table::Layout::full_with_derivatives);
  for (const double T : {1.0, 4.0}) {
    const std::array<double, 2> temperatures{T, 2.0 * T};
    EXPECT_EQ(moving.update(0.0, temperatures, Table::With::derivatives), "");
    EXPECT_EQ(moving.values(0)[1], 4.0 * T);
    EXPECT_EQ(moving.derivatives(0)[1], 2.0);
  }
  const std::array<double, 2> bad{1.0, -1.0};
  const auto complaint = moving.update(0.0, bad, Table::With::values);
  EXPECT_NE(complaint.find("x = 1"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("T = -1"), std::string::npos) << complaint;
}

TEST(Table, EachPointTakesTheExpressionOfItsMaterial) {
  const Expression first("k", "1", "xtT"), second("k", "10 + x", "xtT");
  const heat::Table::PositionOf at = [](PetscInt i) { return std::array<double, 3>{static_cast<double>(i), 0.0, 0.0}; };
  heat::Table table({&first, &second}, {0, 1, 0, 1}, 4, at, {"k", true}, heat::Table::Layout::full);
  table.update(0.0, {}, heat::Table::With::values);
  EXPECT_EQ(std::vector<double>(table.values(0), table.values(0) + 4), (std::vector<double>{1.0, 11.0, 1.0, 13.0}));
}

TEST(Table, LongRunsOfPointsHaveTheValuesAndSlopesOfSinglePoints) {
  const Expression first("k", "1 + x*T^1.5 + t", "xytT"), second("k", "3 + y", "xytT");
  const heat::Table::PositionOf at = [](PetscInt i) {
    return std::array<double, 3>{0.1 * static_cast<double>(i), 0.5, 0.0};
  };
  constexpr std::size_t points = 400;
  std::vector<unsigned char> which(points, 0);
  for (std::size_t i = 150; i < 170; ++i) which[i] = 1;
  std::vector<double> T(points);
  for (std::size_t i = 0; i < points; ++i) T[i] = 300.0 + static_cast<double>(i);
  heat::Table table({&first, &second}, which, points, at, {"k", true}, heat::Table::Layout::full_with_derivatives);
  EXPECT_EQ(table.update(2.0, T, heat::Table::With::derivatives), "");
  for (std::size_t i = 0; i < points; ++i) {
    const heat::Where where{at(static_cast<PetscInt>(i)), 2.0, T[i]};
    const Expression& formula = which[i] == 0 ? first : second;
    EXPECT_EQ(table.values(0)[i], formula(where)) << i;
    EXPECT_EQ(table.derivatives(0)[i], formula.derivative_by_T(where)) << i;
  }
}

TEST(Modes, SolveTheEquationsOnTheGrid) {
  const Expression profile("f", "4*x*(1-x)", "x");
  const grid::BoxShape shape{.cells = {8, 6}};
  heat::Modes modes(profile, shape, 0.7);
  modes.at(0.0);
  EXPECT_NEAR(modes.value({4, 3, 0}), 1.0, 1e-12);
  const double t = 0.05, e = 1e-5;
  modes.at(t);
  const double centre = modes.value({3, 2, 0});
  const double laplacian = (modes.value({2, 2, 0}) + modes.value({4, 2, 0}) - 2.0 * centre) * 64.0 +
                           (modes.value({3, 1, 0}) + modes.value({3, 3, 0}) - 2.0 * centre) * 36.0;
  modes.at(t + e);
  const double later = modes.value({3, 2, 0});
  modes.at(t - e);
  EXPECT_NEAR((later - modes.value({3, 2, 0})) / (2.0 * e), 0.7 * laplacian, 1e-7);
}

TEST(RadialMetric, GivesTheAreasOfACellOverItsVolume) {
  const auto cell = heat::radial_metric(2.0, 0.2, 0, heat::Symmetry::sphere);
  const double volume = (std::pow(2.1, 3) - std::pow(1.9, 3)) / 3.0;
  EXPECT_NEAR(cell.lower, 1.9 * 1.9 / volume, 1e-12);
  EXPECT_NEAR(cell.upper, 2.1 * 2.1 / volume, 1e-12);
  const auto centre = heat::radial_metric(0.0, 0.2, 1, heat::Symmetry::cylinder);
  EXPECT_EQ(centre.lower, 0.0);
  EXPECT_NEAR(centre.upper, 2.0 / 0.1, 1e-12);
}
