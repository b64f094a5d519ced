#include <rhumb/bdf/coefficients.hpp>

#include "grid_of_times.hpp"
#include <gtest/gtest.h>

using namespace rhumb;
using bdf::Coefficients;

namespace {

constexpr int trials = 20;
constexpr double tight = 1e-10;

/// A polynomial of the given degree that has all powers, and its derivative.
struct Polynomial {
  int degree;
  double operator()(double t) const {
    double sum = 0.0;
    for (int i = 0; i <= degree; ++i) sum += (1.0 + 0.3 * i) * std::pow(t, i);
    return sum;
  }
  double derivative(double t) const {
    double sum = 0.0;
    for (int i = 1; i <= degree; ++i) sum += i * (1.0 + 0.3 * i) * std::pow(t, i - 1);
    return sum;
  }
};

/// y^(0) = sum beta_i phi_i and y'^(0) = sum gamma_i beta_i phi_i.
struct Prediction {
  double y = 0.0, ydot = 0.0;
  Prediction(const Coefficients& c, const std::vector<double>& phi) {
    for (std::size_t i = 1; i <= static_cast<std::size_t>(c.order) + 1; ++i) {
      y += c.beta[i] * phi[i];
      ydot += c.gamma[i] * c.beta[i] * phi[i];
    }
  }
};

/// Calls visit(steps, new step) on random grids.
template <class Visit>
void on_random_grids(int order, Visit&& visit) {
  std::mt19937 random(static_cast<unsigned>(order));
  for (int trial = 0; trial < trials; ++trial) {
    const auto steps = test::random_steps(random, bdf::past_step_count, 0.3);
    visit(steps, test::random_steps(random, 2, 0.3)[1]);
  }
}

class CoefficientsOfOrder : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OneToFive, CoefficientsOfOrder, testing::Range(1, bdf::highest_order + 1));

} // namespace

TEST_P(CoefficientsOfOrder, PsiAreTheDistancesToEarlierTimes) {
  on_random_grids(GetParam(), [&](const std::vector<double>& steps, double h) {
    const auto times = test::times_of(steps);
    const Coefficients c = bdf::coefficients(steps, h, GetParam());
    EXPECT_EQ(c.psi[0], 0.0) << "entry 0 is unused";
    for (std::size_t i = 1; i <= static_cast<std::size_t>(GetParam()) + 2; ++i) {
      EXPECT_NEAR(c.psi[i], h - times[i - 1], tight);
      EXPECT_NEAR(c.alpha[i], h / (h - times[i - 1]), tight);
    }
  });
}

TEST_P(CoefficientsOfOrder, ExactlyAsManyPastStepsAsPromisedAreEnough) {
  const int k = GetParam();
  const std::vector<double> steps(static_cast<std::size_t>(k) + 1, 0.25);
  const Coefficients few = bdf::coefficients(steps, 0.25, k);
  EXPECT_NEAR(few.psi[static_cast<std::size_t>(k) + 2], 0.25 * (k + 2), tight);
}

TEST_P(CoefficientsOfOrder, PredictorIsExactForPolynomialsOfItsDegree) {
  for (int degree = 0; degree <= GetParam(); ++degree)
    on_random_grids(GetParam(), [&](const std::vector<double>& steps, double h) {
      const Polynomial y{degree};
      const Coefficients c = bdf::coefficients(steps, h, GetParam());
      const auto phi = test::modified_differences(test::times_of(steps), static_cast<std::size_t>(GetParam()) + 1, y);
      const Prediction predicted(c, phi);
      EXPECT_NEAR(predicted.y, y(h), tight * 10);
      EXPECT_NEAR(predicted.ydot, y.derivative(h), tight * 100);
    });
}

TEST_P(CoefficientsOfOrder, BetaCarriesEveryDifferenceToTheNewTime) {
  on_random_grids(GetParam(), [&](const std::vector<double>& steps, double h) {
    const auto times = test::times_of(steps);
    const Coefficients c = bdf::coefficients(steps, h, GetParam());
    double beta = 1.0; // prod psi_j(n+1) / psi_j(n)
    for (std::size_t i = 1; i <= static_cast<std::size_t>(GetParam()) + 2; ++i) {
      EXPECT_NEAR(c.beta[i], beta, tight * beta);
      beta *= (h - times[i - 1]) / test::psi(times, i);
    }
  });
}

TEST_P(CoefficientsOfOrder, CorrectorIsTheFixedStepFormulaOnThePredictor) {
  // BCP 5.2.1: the corrector's polynomial takes the predictor's values at t_{n+1} - i h and y at t_{n+1}.
  const int k = GetParam();
  on_random_grids(k, [&](const std::vector<double>& steps, double h) {
    const Polynomial y{k + 1};
    const Coefficients c = bdf::coefficients(steps, h, k);
    const auto times = test::times_of(steps);
    const auto phi = test::modified_differences(times, static_cast<std::size_t>(k) + 1, y);
    const Prediction predicted(c, phi);
    std::vector<double> values{y(h)};
    for (int i = 1; i <= k; ++i) {
      double value = 0.0, product = 1.0; // Newton's form through t_n, t_{n-1}, ...
      for (std::size_t j = 0; j <= static_cast<std::size_t>(k); ++j) {
        value += phi[j + 1] * product;
        product *= (h - i * h - times[j]) / test::psi(times, j + 1);
      }
      values.push_back(value);
    }
    EXPECT_NEAR(predicted.ydot + c.leading() * (y(h) - predicted.y), test::fixed_step_bdf(values, h), 1e-7);
  });
}

TEST_P(CoefficientsOfOrder, CorrectorGivesTheDerivativeOfPolynomialsAtConstantSteps) {
  const int k = GetParam();
  const double h = 0.2;
  const std::vector<double> steps(bdf::past_step_count, h);
  const Coefficients c = bdf::coefficients(steps, h, k);
  const auto times = test::times_of(steps);
  for (int degree = 0; degree <= k; ++degree) {
    const Polynomial y{degree};
    const Prediction predicted(c, test::modified_differences(times, static_cast<std::size_t>(k) + 1, y));
    EXPECT_NEAR(predicted.ydot + c.leading() * (y(h) - predicted.y), y.derivative(h), tight * 10);
  }
}

TEST_P(CoefficientsOfOrder, FixedStepsGiveTheClassicalFormulas) {
  const std::vector<std::vector<double>> classical{{},
                                                   {1.0, -1.0},
                                                   {3.0 / 2, -2.0, 1.0 / 2},
                                                   {11.0 / 6, -3.0, 3.0 / 2, -1.0 / 3},
                                                   {25.0 / 12, -4.0, 3.0, -4.0 / 3, 1.0 / 4},
                                                   {137.0 / 60, -5.0, 5.0, -10.0 / 3, 5.0 / 4, -1.0 / 5}};
  const int k = GetParam();
  const double h = 0.5;
  const std::vector<double> steps(bdf::past_step_count, h);
  const Coefficients c = bdf::coefficients(steps, h, k);
  const auto times = test::times_of(steps);
  const auto& weights = classical[k];
  for (int point = 0; point <= k; ++point) { // y = 1 at t_{n+1-point}, 0 at the other points
    const auto unit = [&](double t) { return std::abs(t - (1 - point) * h) < 1e-9 ? 1.0 : 0.0; };
    const Prediction predicted(c, test::modified_differences(times, static_cast<std::size_t>(k) + 1, unit));
    EXPECT_NEAR(h * (predicted.ydot + c.leading() * (unit(h) - predicted.y)), weights[point], tight);
  }
}

TEST_P(CoefficientsOfOrder, LeadingCoefficientIsFixedWhateverTheSteps) {
  double harmonic = 0.0;
  for (int j = 1; j <= GetParam(); ++j) harmonic += 1.0 / j;
  on_random_grids(GetParam(), [&](const std::vector<double>& steps, double h) {
    const Coefficients c = bdf::coefficients(steps, h, GetParam());
    EXPECT_NEAR(c.alpha_s, -harmonic, tight);
    EXPECT_NEAR(c.leading(), harmonic / h, tight / h);
    EXPECT_EQ(c.order, GetParam());
    EXPECT_EQ(c.h, h);
  });
}

TEST_P(CoefficientsOfOrder, ErrorConstantIsOneOverOrderPlusOneAtConstantSteps) {
  const std::vector<double> steps(bdf::past_step_count, 0.1);
  const Coefficients c = bdf::coefficients(steps, 0.1, GetParam());
  EXPECT_NEAR(c.error_constant(), 1.0 / (GetParam() + 1), tight);
  EXPECT_NEAR(c.alpha_0, c.alpha_s, tight);
}

TEST_P(CoefficientsOfOrder, ErrorConstantIsTheLargerOfItsTwoParts) {
  const int k = GetParam();
  int first_larger = 0, second_larger = 0;
  on_random_grids(k, [&](const std::vector<double>& steps, double h) {
    const auto times = test::times_of(steps);
    const Coefficients c = bdf::coefficients(steps, h, k);
    const double interpolation = h / (h - times[k]); // alpha_{k+1}
    double truncation = interpolation;
    for (int i = 1; i <= k; ++i) truncation += h / (h - times[static_cast<std::size_t>(i) - 1]) - 1.0 / i;
    truncation = std::abs(truncation);
    ++(interpolation > truncation ? first_larger : second_larger);
    EXPECT_NEAR(c.error_constant(), std::max(interpolation, truncation), tight);
  });
  if (k == 1) return; // alpha_1 = 1 whatever the steps: both parts are the same
  EXPECT_GT(first_larger, 0);
  EXPECT_GT(second_larger, 0);
}

TEST_P(CoefficientsOfOrder, ErrorConstantTakesTheSizeOfANegativePart) {
  if (GetParam() == 1) return;
  // A step far shorter than those behind it: alpha_i vanish for i > 1 and the second part is 1 - H_k < 0.
  const std::vector<double> steps(bdf::past_step_count, 1.0);
  const Coefficients c = bdf::coefficients(steps, 1e-6, GetParam());
  double harmonic = 0.0;
  for (int j = 1; j <= GetParam(); ++j) harmonic += 1.0 / j;
  EXPECT_NEAR(c.error_constant(), harmonic - 1.0, 1e-4);
}

TEST_P(CoefficientsOfOrder, SigmaAreTheFactorsOfTheTaylorTerms) {
  on_random_grids(GetParam(), [&](const std::vector<double>& steps, double h) {
    const Coefficients c = bdf::coefficients(steps, h, GetParam());
    const auto times = test::times_of(steps);
    double sigma = 1.0; // h^i (i-1)! / (psi_1 ... psi_i)
    for (std::size_t i = 1; i <= static_cast<std::size_t>(GetParam()) + 2; ++i) {
      if (i > 1) sigma *= static_cast<double>(i - 1) * h / (h - times[i - 1]);
      EXPECT_NEAR(c.sigma[i], sigma, tight);
    }
  });
}

TEST_P(CoefficientsOfOrder, InterpolantIsExactForPolynomialsOfItsDegree) {
  const int k = GetParam();
  for (int degree = 0; degree <= k; ++degree)
    on_random_grids(k, [&](const std::vector<double>& steps, double) {
      const Polynomial y{degree};
      const auto phi = test::modified_differences(test::times_of(steps), static_cast<std::size_t>(k) + 1, y);
      for (const double part : {0.0, 0.3, 1.0, 1.7}) {
        const double offset = -part * steps[0];
        const auto w = bdf::interpolant_weights(steps, offset, k);
        double value = 0.0, derivative = 0.0;
        for (std::size_t i = 1; i <= static_cast<std::size_t>(k) + 1; ++i) {
          value += w.value[i] * phi[i];
          derivative += w.derivative[i] * phi[i];
        }
        EXPECT_NEAR(value, y(offset), tight * 10);
        EXPECT_NEAR(derivative, y.derivative(offset), tight * 100);
      }
    });
}
