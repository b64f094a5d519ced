/// What needs no run: profiles, equal shares, the band solve, concentrations.
#include <rhumb/pde/moving/band.hpp>
#include <rhumb/pde/moving/initial_mesh.hpp>
#include <rhumb/pde/moving/profile.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace rhumb::moving;

namespace {
Profile sampled(const std::vector<double>& x, double (*f)(double)) {
  Profile profile;
  profile.x = x;
  profile.u.resize(1);
  for (const double position : x) profile.u[0].push_back(f(position));
  return profile;
}
} // namespace

TEST(Profile, TakesTheNodesValuesAtTheNodes) {
  const auto p = sampled({0.0, 0.1, 0.4, 1.0}, [](double x) { return std::sin(5.0 * x); });
  for (std::size_t i = 0; i < p.x.size(); ++i) EXPECT_NEAR(p.value(0, p.x[i]), p.u[0][i], 1e-15);
}

TEST(Profile, StaysBetweenTheValuesOfACellsEndsWhateverTheData) {
  std::mt19937 random(3);
  std::uniform_real_distribution<> number(-1.0, 1.0);
  for (int trial = 0; trial < 50; ++trial) {
    Profile p;
    p.u.resize(1);
    double x = 0.0;
    for (int i = 0; i < 12; ++i) {
      p.x.push_back(x += 0.01 + std::abs(number(random)));
      p.u[0].push_back(number(random));
    }
    for (std::size_t c = 0; c + 1 < p.x.size(); ++c)
      for (double s = 0.05; s < 1.0; s += 0.05) {
        const double v = p.value(0, p.x[c] + s * (p.x[c + 1] - p.x[c]));
        EXPECT_GE(v, std::min(p.u[0][c], p.u[0][c + 1]) - 1e-14);
        EXPECT_LE(v, std::max(p.u[0][c], p.u[0][c + 1]) + 1e-14);
      }
  }
}

TEST(Profile, IsOfThirdOrderWhereTheDataAreMonotone) {
  const auto error = [](int cells) {
    const auto p = sampled(uniform_mesh(0.0, 1.0, cells), [](double x) { return std::exp(x); });
    double worst = 0.0;
    for (double x = 0.3; x < 0.7; x += 1e-3) worst = std::max(worst, std::abs(p.value(0, x) - std::exp(x)));
    return worst;
  };
  EXPECT_GT(std::log2(error(20) / error(40)), 2.8);
}

TEST(Profile, FindsTheLastCrossingOfALevel) {
  const auto p = sampled(uniform_mesh(0.0, 1.0, 50), [](double x) { return std::sin(6.0 * x); });
  ASSERT_TRUE(p.front(0, 0.5).has_value());
  EXPECT_NEAR(*p.front(0, 0.5), (M_PI - std::asin(0.5)) / 6.0, 1e-5);
  EXPECT_FALSE(p.front(0, 1.5).has_value());
}

TEST(EqualShares, GiveEveryCellTheSameIntegral) {
  const std::vector<double> positions{0.0, 0.2, 0.5, 1.0}, density{1.0, 4.0, 0.5};
  const auto x = equal_shares(positions, density, 7);
  ASSERT_EQ(x.size(), 8U);
  const auto integral = [&](double to) {
    double sum = 0.0;
    for (std::size_t c = 0; c < density.size(); ++c)
      sum += density[c] * std::clamp(to - positions[c], 0.0, positions[c + 1] - positions[c]);
    return sum;
  };
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(integral(x[i]), integral(1.0) * static_cast<double>(i) / 7.0, 1e-14);
}

TEST(Band, SolvesWithRowExchanges) {
  constexpr std::size_t size = 12, reach = 3;
  std::mt19937 random(5);
  std::uniform_real_distribution<> number(-1.0, 1.0);
  Band matrix(size, reach), copy(size, reach);
  std::vector<double> x(size), b(size, 0.0);
  for (auto& v : x) v = number(random);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i > reach ? i - reach : 0; j < std::min(size, i + reach + 1); ++j) {
      matrix.at(i, j) = i == j ? 1e-14 : number(random); // small pivots ask for exchanges
      b[i] += matrix.at(i, j) * x[j];
    }
  const auto found = std::move(matrix).solve(b);
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(found[i], x[i], 1e-10);
}

TEST(Concentrations, OfDorfiDifferByAtMostTheGivenFactor) {
  std::vector<double> M(40, 1.0);
  M[17] = 1e6;
  const double kappa = 2.0;
  const auto n = smooth_concentration(M, kappa);
  for (std::size_t i = 1; i < n.size(); ++i) {
    EXPECT_LE(n[i] / n[i - 1], (kappa + 1.0) / kappa + 1e-9);
    EXPECT_LE(n[i - 1] / n[i], (kappa + 1.0) / kappa + 1e-9);
  }
  EXPECT_NEAR(std::accumulate(n.begin(), n.end(), 0.0), std::accumulate(M.begin(), M.end(), 0.0), 1e-3);
}
