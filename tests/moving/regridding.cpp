/// Nodes that come and go, and the advice on what error a run can have.
#include <rhumb/pde/moving/error_watch.hpp>
#include <rhumb/pde/moving/initial_mesh.hpp>
#include <rhumb/pde/moving/regridding.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb::moving;

namespace {
const std::vector<double> one_scale{1.0};

Profile front(const std::vector<double>& x, double steepness) {
  Profile profile{x, {{}}};
  for (const double position : x) profile.u[0].push_back(std::tanh(steepness * (position - 0.5)));
  return profile;
}

double largest_error(const Profile& profile) {
  return std::ranges::max(cell_errors(profile, one_scale));
}
} // namespace

TEST(Regridding, TheErrorOfACellIsThatOfLinearInterpolation) {
  Profile parabola{uniform_mesh(0.0, 1.0, 10), {{}}};
  for (const double x : parabola.x) parabola.u[0].push_back(3.0 * x * x);
  for (const double e : cell_errors(parabola, one_scale)) EXPECT_NEAR(e, 0.01 * 6.0 / 8.0, 1e-13);
  for (const double e : cell_errors(parabola, {3.0})) EXPECT_NEAR(e, 0.01 * 2.0 / 8.0, 1e-13);
}

TEST(Regridding, InsertsNodesUntilTheErrorIsTheWantedOne) {
  const auto coarse = front(uniform_mesh(0.0, 1.0, 40), 20.0);
  ASSERT_GT(largest_error(coarse), 0.02);
  const auto found = refined(coarse, one_scale, {.error = 0.005, .fewest = 5, .most = 400});
  EXPECT_EQ(found.error, 0.005);
  EXPECT_LT(largest_error(front(found.x, 20.0)), 0.0075); // the curvature was known on the coarse mesh only
  EXPECT_LE(largest_ratio(found.x), 3.0 * (1.0 + 1e-12));
  EXPECT_TRUE(std::ranges::is_sorted(found.x));
  for (const double x : coarse.x)
    if (std::abs(x - 0.5) < 0.05) {
      EXPECT_TRUE(std::ranges::find(found.x, x) != found.x.end()) << x;
    }
}

TEST(Regridding, DeletesNodesThatNobodyNeeds) {
  const auto fine = front(uniform_mesh(0.0, 1.0, 320), 20.0);
  const auto found = refined(fine, one_scale, {.error = 0.005, .fewest = 5, .most = 400});
  EXPECT_LT(found.x.size(), 80u);
  EXPECT_LT(largest_error(front(found.x, 20.0)), 0.0075);
  EXPECT_EQ(found.x.front(), 0.0);
  EXPECT_EQ(found.x.back(), 1.0);
  const Profile flat{fine.x, {std::vector<double>(fine.x.size(), 1.0)}};
  EXPECT_EQ(refined(flat, one_scale, {.error = 0.005, .fewest = 12, .most = 400}).x.size(), 13u);
}

TEST(Regridding, ConcedesErrorWhereNodesRunOut) {
  const auto coarse = front(uniform_mesh(0.0, 1.0, 30), 50.0);
  const auto found = refined(coarse, one_scale, {.error = 1e-4, .fewest = 5, .most = 40});
  EXPECT_LE(found.x.size(), 41u);
  EXPECT_GT(found.error, 1e-4);
}

TEST(ErrorWatch, SaysWhichMeshIsTooCoarse) {
  for (const int cells : {20, 200}) {
    ErrorWatch watch({.error = 0.01, .rtol = 1e-6, .atol = 1e-6, .scales = one_scale});
    const auto now = front(uniform_mesh(0.0, 1.0, cells), 20.0);
    const Profile still{std::vector<double>(now.x.size(), 0.0), {std::vector<double>(now.x.size(), 0.0)}};
    for (const double t : {0.0, 0.1, 0.2}) watch.step(t, now, still);
    EXPECT_EQ(watch.in_time(), 0.0);
    EXPECT_EQ(watch.advice(cells).find("too coarse") != std::string::npos, cells == 20) << watch.advice(cells);
    EXPECT_EQ(watch.advice(cells).find("too loose"), std::string::npos);
  }
}

TEST(ErrorWatch, SaysWhichToleranceIsTooLooseForAFastEndAfterASlowStart) {
  // u' = 1 for a while, then 10^4: a tolerance at the start is 10^4 tolerances at the end.
  for (const double rtol : {1e-5, 1e-9}) {
    ErrorWatch watch({.error = 0.01, .rtol = rtol, .atol = rtol, .scales = one_scale});
    const auto x = uniform_mesh(0.0, 1.0, 10);
    const auto step = [&](double t, double u, double rate) {
      watch.step(t, {x, {std::vector<double>(x.size(), u)}},
                 {std::vector<double>(x.size(), 0.0), {std::vector<double>(x.size(), rate)}});
    };
    for (int i = 0; i <= 100; ++i) step(0.01 * i, 0.01 * i, 1.0);
    EXPECT_LT(watch.in_time(), 10.0 * rtol); // nothing amplifies yet
    step(1.0001, 2.0, 1e4);
    EXPECT_EQ(watch.advice(10).find("-dae_rtol 1e-05 is too loose") != std::string::npos, rtol == 1e-5)
        << watch.advice(10);
  }
}

TEST(ErrorWatch, GoesOnFromItsMemory) {
  ErrorWatch whole({.scales = one_scale}), rest({.scales = one_scale});
  const auto step = [](ErrorWatch& watch, double t) {
    const auto now = front(uniform_mesh(0.0, 1.0, 20), 20.0 + t);
    watch.step(t, now, {std::vector<double>(now.x.size(), 0.1), {std::vector<double>(now.x.size(), 1.0 + t)}});
  };
  for (int i = 0; i < 5; ++i) step(whole, i);
  rest.restore_state(whole.saved_state());
  for (int i = 5; i < 9; ++i) {
    step(whole, i);
    step(rest, i);
  }
  EXPECT_EQ(whole.saved_state(), rest.saved_state());
  EXPECT_EQ(whole.saved_state().size(), ErrorWatch::saved_state_size);
}
