/// A residual that fails at its N-th call, for every N up to 60, on one rank only. Whole runs, many to a process.

#include "core/check.hpp"
#include "faulty_decay.hpp"
#include "run/program.hpp"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

using namespace rhumb;

namespace {

constexpr int most_calls = 60;
/// Largest error of a state that is called good; the run without faults has 2e-6.
constexpr double good_error = 2e-5;

/// In memory where there is such a place: some hundred runs need not wait for a disk.
std::string folder() {
  const char* memory = "/dev/shm";
  const std::string base =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path().string();
  int process = static_cast<int>(getpid());
  core::check_mpi(MPI_Bcast(&process, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  return fmt::format("{}/rhumb_faults_{}", base, process);
}

/// What a run left behind. The same on all ranks.
struct Left {
  core::ExitCode code;
  std::string json;
  double number(const std::string& key) const {
    const auto at = json.find("\"" + key + "\": ");
    return at == std::string::npos ? NAN : std::strtod(json.c_str() + at + key.size() + 4, nullptr);
  }
  bool says(const std::string& text) const { return json.find(text) != std::string::npos; }
};

/// Runs the program inside this process's session, as main would.
Left run_with(std::vector<std::string> words) {
  words.insert(words.begin(), {"faulty", "-quiet", "-out", folder()});
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  run::CommandLine line(static_cast<int>(pointers.size()), pointers.data());
  core::check(PetscOptionsClear(nullptr));
  core::check(PetscOptionsInsertArgs(nullptr, line.argc() - 1, line.argv() + 1));
  std::filesystem::remove(folder() + "/run.json");
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  const run::Make make = [](core::Options& options) { return std::make_unique<test::FaultyDecay>(options); };
  testing::internal::CaptureStderr();
  const core::ExitCode code = run::Program(line, make, run::Loop::Clock::now()).execute();
  testing::internal::GetCapturedStderr();
  std::ifstream file(folder() + "/run.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  return {code, json};
}

class ResidualFaults : public testing::Test {
protected:
  void SetUp() override { core::check_mpi(MPI_Comm_size(PETSC_COMM_WORLD, &size_)); }
  void TearDown() override {
    core::check(PetscOptionsClear(nullptr));
    core::check(PetscOptionsSetValue(nullptr, "-options_left", "no"));
    core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
    std::filesystem::remove_all(folder());
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
