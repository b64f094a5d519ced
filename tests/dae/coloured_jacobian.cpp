#include <rhumb/dae/coloured_jacobian.hpp>

#include "two_fields.hpp"
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;
using Increments = dae::ColouredJacobian::Increments;

namespace {

class ColouredJacobianOfTwoFields : public testing::Test {
protected:
  test::TwoFields system;
  dae::GuardedSystem guarded{system};
  dae::Weights weights{guarded, {.rtol = 1e-5, .atol = 1e-5}};
  core::VecHandle y = system.create_vector(), ydot = core::same_layout(y), residual = core::same_layout(y);
  core::MatHandle by_differences = system.create_matrix(), by_hand = system.create_matrix();
  dae::ColouredJacobian coloured{guarded, by_differences};

  void SetUp() override {
    system.initial_values(0.0, y, ydot);
    weights.update(y);
    guarded.residual(0.0, y, ydot, residual);
  }
  /// The largest difference of an entry, as a part of the largest entry.
  double disagreement(double alpha, Increments increments) {
    coloured.evaluate(0.0, y, ydot, alpha, residual, weights, by_differences, increments);
    system.fill(y, alpha, by_hand);
    double size = 0.0, difference = 0.0;
    check(MatNorm(by_hand, NORM_INFINITY, &size));
    check(MatAXPY(by_differences, -1.0, by_hand, SAME_NONZERO_PATTERN));
    check(MatNorm(by_differences, NORM_INFINITY, &difference));
    return difference / size;
  }
};

} // namespace

TEST_F(ColouredJacobianOfTwoFields, AgreesWithTheOneByHand) {
  for (const double alpha : {0.0, 1.0, 1e3}) {
    EXPECT_LT(disagreement(alpha, Increments::smallest), 1e-6) << "alpha = " << alpha;
    EXPECT_LT(disagreement(alpha, Increments::for_newton), 2e-3) << "alpha = " << alpha;
  }
}

TEST_F(ColouredJacobianOfTwoFields, AgreesWhereTheSolutionIsZero) {
  // Increments then come from the weights.
  check(VecSet(y, 0.0));
  check(VecSet(ydot, 0.0));
  weights.update(y);
  guarded.residual(0.0, y, ydot, residual);
  EXPECT_LT(disagreement(10.0, Increments::smallest), 1e-6);
  EXPECT_LT(disagreement(10.0, Increments::for_newton), 1e-5);
}

TEST_F(ColouredJacobianOfTwoFields, CostsOneResidualPerColour) {
  const long before = guarded.counts.residual;
  coloured.evaluate(0.0, y, ydot, 1.0, residual, weights, by_differences);
  EXPECT_EQ(guarded.counts.residual - before, coloured.colours());
  EXPECT_EQ(guarded.counts.residual_matrix, coloured.colours());
  EXPECT_GE(coloured.colours(), 10) << "a row has 10 columns";
  EXPECT_LE(coloured.colours(), 30) << "84 columns would be no colouring at all";
}
