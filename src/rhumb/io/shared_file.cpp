#include <rhumb/io/shared_file.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/io/file_template.hpp>
#include <rhumb/io/seal.hpp>
#include <algorithm>

namespace rhumb::io {

namespace {

/// Files up to this size are put together in the memory of rank 0.
constexpr std::uint64_t most_in_memory = 16 << 20;

/// Room for what HDF5 needs beside the data: more than it ever took in the tests.
std::uint64_t space_needed(const FileContents& contents) {
  constexpr std::uint64_t fixed = 65536, each = 8192, text = 512;
  std::uint64_t bytes = fixed;
  for (const Group& group : contents.groups) bytes += each + text * group.attributes.size();
  for (const Dataset& dataset : contents.datasets) bytes += each + 8 * entries(dataset.dims);
  return bytes;
}

/// A failed write of metadata inside HDF5 cannot be mended, so the disk is asked for the room before HDF5 starts.
void reserve_space(const Path& file, std::uint64_t bytes) {
  Descriptor probe(file, Descriptor::Mode::create);
  probe.reserve(bytes);
  probe.close();
}

/// write(place in the file, bytes) for each piece of this rank.
template <class Write>
void for_each_piece(MPI_Comm comm, const FileContents& contents, std::span<const std::uint64_t> starts, Write&& write) {
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Dataset& dataset = contents.datasets[i];
    const std::uint64_t first = chunk_of(entries(dataset.dims), core::rank_of(comm), core::size_of(comm)).first;
    std::visit([&](const auto& values) { write(starts[i] + 8 * first, std::as_bytes(std::span(values))); },
               dataset.chunk);
  }
}

/// Rank 0's part of a large file: HDF5 lays it out on the disk.
std::vector<std::uint64_t> begin_on_disk(const Path& draft, const FileContents& contents, std::uint64_t userblock) {
  reserve_space(draft, space_needed(contents));
  Hdf5File hdf5 = Hdf5File::create(draft, userblock);
  auto starts = lay_out(hdf5, contents);
  hdf5.close();
  Descriptor laid_out(draft, Descriptor::Mode::write);
  laid_out.reserve(laid_out.size());
  laid_out.close();
  return starts;
}

/// Rank 0's part of a small file: put together in memory and written in one piece.
void write_whole(MPI_Comm comm, const Path& draft, const FileContents& contents, FileTemplate& file_template) {
  if (!file_template.matches(contents)) {
    begin_on_disk(draft, contents, 0);
    file_template.adopt(draft, contents);
  }
  const std::span<std::byte> image = file_template.fill(contents);
  for_each_piece(comm, contents, file_template.starts(), [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, image.begin() + static_cast<std::ptrdiff_t>(offset));
  });
  Descriptor whole(draft, Descriptor::Mode::create);
  whole.write_at(0, image);
  whole.close();
}

/// This rank's pieces go to their places.
void write_pieces(MPI_Comm comm, const Path& draft, const FileContents& contents, std::span<const std::uint64_t> starts,
                  Flush flush) {
  Descriptor into(draft, Descriptor::Mode::write);
  for_each_piece(comm, contents, starts,
                 [&](std::uint64_t offset, std::span<const std::byte> bytes) { into.write_at(offset, bytes); });
  if (flush == Flush::now) into.sync();
  into.close();
}

void remove_draft(MPI_Comm comm, const Path& file) {
  std::error_code ignored;
  if (core::rank_of(comm) == 0) std::filesystem::remove(temporary_path(file), ignored);
}

} // namespace

Flush flush_of_drafts(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  const int rank = core::rank_of(comm);
  int lowest = rank;
  core::check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  const int code = MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
  core::check_mpi(MPI_Comm_free(&node));
  core::check_mpi(code);
  return lowest == 0 ? Flush::later : Flush::now;
}

void write_draft(MPI_Comm comm, const Path& file, const FileContents& contents, Flush flush,
                 FileTemplate& file_template) {
  const Path draft = temporary_path(file);
  const bool whole = space_needed(contents) <= most_in_memory;
  std::vector<std::uint64_t> starts(contents.datasets.size());
  const auto begin = [&] {
    if (!whole) {
      starts = begin_on_disk(draft, contents, 0);
      return;
    }
    write_whole(comm, draft, contents, file_template);
    std::ranges::copy(file_template.starts(), starts.begin());
  };
  try {
    core::run_on_root(comm, begin);
    core::check_mpi(MPI_Bcast(starts.data(), static_cast<int>(starts.size()), MPI_UINT64_T, 0, comm));
    const bool done = whole && core::rank_of(comm) == 0;
    core::run_and_agree(comm, [&] {
      if (!done) write_pieces(comm, draft, contents, starts, flush);
    });
  } catch (...) {
    remove_draft(comm, file);
    throw;
  }
}

void write_together(MPI_Comm comm, const Path& file, const FileContents& contents, Sealing sealing,
                    const std::function<void()>& before_rename) {
  const Path draft = temporary_path(file);
  const bool sealed = sealing == Sealing::checksum;
  std::vector<std::uint64_t> starts(contents.datasets.size());
  try {
    core::run_on_root(comm, [&] { starts = begin_on_disk(draft, contents, sealed ? seal_bytes : 0); });
    core::check_mpi(MPI_Bcast(starts.data(), static_cast<int>(starts.size()), MPI_UINT64_T, 0, comm));
    core::run_and_agree(comm, [&] { write_pieces(comm, draft, contents, starts, Flush::now); });
    if (sealed) seal(comm, draft);
    core::run_on_root(comm, [&] {
      if (before_rename) before_rename();
      put_in_place(file);
    });
  } catch (...) {
    remove_draft(comm, file);
    throw;
  }
}

} // namespace rhumb::io
