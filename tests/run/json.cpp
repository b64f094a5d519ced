#include <rhumb/run/json.hpp>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb::run;

TEST(Json, MembersKeepTheirOrderAndObjectsNest) {
  Json inner;
  inner.add("b", 2L).add_flag("yes", true);
  Json outer;
  outer.add("z", "text").add("a", inner).add("empty", Json());
  EXPECT_EQ(outer.text(),
            "{\n  \"z\": \"text\",\n  \"a\": {\n    \"b\": 2,\n    \"yes\": true\n  },\n  \"empty\": {}\n}\n");
}

TEST(Json, NumbersKeepEveryDigit) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(std::stod(json_number(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(std::strtod(json_number(5e-324).c_str(), nullptr), 5e-324);
  EXPECT_EQ(json_number(-4e10), "-40000000000");
}

TEST(Json, WhatIsNoNumberIsNull) {
  EXPECT_EQ(json_number(NAN), "null");
  EXPECT_EQ(json_number(INFINITY), "null");
  const std::array<double, 3> values{1.0, -INFINITY, 2.0};
  EXPECT_EQ(Json().add("v", std::span<const double>(values)).text(), "{\n  \"v\": [1, null, 2]\n}\n");
}

TEST(Json, QuotesBackslashesAndControlsAreEscaped) {
  EXPECT_EQ(json_quoted("a\"b\\c\nd\te\r\x01"), "\"a\\\"b\\\\c\\nd\\te\\r\\u0001\"");
}

TEST(Json, Utf8PassesAndOtherBytesAreReplaced) {
  EXPECT_EQ(json_quoted("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  EXPECT_EQ(json_quoted("a\xFF"), "\"a\\ufffd\"");
  EXPECT_EQ(json_quoted("\xC3"), "\"\\ufffd\"");                                  // cut short
  EXPECT_EQ(json_quoted("\xC0\xAF"), "\"\\ufffd\\ufffd\"");                       // overlong
  EXPECT_EQ(json_quoted("\xED\xA0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");            // a surrogate
  EXPECT_EQ(json_quoted("\xF4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); // above U+10FFFF
}
