#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
const auto world = [] { return MPI_COMM_WORLD; };

std::string message_when_last_rank_throws(auto exception) {
  try {
    core::run_and_agree(world(), [&] {
      if (core::rank_of(world()) == core::size_of(world()) - 1) throw exception;
    });
  } catch (const decltype(exception)& e) {
    return e.what();
  }
  return "nothing thrown";
}

TEST(Agreement, AFailureOfOneRankIsThrownWithItsMessageOnAllRanks) {
  EXPECT_EQ(message_when_last_rank_throws(core::InputOutput("disk of the last rank")), "disk of the last rank");
  EXPECT_EQ(message_when_last_rank_throws(core::BadInput("bad word")), "bad word");
  EXPECT_EQ(message_when_last_rank_throws(std::runtime_error("a bug")), "a bug");
}

TEST(Agreement, TheLowestFailingRankIsHeard) {
  try {
    core::run_and_agree(world(), [] { throw core::InputOutput("rank " + std::to_string(core::rank_of(world()))); });
    FAIL();
  } catch (const core::InputOutput& e) {
    EXPECT_STREQ(e.what(), "rank 0");
  }
}

TEST(Agreement, OnlyTheFirstRankWorksInOnFirst) {
  int calls = 0;
  core::run_on_root(world(), [&] { ++calls; });
  EXPECT_EQ(calls, core::rank_of(world()) == 0 ? 1 : 0);
}

TEST(Agreement, TextOfTheFirstRankReachesAll) {
  EXPECT_EQ(core::broadcast(world(), core::rank_of(world()) == 0 ? "word" : "another"), "word");
}

} // namespace
