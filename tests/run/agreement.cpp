#include <rhumb/run/agreement.hpp>
#include <gtest/gtest.h>

using namespace rhumb;
using run::Agreement;
using run::Ended;
using run::StopRequest;

TEST(Agreement, APhaseThatGoesWellSaysNothing) {
  Agreement agreement(MPI_COMM_WORLD, "test");
  int ran = 0;
  agreement.phase([&] { ++ran; });
  EXPECT_EQ(ran, 1);
}

TEST(Agreement, AFailureOnAnyRankEndsAllWithItsCodeAndMessage) {
  Agreement agreement(MPI_COMM_WORLD, "test");
  for (int failing = 0; failing < agreement.size(); ++failing) {
    try {
      agreement.phase([&] {
        if (agreement.rank() == failing) throw core::BadInput("rank " + std::to_string(failing));
      });
      FAIL() << "rank " << failing << " failed unheard";
    } catch (const Ended& ended) {
      EXPECT_EQ(ended.code(), core::ExitCode::bad_input);
      EXPECT_EQ(ended.what(), "rank " + std::to_string(failing));
    }
  }
}

TEST(Agreement, ARankThatOnlyFollowsLeavesTheWordToTheOther) {
  Agreement agreement(MPI_COMM_WORLD, "test");
  const int last = agreement.size() - 1;
  try {
    agreement.phase([&] {
      if (agreement.rank() == last) throw core::SolverGaveUp("the cause");
      throw core::FailedElsewhere("another rank failed");
    });
    FAIL();
  } catch (const Ended& ended) {
    EXPECT_EQ(ended.code(), core::ExitCode::solver_gave_up);
    EXPECT_STREQ(ended.what(), "the cause");
  }
}

TEST(Agreement, ABugWinsOverEverythingElse) {
  Agreement agreement(MPI_COMM_WORLD, "test");
  try {
    agreement.phase([&] {
      if (agreement.rank() == 0) throw std::logic_error("a bug");
      throw core::InputOutput("a file");
    });
    FAIL();
  } catch (const Ended& ended) {
    EXPECT_EQ(ended.code(), core::ExitCode::bug);
    EXPECT_STREQ(ended.what(), "a bug");
  }
}

TEST(Agreement, WhatIsNoStandardExceptionIsABug) {
  Agreement agreement(MPI_COMM_WORLD, "test");
  try {
    agreement.phase([] { throw 7; });
    FAIL();
  } catch (const Ended& ended) {
    EXPECT_EQ(ended.code(), core::ExitCode::bug);
  }
}

TEST(Agreement, TheWishOfOneRankReachesAll) {
  Agreement agreement(MPI_COMM_WORLD, "test");
  const int last = agreement.size() - 1;
  const StopRequest all = agreement.phase([] {},
                                          [&] {
                                            return agreement.rank() == last ? StopRequest{15, 1} : StopRequest{};
                                          });
  EXPECT_EQ(all.signal, 15);
  EXPECT_EQ(all.over_wall_limit, 1);
}
