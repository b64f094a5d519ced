#include <rhumb/io/checkpoint.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint_order.hpp>
#include <rhumb/io/seal.hpp>
#include <rhumb/io/shared_file.hpp>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace rhumb::io {

Identity identity_of(const std::string& app, const dae::Problem& problem) {
  const core::VecHandle model = problem.create_vector();
  PetscInt unknowns = 0;
  core::check(VecGetSize(model, &unknowns));
  const auto* geometry = dynamic_cast<const grid::Geometry*>(&problem);
  return {app, problem.name(), unknowns, geometry ? geometry->signature() : std::string()};
}

std::vector<PetscInt> natural_indices_of(const dae::Problem& problem) {
  const auto* geometry = dynamic_cast<const grid::Geometry*>(&problem);
  return geometry ? geometry->natural_indices() : std::vector<PetscInt>();
}

std::vector<std::uint64_t> checkpoint_order(MPI_Comm comm, Vec model, const std::vector<PetscInt>& natural_indices) {
  PetscInt first = 0, end = 0;
  core::check(VecGetOwnershipRange(model, &first, &end));
  std::vector<std::uint64_t> indices;
  int given = natural_indices.empty() ? 0 : 1;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &given, 1, MPI_INT, MPI_MAX, comm));
  if (given) {
    indices.assign(natural_indices.begin(), natural_indices.end());
  } else {
    for (PetscInt i = first; i < end; ++i) indices.push_back(static_cast<std::uint64_t>(i));
  }
  core::run_and_agree(comm, [&] {
    if (indices.size() == static_cast<std::size_t>(end - first)) return;
    throw std::logic_error(fmt::format("{} natural numbers for {} local unknowns", indices.size(), end - first));
  });
  return indices;
}

std::string checkpoint_name(long step) {
  return fmt::format("{:09}.h5", step);
}

namespace {

FileContents contents_of(MPI_Comm comm, const Checkpoint& checkpoint, const SeriesInfo& about, const Identity& identity,
                         const Exchange& exchange) {
  FileContents contents;
  contents.groups.push_back({"/",
                             {{"time", checkpoint.t},
                              {"step", static_cast<std::int64_t>(checkpoint.step)},
                              {"app", identity.app},
                              {"problem", identity.problem},
                              {"unknowns", static_cast<std::int64_t>(identity.unknowns)},
                              {"grid", identity.grid},
                              {"ranks", static_cast<std::int64_t>(core::size_of(comm))},
                              {"version", about.version}}});
  Group scalars{"/numbers", {}}, options{"/options", {}};
  for (const auto& [name, value] : checkpoint.scalars) scalars.attributes.push_back({name, value});
  for (const auto& [name, value] : about.options) options.attributes.push_back({name, value});
  contents.groups.push_back(std::move(scalars));
  contents.groups.push_back(std::move(options));
  contents.groups.push_back({"/vectors", {}});

  const auto add_list = [&](const char* path, const std::vector<double>& values) {
    const auto size = static_cast<std::uint64_t>(values.size());
    const Chunk chunk = chunk_of(size, core::rank_of(comm), core::size_of(comm));
    const auto own = std::span(values).subspan(chunk.first, chunk.count);
    contents.datasets.push_back({.path = path, .dims = {size}, .chunk = std::vector<double>(own.begin(), own.end())});
  };
  add_list("/memory", checkpoint.system_state);
  if (!checkpoint.record.empty()) add_list("/record", checkpoint.record);
  const auto total = static_cast<std::uint64_t>(identity.unknowns);
  for (const auto& [name, vector] : checkpoint.vectors) {
    contents.datasets.push_back(
        {.path = "/vectors/" + name, .dims = {total}, .chunk = exchange.to_chunk(core::Readable(vector).span())});
  }
  return contents;
}

/// By its name and its first bytes; whatever else lies in the folder is somebody's.
bool is_ours(const Path& file) {
  const std::string name = file.filename().string();
  return name == checkpoint_name(std::atol(name.c_str())) && std::filesystem::is_regular_file(file) && has_seal(file);
}

void reject_to_replace(const Path& file) {
  if (std::filesystem::exists(std::filesystem::symlink_status(file)) && !is_ours(file))
    throw core::InputOutput(
        fmt::format("'{}' is no checkpoint of a run, and it is in the way: move it", file.string()));
}

} // namespace

CheckpointStore::CheckpointStore(MPI_Comm comm, const Path& run_folder, Identity identity,
                                 std::vector<PetscInt> natural_indices, const Path& continued_from)
    : comm_(comm), folder_(run_folder / "checkpoints"), identity_(std::move(identity)),
      natural_indices_(std::move(natural_indices)) {
  make_folder(comm_, folder_);
  core::run_on_root(comm_, [&] {
    for (const auto& item : std::filesystem::directory_iterator(folder_)) {
      const std::string name = item.path().filename().string();
      if (name.ends_with(".tmp") && name == checkpoint_name(std::atol(name.c_str())) + ".tmp")
        std::filesystem::remove(item.path());
    }
    std::error_code no_such_file;
    const Path here = folder_ / continued_from.filename();
    if (!continued_from.empty() && std::filesystem::equivalent(continued_from, here, no_such_file)) written_ = {here};
  });
}

CheckpointStore::~CheckpointStore() = default;
CheckpointStore::CheckpointStore(CheckpointStore&&) noexcept = default;

Path CheckpointStore::write(const Checkpoint& checkpoint, const SeriesInfo& about) {
  const Path file = folder_ / checkpoint_name(checkpoint.step);
  core::run_on_root(comm_, [&] { reject_to_replace(file); });
  if (!exchange_) {
    const auto indices = checkpoint_order(comm_, checkpoint.vectors.at(0).second, natural_indices_);
    exchange_ = std::make_unique<Exchange>(comm_, static_cast<std::uint64_t>(identity_.unknowns), indices);
  }
  const FileContents contents = contents_of(comm_, checkpoint, about, identity_, *exchange_);
  write_together(comm_, file, contents, Sealing::checksum, [&] { remove_others(file); });
  core::run_on_root(comm_, [&] {
    std::erase(written_, file);
    written_.push_back(file);
    if (written_.size() <= 2) return;
    std::error_code ignored;
    std::filesystem::remove(written_.front(), ignored);
    written_.erase(written_.begin());
  });
  return file;
}

void CheckpointStore::remove_others(const Path& file) const {
  std::vector<Path> others;
  for (const auto& item : std::filesystem::directory_iterator(folder_)) {
    const Path path = folder_ / item.path().filename();
    if (is_ours(path) && path != file && std::ranges::find(written_, path) == written_.end()) others.push_back(path);
  }
  std::error_code ignored;
  for (const Path& path : others) std::filesystem::remove(path, ignored);
}

} // namespace rhumb::io
