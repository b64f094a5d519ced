#include "core/agreement.hpp"
#include "core/arrays.hpp"
#include "core/failure.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_order.hpp"
#include "io/exchange.hpp"
#include "io/hdf5.hpp"
#include "io/seal.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace rhumb::io {

namespace {

bool is_checkpoint_name(const Path& file) {
  const std::string stem = file.stem().string();
  return file.extension() == ".h5" && !stem.empty() &&
         std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
}

/// The checkpoints at a place, newest first: names are step numbers of equal length.
std::vector<Path> candidates(const Path& place) {
  std::error_code error;
  if (std::filesystem::is_regular_file(place, error)) return {place};
  const Path inside = place / "checkpoints";
  const Path folder = std::filesystem::is_directory(inside, error) ? inside : place;
  std::vector<Path> files;
  std::filesystem::directory_iterator items(folder, error);
  if (error) throw core::InputOutput(fmt::format("no checkpoint at '{}': {}", place.string(), error.message()));
  for (const auto& item : items) {
    if (is_checkpoint_name(item.path())) files.push_back(item.path());
  }
  std::ranges::sort(files, [](const Path& a, const Path& b) {
    const std::string one = a.stem().string(), other = b.stem().string();
    return one.size() != other.size() ? one.size() > other.size() : one > other;
  });
  return files;
}

/// Rank 0 looks, all ranks get the list.
std::vector<Path> shared_candidates(MPI_Comm comm, const Path& place) {
  std::string list;
  core::on_first(comm, [&] {
    for (const Path& file : candidates(place)) list += file.string() + '\n';
  });
  std::istringstream lines(core::broadcast(comm, list));
  std::vector<Path> files;
  for (std::string line; std::getline(lines, line);) files.emplace_back(line);
  return files;
}

void require(const std::string& what, const std::string& found, const std::string& wanted, const Path& file) {
  if (found == wanted) return;
  throw core::BadInput(fmt::format("checkpoint '{}' does not fit this run: its {} is '{}', this run's is '{}'",
                                   file.string(), what, found, wanted));
}

void check_identity(const Hdf5File& hdf5, const Identity& identity, const Path& file) {
  require("program", hdf5.text("/", "app"), identity.app, file);
  require("problem", hdf5.text("/", "problem"), identity.problem, file);
  require("grid", hdf5.text("/", "grid"), identity.grid, file);
  require("number of unknowns", std::to_string(hdf5.integer("/", "unknowns")), std::to_string(identity.unknowns), file);
}

/// What stands beside the vectors, and where those begin.
struct Head {
  Restart restart;
  std::vector<std::pair<std::string, std::uint64_t>> vectors;
};

Head read_head(const Path& file, const Identity& identity) {
  Head head;
  Hdf5File hdf5 = Hdf5File::open(file);
  check_identity(hdf5, identity, file);
  Restart& restart = head.restart;
  restart.file = file;
  restart.t = hdf5.real("/", "time");
  restart.step = hdf5.integer("/", "step");
  restart.ranks = static_cast<int>(hdf5.integer("/", "ranks"));
  for (const std::string& name : hdf5.attribute_names("/numbers")) {
    restart.numbers.emplace_back(name, hdf5.real("/numbers", name));
  }
  restart.memory = hdf5.read_list("/memory");
  for (const std::string& name : hdf5.members("/vectors")) {
    head.vectors.emplace_back(name, hdf5.offset("/vectors/" + name));
  }
  return head;
}

} // namespace

double Restart::number(const std::string& name) const {
  const auto found = std::ranges::find(numbers, name, &std::pair<std::string, double>::first);
  if (found != numbers.end()) return found->second;
  throw core::BadInput(fmt::format("checkpoint '{}' has no number '{}'", file.string(), name));
}

Found find_newest_valid(MPI_Comm comm, const Path& place) {
  Found found;
  for (const Path& file : shared_candidates(comm, place)) {
    const std::string reason = broken_seal(comm, file);
    if (reason.empty()) {
      found.file = file;
      found.remarks.push_back(fmt::format("taken: '{}'", file.string()));
      return found;
    }
    found.remarks.push_back(fmt::format("refused: '{}': {}", file.string(), reason));
  }
  throw core::InputOutput(found.remarks.empty() ? fmt::format("no checkpoint at '{}'", place.string())
                                                : fmt::format("no usable checkpoint at '{}'; {}", place.string(),
                                                              fmt::join(found.remarks, "; ")));
}

Restart read_checkpoint(MPI_Comm comm, const Path& place, const Identity& identity,
                        const std::vector<PetscInt>& natural_numbers,
                        const std::function<core::VecHandle()>& create_vector) {
  const Found found = find_newest_valid(comm, place);
  Head head;
  core::together(comm, [&] { head = read_head(found.file, identity); });
  Restart& restart = head.restart;
  restart.remarks = found.remarks;
  if (head.vectors.empty()) return std::move(restart);

  const core::VecHandle model = create_vector();
  const Exchange exchange(comm, static_cast<std::uint64_t>(identity.unknowns),
                          checkpoint_order(comm, model, natural_numbers));
  std::vector<double> chunk(exchange.chunk().count);
  for (const auto& [name, start] : head.vectors) {
    core::together(comm, [&] {
      Descriptor file(found.file, Descriptor::Mode::read);
      file.read_at(start + 8 * exchange.chunk().first, std::as_writable_bytes(std::span(chunk)));
    });
    const std::vector<double> local = exchange.to_places(std::span<const double>(chunk));
    core::VecHandle vector = create_vector();
    std::ranges::copy(local, core::Writable(vector).begin());
    restart.vectors.emplace_back(name, std::move(vector));
  }
  return std::move(restart);
}

} // namespace rhumb::io
