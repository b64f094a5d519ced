#include <rhumb/bdf/order.hpp>

#include <gtest/gtest.h>

using namespace rhumb::bdf;

namespace {

TaylorTerms terms(std::optional<double> two_lower, std::optional<double> one_lower, double current,
                  std::optional<double> one_higher = {}) {
  return {two_lower, one_lower, current, one_higher};
}

void expect(const OrderChoice& choice, int order, double estimate) {
  EXPECT_EQ(choice.order, order);
  EXPECT_DOUBLE_EQ(choice.estimate, estimate);
}

} // namespace

TEST(Kept, HasTheEstimateOfItsOwnTerm) {
  expect(kept(3, terms(0.1, 0.2, 0.6)), 3, 0.6 / 4);
}

TEST(LowerOrKeep, OrderOneIsKept) {
  expect(lower_or_keep(1, terms({}, {}, 0.6)), 1, 0.6 / 2);
}

TEST(LowerOrKeep, LowersWhenBothLowerTermsAreNotLarger) {
  expect(lower_or_keep(3, terms(0.4, 0.5, 0.6)), 2, 0.5 / 3);
  expect(lower_or_keep(5, terms(0.6, 0.5, 0.6)), 4, 0.5 / 5);
  expect(lower_or_keep(4, terms(0.5, 0.6, 0.6)), 3, 0.6 / 4);
}

TEST(LowerOrKeep, KeepsWhenOneOfTheLowerTermsIsLarger) {
  expect(lower_or_keep(3, terms(0.7, 0.5, 0.6)), 3, 0.6 / 4);
  expect(lower_or_keep(5, terms(0.5, 0.7, 0.6)), 5, 0.6 / 6);
}

TEST(LowerOrKeep, AtOrderTwoTheLowerTermMustBeHalf) {
  expect(lower_or_keep(2, terms({}, 0.5, 1.0)), 1, 0.5 / 2);
  expect(lower_or_keep(2, terms({}, 0.46, 1.0)), 1, 0.46 / 2);
  expect(lower_or_keep(2, terms({}, 0.501, 1.0)), 2, 1.0 / 3);
  expect(lower_or_keep(2, terms({}, 0.54, 1.0)), 2, 1.0 / 3);
}

TEST(LowerKeepOrRaise, ALoweredOrderIsNotRaisedAgain) {
  expect(lower_keep_or_raise(3, 5, terms(0.4, 0.5, 0.6, 0.01)), 2, 0.5 / 3);
}

TEST(LowerKeepOrRaise, TheHighestOrderStays) {
  expect(lower_keep_or_raise(4, 4, terms(1.0, 0.9, 0.6, 0.01)), 4, 0.6 / 5);
  expect(lower_keep_or_raise(3, 4, terms(1.0, 0.9, 0.6, 0.01)), 4, 0.01 / 5);
}

TEST(LowerKeepOrRaise, WithoutTheHigherTermNothingIsRaised) {
  expect(lower_keep_or_raise(3, 5, terms(1.0, 0.9, 0.6)), 3, 0.6 / 4);
}

TEST(LowerKeepOrRaise, FromOrderOneTheHigherTermMustBeBelowHalf) {
  expect(lower_keep_or_raise(1, 5, terms({}, {}, 1.0, 0.46)), 2, 0.46 / 3);
  expect(lower_keep_or_raise(1, 5, terms({}, {}, 1.0, 0.5)), 1, 1.0 / 2);
  expect(lower_keep_or_raise(1, 5, terms({}, {}, 1.0, 0.54)), 1, 1.0 / 2);
}

TEST(LowerKeepOrRaise, LowersWhenTheLowerTermIsTheSmallest) {
  // TERKM2 is large, so that the first choice keeps the order; TERKM1 alone decides now.
  expect(lower_keep_or_raise(3, 5, terms(2.0, 0.5, 0.6, 0.7)), 2, 0.5 / 3);
  expect(lower_keep_or_raise(3, 5, terms(2.0, 0.5, 0.5, 0.5)), 2, 0.5 / 3);
}

TEST(LowerKeepOrRaise, ReturnsToOrderOneOnlyWhereTheStepNeedNotShrinkThere) {
  expect(lower_keep_or_raise(2, 5, terms({}, 0.9, 1.1, 1.2)), 1, 0.9 / 2);
  expect(lower_keep_or_raise(2, 5, terms({}, 1.0, 1.1, 1.2)), 1, 1.0 / 2);
  expect(lower_keep_or_raise(2, 5, terms({}, 1.05, 1.1, 1.2)), 2, 1.1 / 3);
  expect(lower_keep_or_raise(2, 5, terms({}, 1.05, 2.2, 1.2)), 1, 1.05 / 2); // a clear fall is another matter
  expect(lower_keep_or_raise(3, 5, terms(2.0, 1.7, 1.8, 1.9)), 2, 1.7 / 3);
}

TEST(LowerKeepOrRaise, RaisesWhenTheHigherTermIsSmaller) {
  expect(lower_keep_or_raise(3, 5, terms(2.0, 0.9, 0.6, 0.5)), 4, 0.5 / 5);
  expect(lower_keep_or_raise(4, 5, terms(2.0, 0.55, 0.6, 0.5)), 5, 0.5 / 6);
}

TEST(LowerKeepOrRaise, KeepsWhenTheCurrentTermIsTheSmallest) {
  expect(lower_keep_or_raise(3, 5, terms(2.0, 0.9, 0.6, 0.7)), 3, 0.6 / 4);
  expect(lower_keep_or_raise(3, 5, terms(2.0, 0.9, 0.6, 0.6)), 3, 0.6 / 4);
}
