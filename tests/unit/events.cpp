#include <rhumb/bdf/events.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace rhumb;
using bdf::Events;
using bdf::illinois;
using Direction = dae::Event::Direction;

namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

/// Counts its calls.
struct Counted {
  std::function<double(double)> f;
  int calls = 0;
  double root(double a, double b) {
    return illinois(a, f(a), b, f(b), [&](double t) {
      ++calls;
      return f(t);
    });
  }
};

/// Events over steps of a given length, as an integrator would ask: every root of every step in order.
std::vector<bdf::Root> roots_of(Events& events, const bdf::RootFunctions& g, double begin, double end, double step) {
  std::vector<bdf::Root> roots;
  events.begin(begin, g);
  for (double from = begin; from < end - 1e-12;) {
    const double to = from + step;
    for (double t = from; t < to;) {
      const auto root = events.next(t, to, g);
      if (!root) break;
      events.pass(*root);
      roots.push_back(*root);
      t = root->t;
    }
    from = to;
  }
  return roots;
}

std::vector<dae::Event> several(std::size_t count, Direction direction = Direction::any) {
  return std::vector<dae::Event>(count, {"e", direction});
}

} // namespace

TEST(Illinois, FindsARootToRounding) {
  Counted cosine{[](double t) { return std::cos(t); }};
  EXPECT_NEAR(cosine.root(1.0, 2.0), std::acos(0.0), 8 * unit);
  EXPECT_LT(cosine.calls, 12);
  Counted falling{[](double t) { return std::exp(t) - 2.0; }};
  EXPECT_NEAR(falling.root(2.0, 0.0), std::log(2.0), 8 * unit) << "also backwards";
}

TEST(Illinois, IsNotHeldUpByAFlatEnd) {
  // False position alone would need thousands of calls: the end that stays loses weight instead, on either side.
  Counted flat_left{[](double t) { return std::pow(t, 9) - 1e-3; }};
  EXPECT_NEAR(flat_left.root(0.0, 1.0), std::pow(1e-3, 1.0 / 9), 1e-14);
  EXPECT_LT(flat_left.calls, 40);
  Counted flat_right{[](double t) { return 1e-3 - std::pow(1.0 - t, 9); }};
  EXPECT_NEAR(flat_right.root(0.0, 1.0), 1.0 - std::pow(1e-3, 1.0 / 9), 1e-14);
  EXPECT_LT(flat_right.calls, 40);
}

TEST(Illinois, TheEndThatStaysLosesHalfItsWeight) {
  // Values are made up: +1 on the right, and on the left -1 at first, so that the places asked for are known.
  std::vector<double> asked;
  illinois(0.0, -1.0, 1.0, 1.0, [&](double t) {
    asked.push_back(t);
    return asked.size() >= 4 ? 0.0 : 1.0;
  });
  ASSERT_EQ(asked.size(), 4u);
  EXPECT_DOUBLE_EQ(asked[0], 0.5);
  EXPECT_DOUBLE_EQ(asked[1], 0.25);               // fa = -1, fb = 1; from now on fa = -1/2
  EXPECT_DOUBLE_EQ(asked[2], 0.25 * (0.5 / 1.5)); // a part 1/3 of the way; now fa = -1/4
  EXPECT_DOUBLE_EQ(asked[3], asked[2] * 0.25 / 1.25);
  asked.clear();
  illinois(0.0, -1.0, 1.0, 1.0, [&](double t) {
    asked.push_back(t);
    return asked.size() >= 4 ? 0.0 : -1.0;
  });
  ASSERT_EQ(asked.size(), 4u);
  EXPECT_DOUBLE_EQ(asked[1], 0.75);
  EXPECT_DOUBLE_EQ(asked[2], 0.75 + 0.25 * (1.0 / 1.5));
}

TEST(Illinois, ExactZerosAreTaken) {
  const auto never = [](double) -> double { throw std::logic_error("asked"); };
  EXPECT_EQ(illinois(1.0, 0.0, 2.0, 1.0, never), 1.0);
  EXPECT_EQ(illinois(1.0, -1.0, 2.0, 0.0, never), 2.0);
  EXPECT_EQ(illinois(0.0, -1.0, 1.0, 1.0, [](double) { return 0.0; }), 0.5);
}

TEST(Illinois, BisectsWhereTheSecantLeavesTheInterval) {
  // The secant's place rounds to the end itself.
  std::vector<double> asked;
  illinois(1.0, -1e-300, 2.0, 1e300, [&](double t) {
    asked.push_back(t);
    return t < 1.7 ? -1e-300 : 1e300;
  });
  EXPECT_EQ(asked.front(), 1.5);
  EXPECT_LT(asked.size(), 70u);
}

TEST(Illinois, StopsAtFourRoundings) {
  int calls = 0;
  const auto count = [&](double t) {
    ++calls;
    return t < 1.5 ? -1.0 : 1.0;
  };
  EXPECT_EQ(illinois(1.0, -1.0, 1.0 + 4 * unit, 1.0, count), 1.0 + 4 * unit);
  EXPECT_EQ(calls, 0);
  illinois(1.9375 - 8 * unit, -1.0, 1.9375, 1.0, count); // 4 * 1.9375 < 8
  EXPECT_GT(calls, 0);
}

TEST(Illinois, GivesUpAfterAHundredCalls) {
  int calls = 0;
  const double root = illinois(1.0, 1.0, 0.0, -1e-200, [&](double t) {
    ++calls;
    return t < 0.5 ? -1e-200 : 1.0;
  });
  EXPECT_EQ(calls, 100);
  EXPECT_LT(root, 0.5) << "the end where the sign has changed";
}

TEST(EventsOfAStep, ThreeFunctionsComeInOrderOfTime) {
  Events events(several(3));
  const auto roots = roots_of(
      events,
      [](double t, std::span<double> g) {
        g[0] = t - 0.7;
        g[1] = 0.2 - t;
        g[2] = t - 0.5;
      },
      0.0, 1.0, 1.0);
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_EQ(roots[0].which, std::vector<int>{1});
  EXPECT_EQ(roots[1].which, std::vector<int>{2});
  EXPECT_EQ(roots[2].which, std::vector<int>{0});
  EXPECT_NEAR(roots[0].t, 0.2, 4 * unit);
  EXPECT_NEAR(roots[1].t, 0.5, 4 * unit);
  EXPECT_NEAR(roots[2].t, 0.7, 4 * unit);
}

TEST(EventsOfAStep, TheSearchBeginsWithTheValueAtTheStart) {
  Events events(several(1));
  int calls = 0;
  const bdf::RootFunctions line = [&](double t, std::span<double> g) {
    ++calls;
    g[0] = t - 0.3;
  };
  events.begin(0.0, line);
  calls = 0;
  ASSERT_NEAR(events.next(0.0, 1.0, line).value().t, 0.3, unit);
  EXPECT_LE(calls, 5) << "both ends, one secant, the root again: a start near zero would need tens of calls";
}

TEST(EventsOfAStep, RootsAtTheSameTimeComeTogether) {
  Events events(several(2));
  const auto roots = roots_of(
      events,
      [](double t, std::span<double> g) {
        g[0] = t - 0.3;
        g[1] = 2.0 * (0.3 - t);
      },
      0.0, 1.0, 1.0);
  ASSERT_EQ(roots.size(), 1u);
  EXPECT_EQ(roots[0].which, (std::vector<int>{0, 1}));
}

TEST(EventsOfAStep, NeighbouringRootsAreNotMerged) {
  Events events(several(2));
  const auto roots = roots_of(
      events,
      [](double t, std::span<double> g) {
        g[0] = t - 0.3;
        g[1] = t - (0.3 + 1e-13);
      },
      0.0, 1.0, 1.0);
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_EQ(roots[0].which, std::vector<int>{0});
  EXPECT_EQ(roots[1].which, std::vector<int>{1});
}

/// Each root is known to four roundings of the step's end, which is 2 here, so two may be one at eight of them.
TEST(EventsOfAStep, RootsAreOneUpToEightRoundingsApart) {
  const auto together = [](double apart) {
    Events events({{"a"}, {"b"}});
    const bdf::RootFunctions g = [&](double t, std::span<double> values) {
      values[0] = t - 1.5;
      values[1] = t - (1.5 + apart * unit);
    };
    events.begin(1.0, g);
    return events.next(1.0, 2.0, g)->which.size() == 2;
  };
  EXPECT_TRUE(together(16.0));
  EXPECT_FALSE(together(17.0));
}

TEST(EventsOfAStep, ARootIsReportedOnceThoughRoundingLeavesItOnTheOldSide) {
  Events events(several(1));
  const auto roots = roots_of(
      events, [](double t, std::span<double> g) { g[0] = std::sin(20.0 * t + 0.3); }, 0.0, 2.0, 0.05);
  ASSERT_EQ(roots.size(), 12u); // 20 t + 0.3 = i pi, i = 1 .. 12
  for (std::size_t i = 0; i < roots.size(); ++i)
    EXPECT_NEAR(roots[i].t, (static_cast<double>(i + 1) * std::acos(-1.0) - 0.3) / 20.0, 1e-14);
}

TEST(EventsOfAStep, ARootAfterOneThatRoundingLeftOnTheOldSideIsFound) {
  Events events(several(1));
  const bdf::RootFunctions falls = [](double t, std::span<double> g) { g[0] = 0.5 - t; };
  events.begin(0.0, falls);
  const auto before = events.next(0.0, 1.0, falls);
  ASSERT_TRUE(before);
  events.pass(*before);
  // Below zero from 0.5 on, but for rounding there; up again at 1.25.
  const auto root = events.next(0.5, 2.0, [](double t, std::span<double> g) { g[0] = t == 0.5 ? 1e-18 : t - 1.25; });
  ASSERT_TRUE(root);
  EXPECT_NEAR(root->t, 1.25, 1e-14);
}

TEST(EventsOfAStep, ARootAtTheStartRaisesNothing) {
  Events events(several(1));
  EXPECT_TRUE(roots_of(
                  events, [](double t, std::span<double> g) { g[0] = t; }, 0.0, 1.0, 0.1)
                  .empty());
  // Once it has left 0 it counts again.
  const auto later = roots_of(
      events, [](double t, std::span<double> g) { g[0] = t * (0.55 - t); }, 0.0, 1.0, 0.1);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_NEAR(later[0].t, 0.55, 4 * unit);
}

TEST(EventsOfAStep, AFunctionThatStaysAtZeroRaisesNothing) {
  Events events(several(2));
  const auto roots = roots_of(
      events,
      [](double t, std::span<double> g) {
        g[0] = 0.0;
        g[1] = t - 0.35;
      },
      0.0, 1.0, 0.1);
  ASSERT_EQ(roots.size(), 1u);
  EXPECT_EQ(roots[0].which, std::vector<int>{1});
}

TEST(EventsOfAStep, AFunctionThatLeavesZeroWhileAnotherHasARootCountsFromThere) {
  Events events(several(2));
  const bdf::RootFunctions g = [](double t, std::span<double> v) {
    v[0] = t - 0.05;
    v[1] = t; // 0 at the start only
  };
  events.begin(0.0, g);
  const auto root = events.next(0.0, 0.1, g);
  ASSERT_TRUE(root);
  EXPECT_EQ(events.signs(), (std::vector<int>{-1, 0})) << "until the root is passed";
  events.pass(*root);
  EXPECT_EQ(events.signs(), (std::vector<int>{1, 1}));
}

TEST(EventsOfAStep, OnlyTheWantedDirectionCounts) {
  for (const Direction direction : {Direction::rising, Direction::falling, Direction::any}) {
    Events events(several(1, direction));
    const auto roots = roots_of(
        events, [](double t, std::span<double> g) { g[0] = -std::cos(t); }, 0.0, 8.0,
        0.1); // pi/2 up, 3pi/2 down, 5pi/2 up
    const std::size_t expected = direction == Direction::any ? 3 : direction == Direction::rising ? 2 : 1;
    ASSERT_EQ(roots.size(), expected);
    EXPECT_NEAR(roots[0].t, direction == Direction::falling ? 4.71238898038469 : 1.5707963267948966, 1e-13);
  }
}

TEST(EventsOfAStep, SignsCanBeKeptAndGivenBack) {
  Events events(several(2));
  EXPECT_TRUE(events.any());
  EXPECT_EQ(events.count(), 2u);
  events.begin(0.0, [](double, std::span<double> g) {
    g[0] = -3.0;
    g[1] = 2.0;
  });
  EXPECT_EQ(events.signs(), (std::vector<int>{-1, 1}));
  Events other(several(2));
  other.set_signs(events.signs());
  EXPECT_EQ(other.signs(), events.signs());
  EXPECT_FALSE(Events({}).any());
}

namespace {
/// The signs after a restart at t = 1, where two functions were handled of four, and the first step ends at 1.5. All
/// were positive before.
std::vector<int> signs_after_restart(std::array<double, 4> now, std::array<double, 4> soon, std::vector<int> before) {
  Events events({{"a"}, {"b"}, {"c"}, {"d"}});
  events.set_signs(std::move(before));
  const std::array<int, 2> handled{1, 3};
  events.begin_again(1.0, 1.5, handled, [&](double t, std::span<double> g) {
    EXPECT_TRUE(t == 1.0 || t == 1.5);
    std::ranges::copy(t == 1.0 ? now : soon, g.begin());
  });
  return events.signs();
}
} // namespace

TEST(EventsAfterARestart, AHandledFunctionNearZeroHasTheSignThatItIsAboutToTake) {
  EXPECT_EQ(signs_after_restart({5, -1e-16, 5, 1e-16}, {5, 0.25, 5, -0.25}, {1, -1, 1, -1}),
            (std::vector{1, 1, 1, -1}));
  EXPECT_EQ(signs_after_restart({5, 0, 5, 0}, {5, 0, 5, 0}, {1, -1, 1, 1}), (std::vector{1, 0, 1, 0}))
      << "one that stays at zero has not left it";
}

TEST(EventsAfterARestart, AFunctionThatIsAwayFromZeroHasItsOwnSign) {
  EXPECT_EQ(signs_after_restart({5, -5, -5, 5}, {6, -6, -4, 4}, {-1, 1, 1, -1}), (std::vector{1, -1, -1, 1}));
}

TEST(EventsAfterARestart, NearMeansThatTheFirstStepChangesItByAsMuch) {
  EXPECT_EQ(signs_after_restart({5, -1, 5, -1}, {5, 0, 5, -0.01}, {1, 1, 1, 1}), (std::vector{1, 1, 1, -1}));
}

TEST(EventsAfterARestart, AnotherFunctionNearZeroKeepsTheSignThatItHad) {
  EXPECT_EQ(signs_after_restart({-1e-16, 5, -1e-16, 5}, {-1, 5, -1, 5}, {1, 1, 0, 1}), (std::vector{1, 1, -1, 1}));
}
