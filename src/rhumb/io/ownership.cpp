#include <rhumb/io/ownership.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/io/hdf5.hpp>
#include <rhumb/io/isolated.hpp>
#include <rhumb/io/series.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::io {

namespace {

/// An empty file is what a full disk leaves of a text.
bool begins_with(const Path& file, const std::string& beginning) {
  Descriptor descriptor(file, Descriptor::Mode::read);
  std::string found(std::min<std::uint64_t>(descriptor.size(), beginning.size()), '\0');
  descriptor.read_at(0, std::as_writable_bytes(std::span(found)));
  return found.empty() || found == beginning;
}

bool is_series(const Path& file) {
  bool ours = false;
  try {
    run_isolated([&](const Send& send) { send(Hdf5File::open(file).has("/series") ? "1" : "0"); },
                 [&](const std::string& record) { ours = record == "1"; });
  } catch (const core::InputOutput&) {
    return false;
  }
  return ours;
}

} // namespace

void reject_foreign_files(const Path& run_folder) {
  const auto require = [&](const char* name, const auto& is_ours) {
    const Path file = run_folder / name;
    const auto status = std::filesystem::symlink_status(file);
    if (!std::filesystem::exists(status) || (std::filesystem::is_regular_file(status) && is_ours(file))) return;
    throw core::InputOutput(fmt::format(
        "'{}' was not written by a run, and it is in the way: move it, or take another -out", file.string()));
  };
  require("run.json", [](const Path& file) { return begins_with(file, "{\n  \"app\": "); });
  require("steps.csv", [](const Path& file) { return begins_with(file, "t,h,order,"); });
  require("series.xdmf", [](const Path& file) { return begins_with(file, xdmf_begin()); });
  require("series.h5", is_series);
}

} // namespace rhumb::io
