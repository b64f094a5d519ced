#include <rhumb/run/schedule.hpp>
#include <gtest/gtest.h>

using rhumb::run::Schedule;

namespace {
std::vector<double> all(Schedule schedule) {
  std::vector<double> times;
  for (; schedule.next(); schedule.advance()) times.push_back(*schedule.next());
  return times;
}
} // namespace

TEST(Schedule, EveryHoldsBothEnds) {
  EXPECT_EQ(all(Schedule::every(1.0, 0.5, 2.25)), (std::vector<double>{1.0, 1.5, 2.0, 2.25}));
}

TEST(Schedule, ATimeThatRoundingKeepsFromTheEndIsTheEnd) {
  const auto times = all(Schedule::every(0.0, 0.1, 0.3)); // 3 * 0.1 > 0.3
  ASSERT_EQ(times.size(), 4U);
  EXPECT_EQ(times.back(), 0.3);
  const auto many = all(Schedule::every(0.0, 0.1, 1000.0));
  ASSERT_EQ(many.size(), 10001U);
  EXPECT_EQ(many.back(), 1000.0);
}

TEST(Schedule, AnIntervalLongerThanTheRunLeavesTheEnds) {
  EXPECT_EQ(all(Schedule::every(0.0, 5.0, 1.0)), (std::vector<double>{0.0, 1.0}));
}

TEST(Schedule, ListedTimesAreSortedAndTakenOnce) {
  EXPECT_EQ(all(Schedule({3.0, 1.0, 3.0, 2.0})), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_TRUE(all(Schedule()).empty());
}

TEST(Schedule, SkippingGoesPastTheTimeItself) {
  Schedule schedule = Schedule::every(0.0, 0.25, 1.0);
  schedule.skip_through(0.5);
  EXPECT_EQ(schedule.next(), 0.75);
  EXPECT_EQ(schedule.number(), 3);
  schedule.skip_through(0.1); // never back
  EXPECT_EQ(schedule.next(), 0.75);
  schedule.skip_through(2.0);
  EXPECT_FALSE(schedule.next());
}

TEST(Schedule, SkippingAcrossVeryManyTimesIsQuick) {
  Schedule schedule = Schedule::every(0.0, 1e-9, 10.0);
  schedule.skip_through(9.0);
  EXPECT_GT(*schedule.next(), 9.0);
  EXPECT_NEAR(*schedule.next(), 9.0, 3e-9);
}

TEST(Schedule, AContinuedRunHasTheSameTimes) {
  Schedule whole = Schedule::every(0.0, 0.1, 7.0);
  Schedule later = Schedule::every(0.0, 0.1, 7.0);
  whole.skip_through(3.33);
  for (int i = 0; i < 34; ++i) later.advance();
  EXPECT_EQ(whole.next(), later.next());
}

TEST(Schedule, ARunBackwardsHasItsTimesInItsOrder) {
  EXPECT_EQ(all(Schedule::every(2.25, 0.5, 1.0)), (std::vector<double>{2.25, 1.75, 1.25, 1.0}));
  EXPECT_EQ(all(Schedule::every(0.3, 0.1, 0.0)).size(), 4U);
  const auto back = rhumb::core::Sense::of(1.0, 0.0);
  EXPECT_EQ(all(Schedule({3.0, 1.0, 3.0, 2.0}).in(back)), (std::vector<double>{3.0, 2.0, 1.0}));
  EXPECT_EQ(all(Schedule({1.0, 2.0}).in(back).in(back)), (std::vector<double>{2.0, 1.0}));
  Schedule every = Schedule::every(1.0, 0.25, 0.0), listed = Schedule({0.0, 0.5, 1.0}).in(back);
  every.skip_through(0.5);
  listed.skip_through(0.5);
  EXPECT_EQ(every.next(), 0.25);
  EXPECT_EQ(listed.next(), 0.0);
  EXPECT_EQ(every.next_until(0.25), 0.25);
  EXPECT_EQ(every.next_until(0.3), std::nullopt);
  EXPECT_EQ(every.count(), 5.0);
}
