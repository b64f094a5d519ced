#include <rhumb/core/strings.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb::core;

TEST(Words, ARealIsReadFromEndToEnd) {
  EXPECT_EQ(parse_real("1e-5"), 1e-5);
  EXPECT_EQ(parse_real("+2.5"), 2.5);
  EXPECT_EQ(parse_real("-3"), -3.0);
  EXPECT_EQ(parse_real("inf"), INFINITY);
  for (const char* bad : {"", "1e-5x", "x1", " 1", "1 ", "1,2", "nan", "+-1", "--1", "1e999", "0x10", "."})
    EXPECT_FALSE(parse_real(bad)) << bad;
}

TEST(Words, AnIntegerMayBeWrittenAsAWholeReal) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_EQ(parse_integer("1e6"), 1000000);
  EXPECT_EQ(parse_integer("20.0"), 20);
  EXPECT_EQ(parse_integer("9223372036854775807"), 9223372036854775807L);
  for (const char* bad : {"", "1.5", "1e30", "inf", "3x", "9223372036854775808e1"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
}

TEST(Words, AFlagWithoutAValueIsTrue) {
  for (const char* yes : {"", "yes", "true", "on", "1", "TRUE"}) EXPECT_EQ(parse_flag(yes), true) << yes;
  for (const char* no : {"no", "false", "off", "0", "False"}) EXPECT_EQ(parse_flag(no), false) << no;
  for (const char* bad : {"2", "y", "maybe", "case.yaml"}) EXPECT_FALSE(parse_flag(bad)) << bad;
}

TEST(Words, CommasSeparateAndBlanksAroundThemAreDropped) {
  EXPECT_EQ(split_at_commas("1, 2 ,3"), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(split_at_commas("1,,2"), (std::vector<std::string>{"1", "", "2"}));
  EXPECT_EQ(split_at_commas("1,"), (std::vector<std::string>{"1", ""}));
  EXPECT_TRUE(split_at_commas("").empty());
}

TEST(Words, EachKindOfEditCostsOne) {
  EXPECT_EQ(edit_distance("rtol", "rtol"), 0);
  EXPECT_EQ(edit_distance("rtol", "rtoll"), 1); // insertion
  EXPECT_EQ(edit_distance("rtol", "rto"), 1);   // deletion
  EXPECT_EQ(edit_distance("rtol", "atol"), 1);  // substitution
  EXPECT_EQ(edit_distance("rtol", "rotl"), 1);  // neighbours swapped
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Words, TheNearestWordIsTheOneThatWasMeant) {
  const std::vector<std::string> known{"dae_rtol", "dae_atol", "dae_max_order", "t_end", "problem"};
  EXPECT_EQ(nearest("dae_rtoll", known), "dae_rtol");
  EXPECT_EQ(nearest("DAE_ATOL", known), "dae_atol");
  EXPECT_EQ(nearest("probelm", known), "problem");
  EXPECT_EQ(nearest("tend", known), "t_end");
}

TEST(Words, AWordFarFromAllHasNoNearest) {
  EXPECT_EQ(nearest("wall_limit", {"dae_rtol", "problem"}), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Words, ADistanceOfAThirdOfTheLengthAndOneIsStillNear) {
  EXPECT_EQ(nearest("abcdef", {"abcxyz"}), "abcxyz"); // 3 = 6/3 + 1
  EXPECT_EQ(nearest("abcdef", {"abwxyz"}), "");       // 4
}
