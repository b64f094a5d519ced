#include "samples.hpp"
#include "scratch_folder.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <rhumb/io/hdf5.hpp>
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace rhumb;
using samples::ScratchFolder;

const io::SeriesInfo about{"rhumb-test", "1.2.3", {{"n", "40,30"}}};

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

/// What a run wants to keep of its steps.
const std::vector<double> record{0.25, -0.0, 1.0 / 3.0, 7.0};

/// Doubles that careless storage changes.
const std::vector<std::pair<std::string, double>> awkward{
    {"zeta", -0.0},
    {"third", 1.0 / 3.0},
    {"alpha", std::numeric_limits<double>::denorm_min()},
    {"infinite", std::numeric_limits<double>::infinity()},
    {"none", std::bit_cast<double>(std::uint64_t{0x7ff8000000012345})},
};

class CheckpointTest : public testing::Test {
protected:
  CheckpointTest() : folder_(world()), problem_(world(), 40, 30) {
    identity_ = io::identity_of("rhumb-test", problem_);
  }

  io::CheckpointStore store(const io::Path& continued_from = {}) {
    return {world(), folder_.path(), identity_, io::natural_indices_of(problem_), continued_from};
  }

  /// A vector whose entries say where they stand in the natural order, plus `offset`.
  core::VecHandle numbered(const samples::Box& problem, double offset) const {
    core::VecHandle vector = problem.create_vector();
    const auto indices = problem.natural_indices();
    const core::Writable values(vector);
    for (std::size_t i = 0; i < indices.size(); ++i) values[i] = static_cast<double>(indices[i]) / 3.0 + offset;
    return vector;
  }

  io::Path write(io::CheckpointStore& into, long step) {
    const core::VecHandle y = numbered(problem_, 0.0), phi = numbered(problem_, static_cast<double>(step));
    return into.write({.t = 0.1 * static_cast<double>(step),
                       .step = step,
                       .scalars = awkward,
                       .vectors = {{"y", y}, {"phi", phi}},
                       .system_state = {1.5, -2.5},
                       .record = record},
                      about);
  }

  io::Restart read(MPI_Comm comm, samples::Box& problem) const {
    return io::read_checkpoint(comm, folder_.path(), io::identity_of("rhumb-test", problem), problem.natural_indices(),
                               [&] { return problem.create_vector(); });
  }

  void expect_vectors(const io::Restart& restart, const samples::Box& problem, long step) const {
    ASSERT_EQ(restart.vectors.size(), 2U);
    EXPECT_EQ(restart.vectors[0].first, "y");
    EXPECT_EQ(restart.vectors[1].first, "phi");
    const core::VecHandle expected = numbered(problem, static_cast<double>(step));
    const core::Readable a(restart.vectors[1].second), b(expected);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(bits(a[i]), bits(b[i]));
  }

  ScratchFolder folder_;
  samples::Box problem_;
  io::Identity identity_;
};

TEST_F(CheckpointTest, ComesBackBitByBit) {
  auto keeper = store();
  const io::Path file = write(keeper, 12);
  const io::Restart restart = read(world(), problem_);
  EXPECT_EQ(restart.file, file);
  EXPECT_EQ(restart.step, 12);
  EXPECT_EQ(bits(restart.t), bits(0.1 * 12.0));
  EXPECT_EQ(restart.ranks, core::size_of(world()));
  ASSERT_EQ(restart.scalars.size(), awkward.size());
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    EXPECT_EQ(restart.scalars[i].first, awkward[i].first);
    EXPECT_EQ(bits(restart.scalars[i].second), bits(awkward[i].second));
  }
  EXPECT_EQ(restart.system_state, (std::vector<double>{1.5, -2.5}));
  EXPECT_EQ(restart.record, record);
  expect_vectors(restart, problem_, 12);
}

TEST_F(CheckpointTest, OfManyRanksIsReadByOne) {
  auto keeper = store();
  write(keeper, 3);
  if (core::rank_of(world()) != 0) return;
  samples::Box alone(MPI_COMM_SELF, 40, 30);
  expect_vectors(read(MPI_COMM_SELF, alone), alone, 3);
}

TEST_F(CheckpointTest, OfOneRankIsReadByMany) {
  if (core::rank_of(world()) == 0) {
    samples::Box alone(MPI_COMM_SELF, 40, 30);
    io::CheckpointStore keeper(MPI_COMM_SELF, folder_.path(), identity_, alone.natural_indices());
    const core::VecHandle y = numbered(alone, 0.0), phi = numbered(alone, 5.0);
    keeper.write({.t = 0.5, .step = 5, .scalars = {}, .vectors = {{"y", y}, {"phi", phi}}, .system_state = {}}, about);
  }
  MPI_Barrier(world());
  expect_vectors(read(world(), problem_), problem_, 5);
}

TEST_F(CheckpointTest, NewestTwoAreKept) {
  auto keeper = store();
  for (const long step : {1, 5, 9, 11}) write(keeper, step);
  MPI_Barrier(world());
  std::vector<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(folder_ / "checkpoints")) {
    names.push_back(item.path().filename().string());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"000000009.h5", "000000011.h5"}));
  EXPECT_EQ(read(world(), problem_).step, 11);
}

TEST_F(CheckpointTest, OfAnEarlierRunGoesWhenAFreshRunHasItsFirst) {
  auto earlier = store();
  for (const long step : {80, 90}) write(earlier, step);
  auto fresh = store();
  EXPECT_EQ(read(world(), problem_).step, 90);
  write(fresh, 10);
  EXPECT_EQ(read(world(), problem_).step, 10);
}

TEST_F(CheckpointTest, ThatARunStartedFromIsKeptAsOneOfTwo) {
  auto earlier = store();
  for (const long step : {80, 90}) write(earlier, step);
  auto continued = store(folder_ / "checkpoints/000000080.h5");
  write(continued, 100);
  MPI_Barrier(world());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "checkpoints/000000080.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoints/000000090.h5"));
  write(continued, 110);
  MPI_Barrier(world());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoints/000000080.h5"));
}

TEST_F(CheckpointTest, ThatIsDamagedIsPassedOverForTheOlderAndNamed) {
  auto keeper = store();
  const io::Path older = write(keeper, 1), newer = write(keeper, 2);
  if (core::rank_of(world()) == 0) {
    std::string bytes = samples::bytes_of(newer);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
    samples::write_bytes(newer, bytes);
  }
  MPI_Barrier(world());
  const io::Restart restart = read(world(), problem_);
  EXPECT_EQ(restart.file, older);
  ASSERT_EQ(restart.remarks.size(), 2U);
  EXPECT_NE(restart.remarks[0].find("refused: '" + newer.string()), std::string::npos) << restart.remarks[0];
  EXPECT_NE(restart.remarks[0].find("checksum"), std::string::npos) << restart.remarks[0];
  EXPECT_NE(restart.remarks[1].find("taken: '" + older.string()), std::string::npos) << restart.remarks[1];
}

/// What BadInput says when a checkpoint is read by a run of another identity.
std::string refusal(const ScratchFolder& folder, const samples::Box& problem, const io::Identity& identity) {
  try {
    io::read_checkpoint(world(), folder.path(), identity, problem.natural_indices(),
                        [&] { return problem.create_vector(); });
  } catch (const core::BadInput& e) {
    return e.what();
  }
  return "not refused";
}

TEST_F(CheckpointTest, OfAnotherProblemProgramOrGridIsRefusedWithTheReason) {
  auto keeper = store();
  write(keeper, 1);
  auto other = identity_;
  other.problem = "sphere";
  EXPECT_NE(refusal(folder_, problem_, other).find("its problem is 'box', this run's is 'sphere'"), std::string::npos);
  other = identity_;
  other.grid = "box 41 x 30";
  EXPECT_NE(refusal(folder_, problem_, other).find("its grid is 'box 40 x 30'"), std::string::npos);
  other = identity_;
  other.app = "rhumb-other";
  EXPECT_NE(refusal(folder_, problem_, other).find("its program is 'rhumb-test'"), std::string::npos);
  other = identity_;
  other.unknowns += 1;
  EXPECT_NE(refusal(folder_, problem_, other).find("its number of unknowns is '2542'"), std::string::npos);
}

TEST_F(CheckpointTest, ThatIsMissingIsAFailureThatNamesThePlace) {
  for (const char* place : {"checkpoints", "nowhere"}) {
    try {
      io::read_checkpoint(world(), folder_ / place, identity_, problem_.natural_indices(),
                          [&] { return problem_.create_vector(); });
      FAIL();
    } catch (const core::InputOutput& e) {
      EXPECT_NE(std::string(e.what()).find(place), std::string::npos) << e.what();
    }
  }
}

TEST_F(CheckpointTest, NumberThatIsMissingIsNamed) {
  auto keeper = store();
  write(keeper, 1);
  const io::Restart restart = read(world(), problem_);
  EXPECT_EQ(restart.scalar("third"), 1.0 / 3.0);
  EXPECT_THROW(restart.scalar("fourth"), core::BadInput);
}

} // namespace
