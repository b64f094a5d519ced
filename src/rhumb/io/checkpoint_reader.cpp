#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/checkpoint_head.hpp>
#include <rhumb/io/checkpoint_order.hpp>
#include <rhumb/io/exchange.hpp>
#include <rhumb/io/seal.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::io {

namespace {

bool is_checkpoint_name(const Path& file) {
  const std::string stem = file.stem().string();
  return file.extension() == ".h5" && !stem.empty() &&
         std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
}

/// The checkpoints at a place, newest first: names are step numbers of equal length.
std::vector<Path> candidates(const Path& location) {
  std::error_code error;
  if (std::filesystem::is_regular_file(location, error)) return {location};
  const Path inside = location / "checkpoints";
  const Path folder = std::filesystem::is_directory(inside, error) ? inside : location;
  std::vector<Path> files;
  std::filesystem::directory_iterator items(folder, error);
  if (error) throw core::InputOutput(fmt::format("no checkpoint at '{}': {}", location.string(), error.message()));
  for (const auto& item : items) {
    if (is_checkpoint_name(item.path()) && item.is_regular_file(error)) files.push_back(item.path());
  }
  std::ranges::sort(files, [](const Path& a, const Path& b) {
    const std::string one = a.stem().string(), other = b.stem().string();
    return one.size() != other.size() ? one.size() > other.size() : one > other;
  });
  return files;
}

/// Rank 0 looks, all ranks get the list. A path may hold any byte but zero.
std::vector<Path> shared_candidates(MPI_Comm comm, const Path& location) {
  std::string list;
  core::run_on_root(comm, [&] {
    for (const Path& file : candidates(location)) list += file.string() + '\0';
  });
  list = core::broadcast(comm, std::move(list));
  std::vector<Path> files;
  for (std::size_t at = 0; at < list.size(); at = list.find('\0', at) + 1) files.emplace_back(list.c_str() + at);
  return files;
}

void require(const std::string& what, const std::string& found, const std::string& wanted, const Path& file) {
  if (found == wanted) return;
  throw core::BadInput(fmt::format("checkpoint '{}' does not fit this run: its {} is '{}', this run's is '{}'",
                                   file.string(), what, found, wanted));
}

void check_identity(const Identity& found, const Identity& identity, const Path& file) {
  require("program", found.app, identity.app, file);
  require("problem", found.problem, identity.problem, file);
  require("grid", found.grid, identity.grid, file);
  require("number of unknowns", std::to_string(found.unknowns), std::to_string(identity.unknowns), file);
}

/// The head of a whole file, or what is wrong with it.
std::string read_whole(MPI_Comm comm, const Path& file, CheckpointHead& head) {
  if (std::string reason = broken_seal(comm, file); !reason.empty()) return reason;
  try {
    head = read_head(comm, file);
    return {};
  } catch (const core::InputOutput& error) {
    return error.what();
  }
}

/// The head of a file that can be used, or the reason against it.
std::string read_candidate(MPI_Comm comm, const Path& file, const Identity& identity, const Objection& objection,
                           CheckpointHead& head) {
  if (std::string reason = read_whole(comm, file, head); !reason.empty()) return reason;
  check_identity(head.identity, identity, file);
  return objection ? objection(head.restart) : std::string();
}

CheckpointHead newest_usable(MPI_Comm comm, const Path& location, const Identity& identity,
                             const Objection& objection) {
  std::vector<std::string> remarks;
  for (const Path& file : shared_candidates(comm, location)) {
    CheckpointHead head;
    const std::string reason = read_candidate(comm, file, identity, objection, head);
    if (reason.empty()) {
      remarks.push_back(fmt::format("taken: '{}'", file.string()));
      head.restart.remarks = std::move(remarks);
      return head;
    }
    remarks.push_back(fmt::format("refused: '{}': {}", file.string(), reason));
  }
  throw core::InputOutput(
      remarks.empty() ? fmt::format("no checkpoint at '{}'", location.string())
                      : fmt::format("no usable checkpoint at '{}'; {}", location.string(), fmt::join(remarks, "; ")));
}

} // namespace

double Restart::scalar(const std::string& name) const {
  const auto found = std::ranges::find(scalars, name, &std::pair<std::string, double>::first);
  if (found != scalars.end()) return found->second;
  throw core::BadInput(fmt::format("checkpoint '{}' has no number '{}'", file.string(), name));
}

double Restart::scalar_or(const std::string& name, double otherwise) const {
  const auto found = std::ranges::find(scalars, name, &std::pair<std::string, double>::first);
  return found != scalars.end() ? found->second : otherwise;
}

bool has_checkpoint(MPI_Comm comm, const Path& location) {
  try {
    CheckpointHead head;
    for (const Path& file : shared_candidates(comm, location))
      if (read_whole(comm, file, head).empty()) return true;
  } catch (const core::InputOutput&) { // there is no such place
  }
  return false;
}

Restart read_checkpoint(MPI_Comm comm, const Path& location, const Identity& identity,
                        const std::vector<PetscInt>& natural_indices,
                        const std::function<core::VecHandle()>& create_vector, const Objection& objection) {
  CheckpointHead head = newest_usable(comm, location, identity, objection);
  Restart& restart = head.restart;
  if (head.vectors.empty()) return std::move(restart);

  const core::VecHandle model = create_vector();
  const Exchange exchange(comm, static_cast<std::uint64_t>(identity.unknowns),
                          checkpoint_order(comm, model, natural_indices));
  std::vector<double> chunk(exchange.chunk().count);
  for (const auto& [name, start] : head.vectors) {
    core::run_and_agree(comm, [&] {
      Descriptor file(restart.file, Descriptor::Mode::read);
      file.read_at(start + 8 * exchange.chunk().first, std::as_writable_bytes(std::span(chunk)));
    });
    const std::vector<double> local = exchange.to_indices(std::span<const double>(chunk));
    core::VecHandle vector = create_vector();
    std::ranges::copy(local, core::Writable(vector).begin());
    restart.vectors.emplace_back(name, std::move(vector));
  }
  return std::move(restart);
}

} // namespace rhumb::io
