#include "scratch_folder.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/io/background_renamer.hpp>
#include <rhumb/io/file_template.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using samples::bytes_of;
using samples::ScratchFolder;

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

/// A file with attributes in several groups and as many of them as a run has options.
io::FileContents contents(std::uint64_t n, double time, std::int64_t step) {
  const io::Chunk chunk = io::chunk_of(n, core::rank_of(world()), core::size_of(world()));
  std::vector<double> values(chunk.count, time);
  io::Group options{"/options", {}};
  for (int i = 0; i < 40; ++i) options.attributes.push_back({fmt::format("option_{}", i), std::string("value")});
  return {.groups = {{"/", {{"time", time}, {"step", step}}},
                     options,
                     {"/fields", {}},
                     {"/series", {{"energy", 2.0 * time}}}},
          .datasets = {{.path = "/fields/T", .dims = {n}, .attributes = {{"units", "K"}}, .chunk = std::move(values)}}};
}

TEST(FileTemplate, GivesTheBytesOfAFileMadeAnewWhateverItHeldBefore) {
  const ScratchFolder folder(world());
  io::FileTemplate file_template;
  int number = 0;
  // The second has the form of the first, the third another, the fourth is too large for memory.
  for (const auto& [n, time] : {std::pair{700U, 0.25}, std::pair{700U, 0.5}, std::pair{5000U, 0.75},
                                std::pair{3'000'000U, 1.0}, std::pair{5000U, 1.25}}) {
    const io::Path file = folder / fmt::format("{}.h5", number), anew = folder / fmt::format("anew{}.h5", number);
    ++number;
    const auto wanted = contents(n, time, number);
    io::write_draft(world(), file, wanted, io::flush_of_drafts(world()), file_template);
    EXPECT_FALSE(std::filesystem::exists(file));
    io::write_together(world(), anew, wanted);
    EXPECT_TRUE(bytes_of(io::temporary_path(file)) == bytes_of(anew)) << n << " numbers, time " << time;
    MPI_Barrier(world());
  }
}

TEST(BackgroundRenamer, PutsFilesInTheirPlacesInTheOrderInWhichTheyCame) {
  if (core::rank_of(world()) != 0) return;
  const ScratchFolder folder(MPI_COMM_SELF);
  io::BackgroundRenamer renamer;
  for (int i = 0; i < 100; ++i) {
    const io::Path file = folder / fmt::format("{}", i);
    io::draft_text(file, fmt::format("text {}", i));
    renamer.enqueue(file);
    // Whatever is there, all before it is.
    bool gap = false;
    for (int j = i; j >= 0; --j) {
      const bool there = std::filesystem::exists(folder / fmt::format("{}", j));
      EXPECT_TRUE(there || !gap) << j << " is missing, a later one is there";
      gap = gap || there;
    }
  }
  renamer.wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bytes_of(folder / fmt::format("{}", i)), fmt::format("text {}", i));
}

TEST(BackgroundRenamer, ReportsAFailureToWhoComesNextAndPutsNothingInPlaceAfterIt) {
  if (core::rank_of(world()) != 0) return;
  const ScratchFolder folder(MPI_COMM_SELF);
  io::BackgroundRenamer renamer;
  renamer.enqueue(folder / "no_draft");
  EXPECT_THROW(renamer.wait(), core::InputOutput);
  io::draft_text(folder / "late", "x");
  EXPECT_THROW(renamer.enqueue(folder / "late"), core::InputOutput);
  EXPECT_THROW(renamer.wait(), core::InputOutput);
  EXPECT_FALSE(std::filesystem::exists(folder / "late"));
}

TEST(BackgroundRenamer, FinishesItsWorkBeforeItEnds) {
  if (core::rank_of(world()) != 0) return;
  const ScratchFolder folder(MPI_COMM_SELF);
  {
    io::BackgroundRenamer renamer;
    io::draft_text(folder / "last", "x");
    renamer.enqueue(folder / "last");
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "last"));
}

} // namespace
