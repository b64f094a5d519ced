#include <rhumb/core/failure.hpp>
#include <rhumb/run/variation.hpp>
#include <gtest/gtest.h>

using namespace rhumb::run;
using rhumb::core::BadInput;
using Values = std::vector<std::string>;

namespace {
Values values(const std::string& text) {
  return parse_variations(text).at(0).values;
}

std::string rejection(const std::string& text) {
  try {
    parse_variations(text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}
} // namespace

TEST(Variation, AListHasItsValuesAsTheyAreWritten) {
  const auto all = parse_variations("re=100, 4e2 ,1000; -problem=cavity,channel");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "re");
  EXPECT_EQ(all[0].values, (Values{"100", "4e2", "1000"}));
  EXPECT_EQ(all[1].name, "problem");
  EXPECT_EQ(all[1].values, (Values{"cavity", "channel"}));
}

TEST(Variation, AValueWithCommasStandsInParentheses) {
  EXPECT_EQ(values("n=(64,64),(128,64)"), (Values{"64,64", "128,64"}));
  EXPECT_EQ(values("initial=sin(x)*(1),(1+x)*(2)"), (Values{"sin(x)*(1)", "(1+x)*(2)"}));
  EXPECT_EQ(values("mixture=(H2:2,O2:1)"), (Values{"H2:2,O2:1"}));
}

TEST(Variation, ARangeHoldsBothEndsAndIsEvenOrEvenInLogarithms) {
  EXPECT_EQ(values("re=100:400:4"), (Values{"100", "200", "300", "400"}));
  EXPECT_EQ(values("re=1:0:3"), (Values{"1", "0.5", "0"}));
  EXPECT_EQ(values("k=1e-4:1:5:log"), (Values{"0.0001", "0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(values("x=0:0.3:4"), (Values{"0", "0.1", "0.2", "0.3"}));
}

TEST(Variation, TwoEndsWithoutACountAreAnInterval) {
  const auto energy = parse_variations("energy=1e-5:1e-3").at(0);
  EXPECT_TRUE(energy.is_interval);
  EXPECT_EQ(energy.values, (Values{"1e-5", "1e-3"}));
  EXPECT_THROW(combinations({energy}, Combine::all), BadInput);
}

TEST(Variation, WhatCannotBeReadIsRejectedWithTheReason) {
  EXPECT_NE(rejection("re").find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(rejection("").find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(rejection("re=100,,200").find("a value is empty"), std::string::npos);
  EXPECT_NE(rejection("re=100,200,100").find("comes twice"), std::string::npos);
  EXPECT_NE(rejection("re=1,2;RE=3").find("varied twice"), std::string::npos);
  EXPECT_NE(rejection("n=(64,64").find("a '(' without"), std::string::npos);
  EXPECT_NE(rejection("n=64)").find("a ')' without"), std::string::npos);
  EXPECT_NE(rejection("re=1:2:1").find("2 ... "), std::string::npos);
  EXPECT_NE(rejection("re=1:2:3:lin").find("count:log"), std::string::npos);
  EXPECT_NE(rejection("re=0:2:3:log").find("above 0"), std::string::npos);
  EXPECT_NE(rejection("re=1:x:3").find("'x' is no number"), std::string::npos);
}

TEST(Variation, AllCombinationsLetTheLastChangeFastest) {
  const auto runs = combinations(parse_variations("a=1,2;b=x,y,z"), Combine::all);
  ASSERT_EQ(runs.size(), 6U);
  EXPECT_EQ(runs[0], (Values{"1", "x"}));
  EXPECT_EQ(runs[1], (Values{"1", "y"}));
  EXPECT_EQ(runs[5], (Values{"2", "z"}));
}

TEST(Variation, ListsBesideEachOtherAreAsLong) {
  const auto runs = combinations(parse_variations("a=1,2;b=x,y"), Combine::beside);
  EXPECT_EQ(runs, (std::vector<Values>{{"1", "x"}, {"2", "y"}}));
  EXPECT_THROW(combinations(parse_variations("a=1,2;b=x,y,z"), Combine::beside), BadInput);
}

TEST(Variation, FoldersAreNamedAfterTheValues) {
  const auto all = parse_variations("re=100,400;n=(64,64),(128,128);mesh=../a.msh");
  EXPECT_EQ(folder_name(all, {"400", "64,64", "../a.msh"}), "re_400_n_64-64_mesh_..-a.msh");
  const std::string one = folder_name(all, {"400", "64,64", std::string(300, 'a') + "1"});
  const std::string other = folder_name(all, {"400", "64,64", std::string(300, 'a') + "2"});
  EXPECT_LT(one.size(), 255U);
  EXPECT_NE(one, other);
}
