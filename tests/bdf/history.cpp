/// The history on polynomials, which its formulas reproduce to rounding whatever the steps.

#include <rhumb/bdf/history.hpp>

#include "../unit/grid_of_times.hpp"
#include "small_systems.hpp"
#include <gtest/gtest.h>

using namespace rhumb;
using bdf::History;
using core::check;

namespace {

/// Entry i of the solution: a polynomial of the given degree with coefficients of its own.
struct Solution {
  int degree;
  PetscInt first = 0;

  double value(PetscInt i, double t) const {
    double sum = 0.0;
    for (int p = 0; p <= degree; ++p) sum += coefficient(i, p) * std::pow(t, p);
    return sum;
  }
  double rate(PetscInt i, double t) const {
    double sum = 0.0;
    for (int p = 1; p <= degree; ++p) sum += p * coefficient(i, p) * std::pow(t, p - 1);
    return sum;
  }
  void set(double t, Vec y, Vec ydot) const {
    PetscInt begin = 0;
    check(VecGetOwnershipRange(y, &begin, nullptr));
    const core::Writable v(y), s(ydot);
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = value(begin + static_cast<PetscInt>(i), t);
      s[i] = rate(begin + static_cast<PetscInt>(i), t);
    }
  }

private:
  static double coefficient(PetscInt i, int p) { return 1.0 + 0.1 * static_cast<double>(i) - 0.2 * p; }
};

class HistoryOfOrder : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 5, y.out()));
    for (auto* v : {&ydot, &predicted, &predicted_dot, &exact, &exact_dot}) *v = core::same_layout(y);
  }
  double distance(Vec a, Vec b) {
    const auto difference = core::same_layout(a);
    check(VecWAXPY(difference, -1.0, a, b));
    double norm = 0.0;
    check(VecNorm(difference, NORM_INFINITY, &norm));
    return norm;
  }
  /// A history of the solution on equidistant points up to t = 0.
  History full(const Solution& solution, double h) {
    std::vector<core::VecHandle> past(static_cast<std::size_t>(GetParam()) + 1);
    for (std::size_t i = 0; i < past.size(); ++i) {
      past[i] = core::same_layout(y);
      solution.set(-static_cast<double>(i) * h, past[i], ydot);
    }
    History history(y);
    history.begin(0.0, past, h);
    return history;
  }
  /// One step with the exact solution as the corrected value.
  void step(History& history, const Solution& solution, double h, int order) {
    const auto c = bdf::coefficients(history.steps(), h, order);
    history.predict(c, predicted, predicted_dot);
    solution.set(history.time() + h, exact, exact_dot);
    const auto correction = core::same_layout(y);
    check(VecWAXPY(correction, -1.0, predicted, exact));
    history.commit(c, history.time() + c.h, correction);
  }

  core::VecHandle y, ydot, predicted, predicted_dot, exact, exact_dot;
};
INSTANTIATE_TEST_SUITE_P(OneToFive, HistoryOfOrder, testing::Range(1, bdf::highest_order + 1));

} // namespace

TEST_P(HistoryOfOrder, PredictsPolynomialsExactlyOverRandomSteps) {
  for (int degree = 0; degree <= GetParam(); ++degree) {
    const Solution solution{degree};
    History history = full(solution, 0.1);
    std::mt19937 random(3);
    for (const double h : test::random_steps(random, 15, 0.1)) {
      step(history, solution, h, GetParam());
      EXPECT_LT(distance(predicted, exact), 1e-8);
      EXPECT_LT(distance(predicted_dot, exact_dot), 1e-6);
    }
    EXPECT_EQ(history.committed(), 15 + GetParam() + 1);
  }
}

TEST_P(HistoryOfOrder, InterpolatesPolynomialsExactlyInTheLastStep) {
  const Solution solution{GetParam()};
  History history = full(solution, 0.1);
  std::mt19937 random(4);
  for (const double h : test::random_steps(random, 12, 0.1)) {
    const double before = history.time();
    step(history, solution, h, GetParam());
    EXPECT_DOUBLE_EQ(history.time(), before + h);
    EXPECT_EQ(history.steps()[0], h);
    for (const double part : {0.0, 0.4, 1.0}) {
      const double t = before + part * h;
      solution.set(t, exact, exact_dot);
      history.interpolate(t, GetParam(), y, ydot);
      EXPECT_LT(distance(y, exact), 1e-8);
      EXPECT_LT(distance(ydot, exact_dot), 1e-6);
      history.interpolate(t, GetParam(), predicted, nullptr);
      EXPECT_LT(distance(predicted, y), 1e-11) << "with and without the derivative";
    }
  }
}

TEST_P(HistoryOfOrder, EquidistantValuesAreABeginning) {
  const Solution solution{GetParam()};
  const History history = full(solution, 0.2);
  EXPECT_EQ(history.time(), 0.0);
  EXPECT_EQ(history.committed(), GetParam() + 1);
  for (const double t : {0.0, -0.1, -0.2 * GetParam()}) {
    solution.set(t, exact, exact_dot);
    history.interpolate(t, GetParam(), y, ydot);
    EXPECT_LT(distance(y, exact), 1e-12);
    EXPECT_LT(distance(ydot, exact_dot), 1e-10);
  }
}

TEST_P(HistoryOfOrder, TheOrderMayChangeFromStepToStep) {
  // A line is exact at every order, whatever the orders before.
  const Solution solution{1};
  History history = full(solution, 0.1);
  std::mt19937 random(5);
  int order = 1;
  for (const double h : test::random_steps(random, 20, 0.1)) {
    step(history, solution, h, order);
    EXPECT_LT(distance(predicted, exact), 1e-9);
    order = 1 + (order + GetParam()) % bdf::highest_order;
    order = std::min<int>(order, static_cast<int>(history.committed()));
  }
}

TEST_P(HistoryOfOrder, AFailedTrialLeavesNothingBehind) {
  const Solution solution{GetParam()};
  History history = full(solution, 0.1);
  const auto long_step = bdf::coefficients(history.steps(), 5.0, GetParam());
  history.predict(long_step, predicted, predicted_dot);
  step(history, solution, 0.1, GetParam());
  EXPECT_LT(distance(predicted, exact), 1e-10);
}

TEST(HistoryFromASlope, TheFirstStepMayBeChanged) {
  core::VecHandle y;
  check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 3, y.out()));
  const auto ydot = core::same_layout(y), value = core::same_layout(y), rate = core::same_layout(y);
  check(VecSet(y, 2.0));
  check(VecSet(ydot, 3.0));
  History history(y);
  history.begin(1.0, y, ydot, 0.5);
  EXPECT_EQ(history.committed(), 0);
  for (const double h : {0.5, 0.125}) {
    history.rescale_first_step(h);
    history.predict(bdf::coefficients(history.steps(), h, 1), value, rate);
    for (const double v : test::local_values(value)) EXPECT_DOUBLE_EQ(v, 2.0 + 3.0 * h);
    for (const double s : test::local_values(rate)) EXPECT_DOUBLE_EQ(s, 3.0);
  }
}

TEST(HistoryOfACheckpoint, TimesAreRestored) {
  core::VecHandle y;
  check(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 3, y.out()));
  History history(y);
  const std::vector<double> steps{7, 6, 5, 4, 3, 2, 1};
  history.restore(1.5, steps, 9);
  EXPECT_EQ(history.time(), 1.5);
  EXPECT_EQ(history.committed(), 9);
  EXPECT_TRUE(std::equal(steps.begin(), steps.end(), history.steps().begin()));
}
