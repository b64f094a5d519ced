#include "scratch_folder.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/io/seal.hpp>
#include <rhumb/io/shared_file.hpp>
#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/resource.h>

namespace {

using namespace rhumb;
using samples::bytes_of;
using samples::ScratchFolder;

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

/// What InputOutput says; a test that expects one fails without it.
template <class Body>
std::string failure_of(Body&& body) {
  try {
    body();
  } catch (const core::InputOutput& e) {
    return e.what();
  }
  return "no failure";
}

/// Files of this process cannot grow beyond a size, as on a full disk, for as long as the object lives.
class SmallFiles {
public:
  explicit SmallFiles(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

io::FileContents numbers(std::uint64_t n, double offset = 0.0) {
  const io::Chunk chunk = io::chunk_of(n, core::rank_of(world()), core::size_of(world()));
  std::vector<double> values(chunk.count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = offset + static_cast<double>(chunk.first + i);
  return {.groups = {{"/", {{"time", 0.25}, {"word", "a b"}, {"count", std::int64_t{-3}}, {"empty", ""}}}},
          .datasets = {{.path = "/some/numbers", .dims = {n}, .attributes = {{"units", "m"}}, .chunk = values}}};
}

TEST(TextFile, ReplacesTheOldOneAndLeavesNoDraft) {
  const ScratchFolder folder(world());
  io::write_text(world(), folder / "a.txt", "one");
  io::write_text(world(), folder / "a.txt", "two words");
  EXPECT_EQ(bytes_of(folder / "a.txt"), "two words");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt.tmp"));
}

TEST(TextFile, InAMissingFolderIsAFailureOnAllRanksThatNamesTheFile) {
  const ScratchFolder folder(world());
  const std::string message = failure_of([&] { io::write_text(world(), folder / "none/a.txt", "x"); });
  EXPECT_NE(message.find("none/a.txt"), std::string::npos) << message;
  EXPECT_NE(message.find("No such file"), std::string::npos) << message;
}

TEST(TextFile, ThatDoesNotFitLeavesTheOldOne) {
  const ScratchFolder folder(world());
  io::write_text(world(), folder / "a.txt", "old");
  const SmallFiles limit(1000);
  EXPECT_NE(failure_of([&] { io::write_text(world(), folder / "a.txt", std::string(5000, 'x')); }), "no failure");
  EXPECT_EQ(bytes_of(folder / "a.txt"), "old");
}

TEST(Folder, BelowAFileIsAFailureThatNamesIt) {
  const ScratchFolder folder(world());
  io::write_text(world(), folder / "file", "x");
  const std::string message = failure_of([&] { io::make_folder(world(), folder / "file/out"); });
  EXPECT_NE(message.find("file/out"), std::string::npos) << message;
}

TEST(Descriptor, OnAFullDeviceSaysThatThereIsNoSpace) {
  io::Descriptor full("/dev/full", io::Descriptor::Mode::write);
  const std::vector<std::byte> bytes(100);
  const std::string message = failure_of([&] { full.write_at(0, bytes); });
  EXPECT_NE(message.find("/dev/full"), std::string::npos) << message;
  EXPECT_NE(message.find("No space left"), std::string::npos) << message;
}

TEST(SharedFile, HoldsWhatAllRanksWrote) {
  const ScratchFolder folder(world());
  for (const std::uint64_t n : {0U, 1U, 700U, 5000U}) {
    const io::Path file = folder / fmt::format("{}.h5", n);
    io::write_together(world(), file, numbers(n));
    const io::Hdf5File found = io::Hdf5File::open(file);
    EXPECT_EQ(found.dims("/some/numbers"), grid::Dims{n});
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<double>(i);
    EXPECT_EQ(found.read_list("/some/numbers"), expected);
    EXPECT_EQ(found.real("/", "time"), 0.25);
    EXPECT_EQ(found.text("/", "word"), "a b");
    EXPECT_EQ(found.text("/", "empty"), "");
    EXPECT_EQ(found.integer("/", "count"), -3);
    EXPECT_EQ(found.text("/some/numbers", "units"), "m");
  }
}

TEST(SharedFile, HasTheSameBytesOnAnyNumberOfRanks) {
  const ScratchFolder folder(world());
  io::write_together(world(), folder / "all.h5", numbers(3000));
  if (core::rank_of(world()) != 0) return;
  std::vector<double> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  io::FileContents alone = numbers(3000);
  alone.datasets.front().chunk = values;
  io::write_together(MPI_COMM_SELF, folder / "one.h5", alone);
  EXPECT_EQ(bytes_of(folder / "all.h5"), bytes_of(folder / "one.h5"));
}

TEST(SharedFile, InAMissingFolderFailsOnAllRanks) {
  const ScratchFolder folder(world());
  const std::string message = failure_of([&] { io::write_together(world(), folder / "none/a.h5", numbers(10)); });
  EXPECT_NE(message.find("none/a.h5"), std::string::npos) << message;
}

TEST(SharedFile, ThatDoesNotFitFailsOnAllRanksAndLeavesTheOldOne) {
  const ScratchFolder folder(world());
  const io::Path file = folder / "a.h5";
  io::write_together(world(), file, numbers(100000));
  const std::string old = bytes_of(file);
  {
    const SmallFiles limit(100000);
    EXPECT_NE(failure_of([&] { io::write_together(world(), file, numbers(100000, 0.5)); }), "no failure");
  }
  MPI_Barrier(world());
  EXPECT_EQ(bytes_of(file), old);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.tmp"));
}

TEST(SharedFile, ThatFailsOnTheLastRankOnlyFailsOnAllRanks) {
  if (core::size_of(world()) == 1) GTEST_SKIP() << "needs two ranks";
  const ScratchFolder folder(world());
  const io::Path file = folder / "a.h5";
  {
    std::optional<SmallFiles> limit;
    if (core::rank_of(world()) == core::size_of(world()) - 1) limit.emplace(100000);
    const std::string message = failure_of([&] { io::write_together(world(), file, numbers(100000)); });
    EXPECT_NE(message.find("a.h5"), std::string::npos) << message;
  }
  MPI_Barrier(world());
  EXPECT_FALSE(std::filesystem::exists(file));
  // The next file is none the worse for it.
  io::write_together(world(), file, numbers(100000));
  EXPECT_EQ(io::Hdf5File::open(file).read_list("/some/numbers").back(), 99999.0);
}

TEST(Hdf5, RefusesWhatIsNoHdf5FileWithItsName) {
  const ScratchFolder folder(world());
  io::write_text(world(), folder / "a.h5", "not at all");
  const std::string message = failure_of([&] { io::Hdf5File::open(folder / "a.h5"); });
  EXPECT_NE(message.find("a.h5"), std::string::npos) << message;
}

TEST(Checksum, ChangesWithEveryBitAndWithTheOrderOfWords) {
  std::vector<std::byte> bytes(64);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const std::uint64_t whole = io::checksum_part(0, bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto changed = bytes;
    changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(io::checksum_part(0, changed), whole);
  }
  auto swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 8);
  EXPECT_NE(io::checksum_part(0, swapped), whole);
  const auto parts = std::span(bytes);
  EXPECT_EQ(io::checksum_part(0, parts.first(24)) + io::checksum_part(3, parts.subspan(24)), whole);
}

} // namespace
