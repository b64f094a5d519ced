#include <rhumb/core/failure.hpp>
#include <rhumb/run/search.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb::run;
using rhumb::core::BadInput;

namespace {
/// The values that a search tries until it is finished.
std::vector<double> try_all(Search& search, double threshold, bool rises = true, std::size_t at_once = 1) {
  std::vector<double> tried;
  while (!search.finished() && tried.size() < 200)
    for (const double value : search.next(at_once)) {
      search.take(value, (value > threshold) == rises);
      tried.push_back(value);
    }
  return tried;
}
} // namespace

TEST(Search, FromOneValueItDoublesOrHalvesThenTakesTheGeometricMean) {
  Search search(2e-4, 0.01);
  const auto tried = try_all(search, 8.75e-5);
  EXPECT_EQ(std::vector<double>(tried.begin(), tried.begin() + 4),
            (std::vector<double>{2e-4, 1e-4, 5e-5, std::sqrt(5e-5 * 1e-4)}));
  const auto [low, high] = *search.bracket();
  EXPECT_TRUE(low < 8.75e-5 && 8.75e-5 < high);
  EXPECT_LE(high - low, 0.01 * high);
  Search upwards(1.0, 0.1);
  EXPECT_EQ(try_all(upwards, 6.0).at(3), 8.0);
}

TEST(Search, AnIntervalWorksInEitherDirectionAndAcrossZero) {
  for (const bool rises : {true, false}) {
    Search search(1.0, 100.0, 0.001);
    const auto tried = try_all(search, 7.0, rises);
    EXPECT_EQ(tried[2], 10.0);
    EXPECT_EQ(tried.size(), 15U); // both ends, then 2^13 > log(100)/0.001
    EXPECT_TRUE(search.bracket()->first <= 7.0 && 7.0 < search.bracket()->second);
  }
  Search search(-1.0, 3.0, 0.01);
  EXPECT_EQ(try_all(search, -0.3)[2], 1.0);
  EXPECT_TRUE(search.bracket()->first <= -0.3 && -0.3 < search.bracket()->second);
}

TEST(Search, SeveralAtOnceShareTheBracket) {
  Search one(1.0, 100.0, 0.001), three(1.0, 100.0, 0.001);
  const auto single = try_all(one, 7.0), triple = try_all(three, 7.0, true, 3);
  EXPECT_GE(triple.size(), single.size()); // but in fewer rounds: a factor of 4 in each
  EXPECT_LE(triple.size(), 2 + 3 * ((single.size() - 2 + 1) / 2 + 1));
  const auto [low, high] = *three.bracket();
  EXPECT_TRUE(low <= 7.0 && 7.0 < high);
  EXPECT_LE(high - low, 0.001 * high);
}

TEST(Search, AConditionThatDoesNotChangeInTheIntervalIsRejected) {
  Search search(1.0, 2.0, 0.01);
  EXPECT_THROW(try_all(search, 5.0), BadInput);
  EXPECT_THROW(Search(2.0, 1.0, 0.01), BadInput);
}

TEST(Condition, ReadsThreeComparisons) {
  const rhumb::dae::Figures figures{{"fate", std::string("ignited")},
                                    {"T", 1200.0},
                                    {"none", std::nan("")},
                                    {"later", std::string("open")},
                                    {"list", std::vector<double>{1.0}}};
  EXPECT_EQ(Condition::parse("fate=ignited").holds(figures), true);
  EXPECT_EQ(Condition::parse("fate=died").holds(figures), false);
  EXPECT_EQ(Condition::parse("T>1000").holds(figures), true);
  EXPECT_EQ(Condition::parse("T<1e3").holds(figures), false);
  EXPECT_EQ(Condition::parse("T=1200").holds(figures), true);
  EXPECT_EQ(Condition::parse("none>1").holds(figures), std::nullopt);
  EXPECT_EQ(Condition::parse("later=ignited").holds(figures), std::nullopt);
  for (const char* bad : {"T", "T>", ">3", "T>hot"}) EXPECT_THROW(Condition::parse(bad), BadInput) << bad;
  for (const char* bad : {"Tmax>1", "fate>1", "list>1", "T=hot"})
    EXPECT_THROW(Condition::parse(bad).holds(figures), BadInput) << bad;
}

TEST(Condition, AFigureThatIsNotThereIsNamedWithTheNearest) {
  try {
    Condition::parse("T_mx>1").holds({{"T_max", 1.0}});
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean T_max?"), std::string::npos);
  }
}
