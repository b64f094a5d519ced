/// Case files that something has bitten: thousands of small damages, each refused with the file's name or read as it
/// is.

#include "in_process.hpp"
#include <algorithm>
#include <random>

using namespace rhumb;

namespace {

constexpr int mutations = 2000;

const std::string whole = R"(# a case
unknowns: 8
fault: none
t_end: 0.75
out_times: [0, 0.25, 0.5]
dae:
  rtol: 1e-5
  atol: 1.0e-7
  max_order: 4
  error_test: standard
  ksp: {type: gmres, max_it: 20}
  pc_type: bjacobi
quiet: true
)";

/// One damage: a bit, a lost or doubled or foreign piece, a cut.
std::string damaged(std::mt19937& random) {
  std::string text = whole;
  const auto any = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  const std::size_t at = any(text.size());
  const std::size_t length = std::min(1 + any(12), text.size() - at);
  switch (any(5)) {
  case 0:
    text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << any(8)));
    break;
  case 1:
    text.erase(at, length);
    break;
  case 2:
    text.insert(at, text.substr(at, length));
    break;
  case 3:
    for (std::size_t i = 0; i < length; ++i) text.insert(at, 1, static_cast<char>(any(256)));
    break;
  default:
    text.resize(at);
  }
  return text;
}

class CaseFiles : public testing::Test {
protected:
  void SetUp() override {
    if (rank() == 0) std::filesystem::create_directories(folder_);
    core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  }
  void TearDown() override {
    core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
    if (rank() == 0) std::filesystem::remove_all(folder_);
  }
  static int rank() {
    int rank = 0;
    core::check_mpi(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    return rank;
  }
  test::Left check(const std::string& text) const {
    if (rank() == 0) std::ofstream(file_, std::ios::binary) << text;
    return test::run_with({file_, "-check"});
  }
  const std::string folder_ = test::folder() + "_cases";
  const std::string file_ = folder_ + "/case.yaml";
};

TEST_F(CaseFiles, TheUndamagedOneIsGood) {
  EXPECT_EQ(check(whole).code, core::ExitCode::done);
}

TEST_F(CaseFiles, ADamagedOneIsRefusedByNameOrReadAsItIs) {
  std::mt19937 random(7); // the same on all ranks
  int rejected = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::string text = damaged(random);
    SCOPED_TRACE(fmt::format("mutation {}:\n{}", i, text));
    const test::Left left = check(text);
    if (left.code == core::ExitCode::done) continue;
    ++rejected;
    ASSERT_EQ(left.code, core::ExitCode::bad_input) << left.errors;
    const bool named = left.errors.find(file_) != std::string::npos;
    ASSERT_TRUE(named || rank() != 0) << left.errors;
  }
  EXPECT_GT(rejected, mutations / 4); // the damage was real
}

} // namespace
