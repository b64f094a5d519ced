/// A residual that fails at its N-th call, for every N up to 60, on one rank only. Whole runs, many to a process.

#include "in_process.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace rhumb;
using test::folder;
using test::Left;
using test::run_with;

namespace {

constexpr int most_calls = 60;
/// Largest error of a state that is called good; the run without faults has 2e-6.
constexpr double good_error = 2e-5;

class ResidualFaults : public testing::Test {
protected:
  void SetUp() override { core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &size_)); }
  void TearDown() override {
    core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
    int rank = 0;
    core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    const std::string used = folder(); // all ranks take part in this call
    if (rank == 0) std::filesystem::remove_all(used);
    core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  }
  static void expect_same_on_all_ranks(core::ExitCode code) {
    int range[2] = {static_cast<int>(code), -static_cast<int>(code)};
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
    EXPECT_EQ(range[0], -range[1]);
  }
  /// The last good state is in run.json, and it is good.
  static void expect_good_state(const Left& left) {
    EXPECT_LT(left.number("error"), good_error);
    EXPECT_TRUE(left.says("\"state\": {\n    \"y\": ["));
    EXPECT_FALSE(left.says("null,")) << left.json;
  }
  static void expect_recovered_or_given_up(const Left& left) {
    if (left.code == core::ExitCode::done) {
      EXPECT_TRUE(left.says("\"reason\": \"done\""));
      EXPECT_EQ(left.number("t"), 1.0);
      EXPECT_LT(left.number("watched_error"), good_error);
    } else {
      EXPECT_EQ(left.code, core::ExitCode::solver_gave_up);
      EXPECT_TRUE(left.says("\"reason\": \"solver_gave_up\""));
      EXPECT_LT(left.number("t"), 1.0);
    }
    expect_good_state(left);
  }
  /// One fault of this kind at each call, in turn on each rank.
  template <class Expect>
  void at_every_call(const std::string& kind, const std::string& calls, const Expect& expect) {
    for (int call = 1; call <= most_calls; ++call) {
      SCOPED_TRACE(fmt::format("{} at call {} on rank {}", kind, call, call % size_));
      const Left left = run_with({"-fault", kind, "-fault_call", std::to_string(call), "-fault_calls", calls,
                                  "-fault_rank", std::to_string(call % size_)});
      expect_same_on_all_ranks(left.code);
      expect(left);
    }
  }
  int size_ = 1;
};

TEST_F(ResidualFaults, WithoutAFaultTheRunIsLongEnoughToMeetAllOfThem) {
  const Left left = run_with({});
  EXPECT_EQ(left.code, core::ExitCode::done);
  EXPECT_GT(left.number("calls"), most_calls);
  EXPECT_LT(left.number("error"), good_error / 5);
}

TEST_F(ResidualFaults, ASingleNanIsSurvivedOrReported) {
  at_every_call("nan", "1", expect_recovered_or_given_up);
}

TEST_F(ResidualFaults, ASingleRecoverableIsSurvivedOrReported) {
  at_every_call("recoverable", "1", expect_recovered_or_given_up);
}

TEST_F(ResidualFaults, NansThatStayEndWithTheLastGoodState) {
  at_every_call("nan", "1000000", [](const Left& left) {
    EXPECT_EQ(left.code, core::ExitCode::solver_gave_up);
    EXPECT_TRUE(left.says("\"reason\": \"solver_gave_up\""));
    expect_good_state(left);
  });
}

TEST_F(ResidualFaults, AnotherExceptionIsABugWithItsMessage) {
  at_every_call("logic_error", "1", [](const Left& left) {
    EXPECT_EQ(left.code, core::ExitCode::bug);
    EXPECT_TRUE(left.says("the residual is wrong")) << left.json;
    EXPECT_TRUE(left.says("\"reason\": \"bug\""));
    expect_good_state(left);
  });
}

TEST_F(ResidualFaults, AnExceptionThatIsNoStandardOneIsABugToo) {
  const Left left = run_with({"-fault", "number", "-fault_call", "20", "-fault_rank", std::to_string(size_ - 1)});
  EXPECT_EQ(left.code, core::ExitCode::bug);
  expect_same_on_all_ranks(left.code);
}

TEST_F(ResidualFaults, FaultsOutsideTheResidualEndAllRanks) {
  for (const char* place : {"constructor", "after_step", "report", "watch"}) {
    SCOPED_TRACE(place);
    const Left left = run_with({"-fault_place", place, "-fault_rank", std::to_string(size_ - 1)});
    EXPECT_EQ(left.code, core::ExitCode::bug);
    expect_same_on_all_ranks(left.code);
    if (place == std::string("constructor")) continue; // nothing to sum up
    EXPECT_TRUE(left.says(fmt::format("wrong in {}", place))) << left.json;
  }
}

} // namespace

TEST(OutputTimes, SeeTheSystemAsItWasBeforeAnEventOfTheSameStep) {
  // watch() is called for t = 0.5, in the step that holds the event as well.
  for (const auto& [at, watched] : {std::pair("0.5000001", 0.0), std::pair("0.4999999", 1.0), std::pair("0.5", 1.0)}) {
    const Left left = run_with({"-switch_time", at});
    EXPECT_EQ(left.code, core::ExitCode::done);
    EXPECT_EQ(left.number("switch"), 1.0) << "happened once";
    EXPECT_EQ(left.number("switched"), 1.0);
    EXPECT_EQ(left.number("watched_switched"), watched) << at;
  }
}

TEST(OutputTimes, AnEventBeyondTheEndDoesNotHappen) {
  const Left left = run_with({"-switch_time", "1.0000001"});
  EXPECT_EQ(left.code, core::ExitCode::done);
  EXPECT_EQ(left.number("switched"), 0.0);
}
