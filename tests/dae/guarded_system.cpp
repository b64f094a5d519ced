/// A failure on one rank is a failure on all, at the next reduction and nowhere else.

#include <rhumb/dae/guarded_system.hpp>

#include "two_fields.hpp"
#include <gtest/gtest.h>

using namespace rhumb;

namespace {

class FailureOnOneRank : public testing::Test {
protected:
  test::TwoFields system;
  dae::GuardedSystem guarded{system};
  core::VecHandle y = system.create_vector(), ydot = core::same_layout(y), out = core::same_layout(y);
  int last = test::all_ranks() - 1;

  void SetUp() override { system.initial_values(0.0, y, ydot); }
  template <class Exception>
  void fail_with(Exception exception) {
    system.fault = [this, exception] {
      if (test::rank() == last) throw exception;
    };
    guarded.residual(0.0, y, ydot, out);
    system.fault = nullptr;
  }
  std::array<double, 2> reduced() {
    std::array<double, 2> sums{1.0, 2.0};
    guarded.reduce(sums);
    return sums;
  }
};

} // namespace

TEST_F(FailureOnOneRank, WithoutOneSumsAreSums) {
  const double ranks = test::all_ranks();
  EXPECT_EQ(reduced(), (std::array{ranks, 2.0 * ranks}));
  EXPECT_EQ(guarded.counts.reductions, 1);
}

TEST_F(FailureOnOneRank, RecoverableMakesEverySumNaNOnAllRanks) {
  fail_with(core::Recoverable("too cold"));
  for (const double sum : reduced()) EXPECT_TRUE(std::isnan(sum));
  EXPECT_EQ(reduced()[0], test::all_ranks()) << "and then it is over";
}

TEST_F(FailureOnOneRank, RecoverableFillsTheResidualThere) {
  fail_with(core::Recoverable("too cold"));
  const core::Readable values(out);
  for (const double v : values) EXPECT_EQ(std::isnan(v), test::rank() == last);
  reduced();
}

TEST_F(FailureOnOneRank, AllRanksCanReadTheComplaint) {
  EXPECT_EQ(guarded.last_complaint(), "");
  fail_with(core::Recoverable("too cold"));
  EXPECT_EQ(guarded.last_complaint(), "too cold");
  reduced();
}

TEST_F(FailureOnOneRank, ANaNInTheResidualReachesAllRanksThroughTheSum) {
  system.fault = nullptr;
  guarded.residual(0.0, y, ydot, out);
  std::array<double, 1> sum{test::rank() == last ? std::nan("") : 1.0};
  guarded.reduce(sum);
  EXPECT_TRUE(std::isnan(sum[0]));
  EXPECT_EQ(guarded.counts.residual, 1);
}

TEST_F(FailureOnOneRank, AFatalOneIsThrownWhereItHappenedAndNamedElsewhere) {
  fail_with(std::logic_error("a mistake"));
  try {
    reduced();
    ADD_FAILURE() << "nothing was thrown on rank " << test::rank();
  } catch (const core::FailedElsewhere&) {
    EXPECT_NE(test::rank(), last);
  } catch (const std::logic_error& error) {
    EXPECT_EQ(test::rank(), last);
    EXPECT_STREQ(error.what(), "a mistake");
  }
  EXPECT_EQ(reduced()[0], test::all_ranks()) << "and then it is over";
}

TEST_F(FailureOnOneRank, AFatalOneWinsOverARecoverableOne) {
  fail_with(core::Recoverable("too cold"));
  fail_with(std::logic_error("a mistake"));
  EXPECT_THROW(reduced(), std::exception);
}

TEST_F(FailureOnOneRank, TheFirstFatalOneIsTheOneThatIsThrown) {
  fail_with(std::logic_error("the first"));
  fail_with(std::logic_error("the second"));
  try {
    reduced();
    ADD_FAILURE();
  } catch (const core::FailedElsewhere&) {
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "the first");
  }
}

TEST_F(FailureOnOneRank, NothingLocalIsLostWhenAllIsWell) {
  if (test::rank() == last) guarded.fail_here();
  EXPECT_FALSE(guarded.all_well());
  EXPECT_TRUE(guarded.all_well());
}
