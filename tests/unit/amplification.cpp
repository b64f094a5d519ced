#include <rhumb/bdf/amplification.hpp>
#include <gtest/gtest.h>
#include <vector>

using rhumb::bdf::Amplification;

TEST(Amplification, IsFoundWhenItIsSeenTwice) {
  Amplification watch;
  watch.note(20.1, 1.0, 1.0, 0);
  EXPECT_FALSE(watch.found());
  EXPECT_FALSE(watch.is_due(0, 1.0));
  EXPECT_TRUE(watch.is_due(1, 1.0)); // a suspicion is looked into at once
  watch.note(20.1, 1.0, 1.0, 1);
  EXPECT_TRUE(watch.found());
}

TEST(Amplification, IsFoundAtOnceWhereItIsLarge) {
  Amplification watch, nearly;
  watch.note(201.0, 1.0, 1.0, 0);
  EXPECT_TRUE(watch.found());
  nearly.note(199.0, 1.0, 1.0, 0);
  EXPECT_FALSE(nearly.found());
}

TEST(Amplification, ALookThatFindsNothingHalvesASuspicion) {
  Amplification watch;
  watch.note(21.0, 1.0, 1.0, 0);
  watch.note(19.9, 1.0, 1.0, 1); // half is left
  watch.note(21.0, 1.0, 1.0, 2); // one and a half
  EXPECT_FALSE(watch.found());
  watch.note(21.0, 1.0, 1.0, 3);
  EXPECT_TRUE(watch.found());
  Amplification other; // there is no less than none
  for (const long step : {0, 1, 2}) other.note(1.0, 1.0, 1.0, step);
  other.note(21.0, 1.0, 1.0, 3);
  other.note(21.0, 1.0, 1.0, 4);
  EXPECT_TRUE(other.found());
}

TEST(Amplification, TwoLooksThatFindNothingMakeUpForOneThatDoes) {
  Amplification balanced, found;
  long step = 0;
  for (int round = 0; round < 12; ++round)
    for (const double seen : {21.0, 1.0, 1.0}) balanced.note(seen, 1.0, 1.0, step++);
  EXPECT_FALSE(balanced.found());
  for (const double seen : {21.0, 1.0, 21.0, 1.0, 21.0}) found.note(seen, 1.0, 1.0, step++);
  EXPECT_TRUE(found.found());
}

TEST(Amplification, ErrorsThatMayBeNewtonsSayNothing) {
  Amplification watch;
  EXPECT_FALSE(watch.is_due(0, 0.0199));
  EXPECT_TRUE(watch.is_due(0, 0.0201));
  watch.note(0.39, 1e-6, 1e-6, 0); // 0.4 is twenty times the least error
  watch.note(0.39, 1e-6, 1e-6, 1);
  watch.note(0.39, 1e-6, 1e-6, 2);
  EXPECT_FALSE(watch.found());
  watch.note(4.1, 1e-6, 1e-6, 3);
  EXPECT_TRUE(watch.found());
}

TEST(Amplification, ErrorsThatTheStandardTestSeesAreLeftToIt) {
  Amplification seen, unseen, watched;
  for (const long step : {0, 1, 2}) seen.note(1000.0, 1.0, 201.0, step);
  EXPECT_FALSE(seen.found());
  unseen.note(1000.0, 1.0, 199.0, 0);
  EXPECT_TRUE(unseen.found());
  watched.note(1000.0, 1.0, 201.0, 0); // the next look comes sooner than after one that found nothing
  EXPECT_FALSE(watched.is_due(1, 1.0));
  EXPECT_TRUE(watched.is_due(2, 1.0));
  for (long step = 2; step < 300; step += 1) watched.note(1000.0, 1.0, 201.0, step);
  EXPECT_FALSE(watched.is_due(299 + 63, 1.0));
  EXPECT_TRUE(watched.is_due(299 + 64, 1.0));
}

TEST(Amplification, LooksBecomeFewWhileTheyFindNothing) {
  Amplification watch;
  std::vector<long> looks;
  for (long step = 0; step < 300; ++step) {
    if (!watch.is_due(step, 1.0)) continue;
    watch.note(1.0, 1.0, 1.0, step);
    looks.push_back(step);
  }
  EXPECT_EQ(looks, (std::vector<long>{0, 4, 20, 84, 148, 212, 276}));
}

TEST(Amplification, ASavedStateGoesOnAsItWas) {
  Amplification watch, again;
  watch.note(21.0, 1.0, 1.0, 7);
  again.restore_state(watch.saved_state());
  EXPECT_FALSE(again.is_due(7, 1.0));
  EXPECT_TRUE(again.is_due(8, 1.0));
  again.note(21.0, 1.0, 1.0, 8);
  EXPECT_TRUE(again.found());
}
