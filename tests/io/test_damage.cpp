/// Damaged checkpoints: whatever happens to the bytes, the file is refused with its name, and nothing crashes or hangs.

#include "samples.hpp"
#include "scratch_folder.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint.hpp>
#include <gtest/gtest.h>
#include <random>

namespace {

using namespace rhumb;
using samples::ScratchFolder;

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

class DamageTest : public testing::Test {
protected:
  DamageTest() : folder_(world()), problem_(world()), identity_(io::identity_of("rhumb-test", problem_)) {
    io::CheckpointStore store(world(), folder_.path(), identity_, {});
    const core::VecHandle y = problem_.create_vector();
    file_ =
        store.write({.t = 0.5, .step = 1, .scalars = {{"h", 0.1}}, .vectors = {{"y", y}}, .system_state = {1.0}}, {});
    good_ = samples::bytes_of(file_);
    MPI_Barrier(world()); // before any rank spoils the file
  }

  io::Restart read() {
    return io::read_checkpoint(world(), folder_.path(), identity_, {}, [&] { return problem_.create_vector(); });
  }

  /// Puts `bytes` in the checkpoint's place and expects a refusal that names the file.
  void expect_rejected(const std::string& bytes, const std::string& damage) {
    if (core::rank_of(world()) == 0) samples::write_bytes(file_, bytes);
    MPI_Barrier(world());
    try {
      read();
      ADD_FAILURE() << "taken in spite of: " << damage;
    } catch (const core::InputOutput& e) {
      EXPECT_NE(std::string(e.what()).find(file_.filename().string()), std::string::npos) << e.what();
    }
    MPI_Barrier(world());
  }

  ScratchFolder folder_;
  samples::Plain problem_;
  io::Identity identity_;
  io::Path file_;
  std::string good_;
};

TEST_F(DamageTest, UndamagedFileIsTaken) {
  EXPECT_EQ(read().step, 1);
}

TEST_F(DamageTest, FlippedBitsAreRefused) {
  std::mt19937 random(1);
  for (int k = 0; k < 400; ++k) {
    // Most of a small file is the seal and HDF5's own structure: half of the flips go to the first bytes of each.
    const std::size_t range = k % 2 == 0 ? good_.size() : std::size_t{64};
    const std::size_t start = k % 4 == 1 ? 0 : k % 4 == 3 ? 4096 : 0;
    const std::size_t at = start + random() % std::min(range, good_.size() - start);
    std::string bytes = good_;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    expect_rejected(bytes, "a flipped bit in byte " + std::to_string(at));
  }
}

TEST_F(DamageTest, TruncatedFilesAreRefused) {
  std::mt19937 random(2);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{39}, std::size_t{40}, std::size_t{4096}, good_.size() - 1}) {
    expect_rejected(good_.substr(0, length), "a length of " + std::to_string(length));
  }
  for (int k = 0; k < 60; ++k) {
    const std::size_t length = random() % good_.size();
    expect_rejected(good_.substr(0, length), "a length of " + std::to_string(length));
  }
}

TEST_F(DamageTest, LongerShiftedAndBlankedFilesAreRefused) {
  std::mt19937 random(3);
  expect_rejected(good_ + "x", "a byte more");
  expect_rejected(good_ + good_, "twice the file");
  expect_rejected(std::string(good_.size(), '\0'), "zeros");
  for (int k = 0; k < 40; ++k) {
    std::string bytes = good_;
    const std::size_t at = random() % (bytes.size() - 64);
    bytes.replace(at, 64, std::string(64, '\xff'));
    expect_rejected(bytes, "64 bytes overwritten at " + std::to_string(at));
    bytes = good_;
    bytes.erase(random() % bytes.size(), 1);
    expect_rejected(bytes, "a byte lost");
  }
}

TEST_F(DamageTest, AFolderInPlaceOfTheFileIsRefused) {
  if (core::rank_of(world()) == 0) {
    std::filesystem::remove(file_);
    std::filesystem::create_directory(file_);
  }
  MPI_Barrier(world());
  EXPECT_THROW(read(), core::InputOutput);
}

} // namespace
