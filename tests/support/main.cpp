/// The main of tests that run on several ranks: GoogleTest inside a Session. Rank 0 prints as usual, the others print
/// their failures with their rank; the exit code is the worst of all ranks, so that no rank's failure is lost.

#include <rhumb/core/check.hpp>
#include <rhumb/core/session.hpp>
#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <mpi.h>

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override { test_ = &test; }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s.%s\n%s:%d\n%s\n", rank_, test_ ? test_->test_suite_name() : "",
                 test_ ? test_->name() : "", result.file_name() ? result.file_name() : "", result.line_number(),
                 result.message());
  }

private:
  int rank_;
  const testing::TestInfo* test_ = nullptr;
};

int worst_of_all_ranks(int code) {
  int worst = 0;
  rhumb::core::check_mpi(MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  return worst;
}

} // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rhumb::core::Session session(argc, argv);
  int rank = 0;
  rhumb::core::check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(std::make_unique<FailuresOnly>(rank).release());
  }
  return worst_of_all_ranks(RUN_ALL_TESTS());
}
