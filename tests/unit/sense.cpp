#include <rhumb/core/sense.hpp>

#include <gtest/gtest.h>

using rhumb::core::Sense;

TEST(SenseOfTime, ForwardsSmallerIsEarlier) {
  const Sense sense = Sense::of(-2.0, -1.0);
  EXPECT_TRUE(sense.forwards());
  EXPECT_EQ(sense.sign, 1.0);
  EXPECT_TRUE(sense.before(1.0, 2.0));
  EXPECT_FALSE(sense.before(2.0, 1.0));
  EXPECT_FALSE(sense.before(1.0, 1.0));
  EXPECT_EQ(sense.earlier(1.0, 2.0), 1.0);
  EXPECT_EQ(sense.earlier(2.0, 1.0), 1.0);
  EXPECT_EQ(sense.later(1.0, 2.0), 2.0);
  EXPECT_EQ(sense.later(2.0, 1.0), 2.0);
}

TEST(SenseOfTime, BackwardsLargerIsEarlier) {
  const Sense sense = Sense::of(1.0, -1.0);
  EXPECT_FALSE(sense.forwards());
  EXPECT_EQ(sense.sign, -1.0);
  EXPECT_TRUE(sense.before(2.0, 1.0));
  EXPECT_FALSE(sense.before(1.0, 2.0));
  EXPECT_FALSE(sense.before(1.0, 1.0));
  EXPECT_EQ(sense.earlier(1.0, 2.0), 2.0);
  EXPECT_EQ(sense.later(1.0, 2.0), 1.0);
  EXPECT_EQ(sense.later(2.0, 1.0), 1.0);
}

TEST(SenseOfTime, WithoutAnIntervalItIsForwards) {
  EXPECT_EQ(Sense{}.sign, 1.0);
  EXPECT_TRUE(Sense::of(1.0, 1.0).forwards());
}
