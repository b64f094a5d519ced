#include "samples.hpp"
#include "scratch_folder.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/io/hdf5.hpp>
#include <rhumb/io/snapshot.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using samples::bytes_of;
using samples::ScratchFolder;

const io::SeriesInfo about{"rhumb-test", "1.2.3", {{"n", "8,6"}, {"t_end", "1"}}};

MPI_Comm world() {
  return MPI_COMM_WORLD;
}

/// Two snapshots of a problem, at t = 0 and t = 0.1.
template <class Sample, class... Arguments>
void write_run(MPI_Comm comm, const io::Path& folder, Arguments... arguments) {
  Sample problem(comm, arguments...);
  const core::VecHandle y = problem.create_vector();
  io::SnapshotWriter writer(comm, folder, about);
  for (const int k : {0, 1}) writer.write(problem, 0.1 * k, 7 * k, y, nullptr);
  writer.finish();
}

/// Writes the same run on all ranks and on rank 0 alone; says whether all files are the same, byte by byte.
template <class Sample, class... Arguments>
void expect_same_on_one_rank(Arguments... arguments) {
  const ScratchFolder folder(world());
  write_run<Sample>(world(), folder / "all", arguments...);
  if (core::rank_of(world()) != 0) return;
  write_run<Sample>(MPI_COMM_SELF, folder / "one", arguments...);
  for (const char* name : {"snapshots/000000.h5", "snapshots/000001.h5", "series.xdmf", "series.h5"}) {
    const std::string bytes = bytes_of(folder / "one" / name);
    EXPECT_FALSE(bytes.empty()) << name;
    EXPECT_TRUE(bytes_of(folder / "all" / name) == bytes) << name;
  }
}

TEST(Snapshots, OfASystemWithoutSpaceAreTheSameOnAnyNumberOfRanks) {
  expect_same_on_one_rank<samples::Plain>();
}
TEST(Snapshots, OfALineAreTheSameOnAnyNumberOfRanks) {
  expect_same_on_one_rank<samples::Line>(1300);
}
TEST(Snapshots, OfABoxAreTheSameOnAnyNumberOfRanks) {
  expect_same_on_one_rank<samples::Box>(40, 30);
}
TEST(Snapshots, OfMovingPointsAreTheSameOnAnyNumberOfRanks) {
  expect_same_on_one_rank<samples::Moving>(1300);
}
TEST(Snapshots, OfTrianglesAreTheSameOnAnyNumberOfRanks) {
  expect_same_on_one_rank<samples::Unstructured>(20U, samples::Unstructured::Cells::triangles);
}
TEST(Snapshots, OfMixedCellsAreTheSameOnAnyNumberOfRanks) {
  expect_same_on_one_rank<samples::Unstructured>(20U, samples::Unstructured::Cells::mixed);
}

TEST(Snapshots, SayWhatTheyHold) {
  const ScratchFolder folder(world());
  write_run<samples::Box>(world(), folder / "out", 8, 6);
  const io::Hdf5File file = io::Hdf5File::open(folder / "out/snapshots/000001.h5");
  EXPECT_EQ(file.real("/", "time"), 0.1);
  EXPECT_EQ(file.integer("/", "step"), 7);
  EXPECT_EQ(file.text("/", "version"), "1.2.3");
  EXPECT_EQ(file.text("/", "problem"), "box");
  EXPECT_EQ(file.text("/options", "n"), "8,6");
  EXPECT_EQ(file.dims("/mesh/x"), grid::Dims{9});
  EXPECT_EQ(file.text("/mesh/x", "units"), "m");
  EXPECT_EQ(file.dims("/fields/temperature"), (grid::Dims{7, 9}));
  EXPECT_EQ(file.text("/fields/temperature", "units"), "K");
  EXPECT_EQ(file.text("/fields/temperature", "long_name"), "temperature of the gas");
  EXPECT_EQ(file.text("/fields/temperature", "location"), "point");
  EXPECT_EQ(file.dims("/fields/velocity"), (grid::Dims{6, 8, 2}));
  const auto values = file.read_list("/fields/temperature");
  EXPECT_EQ(values[3 * 9 + 2], samples::Box::temperature(0.1, 2.0 / 8.0, 3.0 / 6.0));
}

TEST(Snapshots, OfABoxHoldThePointsOnce) {
  const ScratchFolder folder(world());
  write_run<samples::Box>(world(), folder / "out", 8, 6);
  const io::Hdf5File first = io::Hdf5File::open(folder / "out/snapshots/000000.h5");
  const io::Hdf5File second = io::Hdf5File::open(folder / "out/snapshots/000001.h5");
  ASSERT_EQ(first.dims("/mesh/points"), (grid::Dims{63, 3}));
  const auto points = first.read_list("/mesh/points");
  EXPECT_EQ(points[3 * (2 * 9 + 5)], 5.0 / 8.0);
  EXPECT_EQ(points[3 * (2 * 9 + 5) + 1], 2.0 / 6.0);
  EXPECT_EQ(points[3 * (2 * 9 + 5) + 2], 0.0);
  EXPECT_FALSE(second.has("/mesh/points"));
  EXPECT_EQ(second.integer("/mesh", "points_in"), 0);
}

TEST(Snapshots, KeepFaceFieldsAndAddTheirMeansInTheCells) {
  const ScratchFolder folder(world());
  write_run<samples::Box>(world(), folder / "out", 30, 25);
  const io::Hdf5File file = io::Hdf5File::open(folder / "out/snapshots/000000.h5");
  EXPECT_EQ(file.dims("/fields/u"), (grid::Dims{25, 31}));
  EXPECT_EQ(file.dims("/fields/v"), (grid::Dims{26, 30}));
  EXPECT_EQ(file.text("/fields/u", "location"), "face_x");
  ASSERT_EQ(file.dims("/fields/u_cell"), (grid::Dims{25, 30}));
  ASSERT_EQ(file.dims("/fields/v_cell"), (grid::Dims{25, 30}));
  EXPECT_EQ(file.text("/fields/v_cell", "location"), "cell");
  const auto u = file.read_list("/fields/u"), v = file.read_list("/fields/v");
  const auto u_cell = file.read_list("/fields/u_cell"), v_cell = file.read_list("/fields/v_cell");
  for (std::size_t j = 0; j < 25; ++j) {
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(u_cell[j * 30 + i], 0.5 * (u[j * 31 + i] + u[j * 31 + i + 1]));
      EXPECT_EQ(v_cell[j * 30 + i], 0.5 * (v[j * 30 + i] + v[(j + 1) * 30 + i]));
    }
  }
}

TEST(Snapshots, OfMovingPointsFollowTheirNumberAndPlace) {
  const ScratchFolder folder(world());
  write_run<samples::Moving>(world(), folder / "out", 11);
  const io::Hdf5File file = io::Hdf5File::open(folder / "out/snapshots/000001.h5");
  ASSERT_EQ(file.dims("/mesh/points"), (grid::Dims{12, 3}));
  const auto points = file.read_list("/mesh/points");
  EXPECT_EQ(points[3 * 4], samples::Moving::position(0.1, 4.0 / 11.0));
  EXPECT_EQ(points[3 * 4 + 1], 0.0);
  EXPECT_EQ(file.dims("/fields/u"), grid::Dims{12});
  EXPECT_EQ(io::Hdf5File::open(folder / "out/snapshots/000000.h5").dims("/mesh/points"), (grid::Dims{11, 3}));
}

TEST(Series, ListsEveryDatasetOfEverySnapshotAndNoFaceField) {
  const ScratchFolder folder(world());
  write_run<samples::Box>(world(), folder / "out", 8, 6);
  const std::string text = bytes_of(folder / "out/series.xdmf");
  for (const char* item :
       {"snapshots/000000.h5:/mesh/points", "snapshots/000001.h5:/fields/temperature",
        "snapshots/000001.h5:/fields/u_cell", "Value=\"0.10000000000000001\"", "2DSMesh", "\"7 9\""}) {
    EXPECT_NE(text.find(item), std::string::npos) << item;
  }
  EXPECT_EQ(text.find("/fields/u<"), std::string::npos);
  EXPECT_EQ(text.find("HyperSlab"), std::string::npos);
}

TEST(Series, HoldsTheScalarsOverTimeAndLinksToTheSnapshots) {
  const ScratchFolder folder(world());
  write_run<samples::Box>(world(), folder / "out", 8, 6);
  const io::Hdf5File file = io::Hdf5File::open(folder / "out/series.h5");
  EXPECT_EQ(file.read_list("/series/time"), (std::vector<double>{0.0, 0.1}));
  EXPECT_EQ(file.read_list("/series/energy"), (std::vector<double>{1.0, std::exp(-0.1)}));
  EXPECT_EQ(file.members("/snapshots"), (std::vector<std::string>{"000000", "000001"}));
  EXPECT_EQ(file.dims("/snapshots/000001/fields/pressure"), (grid::Dims{6, 8}));
}

TEST(SnapshotWriter, ContinuesTheSeriesOfARunAndReplacesWhatItWritesAgain) {
  const ScratchFolder folder(world());
  samples::Plain problem(world());
  const core::VecHandle y = problem.create_vector();
  {
    io::SnapshotWriter writer(world(), folder.path(), about);
    for (const int k : {0, 1, 2, 3}) writer.write(problem, k, k, y, nullptr);
    EXPECT_EQ(writer.position().snapshot, 4);
  }
  io::SnapshotWriter writer(world(), folder.path(), about, {.snapshot = 2});
  writer.write(problem, 2.5, 9, y, nullptr);
  writer.finish();
  MPI_Barrier(world());
  EXPECT_FALSE(std::filesystem::exists(folder / "snapshots/000003.h5"));
  EXPECT_EQ(io::Hdf5File::open(folder / "series.h5").read_list("/series/time"), (std::vector<double>{0.0, 1.0, 2.5}));
}

/// Announces a field that does not fit its mesh, on the last rank.
class Liar : public samples::Box {
public:
  using Box::Box;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override {
    auto list = Box::fields(t, y, ydot);
    if (core::rank_of(world()) == core::size_of(world()) - 1) list[1].data.global[0] += 1;
    return list;
  }
};

TEST(SnapshotWriter, RefusesAFieldThatDoesNotFitItsMeshOnAllRanks) {
  const ScratchFolder folder(world());
  Liar problem(world(), 8, 6);
  const core::VecHandle y = problem.create_vector();
  io::SnapshotWriter writer(world(), folder.path(), about);
  try {
    writer.write(problem, 0.0, 0, y, nullptr);
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("'pressure'"), std::string::npos) << e.what();
  }
}

TEST(SnapshotWriter, ThatCannotMakeItsFolderFailsOnAllRanks) {
  const ScratchFolder folder(world());
  io::write_text(world(), folder / "out", "in the way");
  EXPECT_THROW(io::SnapshotWriter(world(), folder / "out", about), core::InputOutput);
}

} // namespace
