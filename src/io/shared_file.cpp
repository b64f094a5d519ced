#include "io/shared_file.hpp"

#include "core/check.hpp"
#include "io/agreement.hpp"
#include "io/seal.hpp"
#include <numeric>

namespace rhumb::io {

namespace {

/// Room for what HDF5 needs beside the data: more than it ever took in the tests.
std::uint64_t room_needed(const Contents& contents) {
  constexpr std::uint64_t fixed = 65536, each = 8192, text = 512;
  std::uint64_t bytes = fixed;
  for (const Group& group : contents.groups) bytes += each + text * group.attributes.size();
  for (const Dataset& dataset : contents.datasets) bytes += each + 8 * entries(dataset.dims);
  return bytes;
}

/// A failed write of metadata inside HDF5 cannot be mended, so the disk is asked for the room before HDF5 starts.
void ask_for_room(const Path& file, std::uint64_t bytes) {
  Descriptor probe(file, Descriptor::Mode::create);
  probe.reserve(bytes);
  probe.close();
}

/// Returns where each dataset starts.
std::vector<std::uint64_t> lay_out(const Path& file, const Contents& contents, Sealing sealing) {
  Hdf5File hdf5 = Hdf5File::create(file, sealing == Sealing::checksum ? seal_bytes : 0);
  for (const Group& group : contents.groups) {
    if (group.path != "/") hdf5.make_group(group.path);
    for (const Attribute& attribute : group.attributes) hdf5.set(group.path, attribute);
  }
  std::vector<std::uint64_t> starts;
  for (const Dataset& dataset : contents.datasets) {
    const auto number = std::holds_alternative<std::vector<double>>(dataset.chunk) ? Number::real : Number::integer;
    starts.push_back(hdf5.make_dataset(dataset.path, dataset.dims, number));
    for (const Attribute& attribute : dataset.attributes) hdf5.set(dataset.path, attribute);
  }
  hdf5.close();
  Descriptor laid_out(file, Descriptor::Mode::write);
  laid_out.reserve(laid_out.size());
  laid_out.close();
  return starts;
}

void write_chunks(Descriptor& into, const Contents& contents, std::span<const std::uint64_t> starts, MPI_Comm comm) {
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const Dataset& dataset = contents.datasets[i];
    const std::uint64_t first = chunk_of(entries(dataset.dims), rank_of(comm), size_of(comm)).first;
    std::visit([&](const auto& values) { into.write_at(starts[i] + 8 * first, std::as_bytes(std::span(values))); },
               dataset.chunk);
  }
}

} // namespace

void write_together(MPI_Comm comm, const Path& file, const Contents& contents, Sealing sealing,
                    const std::function<void()>& before_rename) {
  const Path draft = beside(file);
  std::vector<std::uint64_t> starts(contents.datasets.size());
  try {
    on_first(comm, [&] {
      ask_for_room(draft, room_needed(contents));
      starts = lay_out(draft, contents, sealing);
    });
    core::check_mpi(MPI_Bcast(starts.data(), static_cast<int>(starts.size()), MPI_UINT64_T, 0, comm));
    together(comm, [&] {
      Descriptor descriptor(draft, Descriptor::Mode::write);
      write_chunks(descriptor, contents, starts, comm);
      descriptor.sync();
      descriptor.close();
    });
    if (sealing == Sealing::checksum) seal(comm, draft);
    on_first(comm, [&] {
      if (before_rename) before_rename();
      put_in_place(file);
    });
  } catch (...) {
    std::error_code ignored;
    if (rank_of(comm) == 0) std::filesystem::remove(draft, ignored);
    throw;
  }
}

} // namespace rhumb::io
