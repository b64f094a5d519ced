#include "io/series.hpp"

#include "io/exchange.hpp"
#include "io/hdf5.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace rhumb::io {

namespace {

void describe_box(const Hdf5File& file, SnapshotEntry& entry) {
  std::istringstream names(file.text("/mesh", "axes"));
  entry.points = 1;
  for (std::string name; names >> name;) {
    entry.axes.emplace_back(name, file.dims("/mesh/" + name).at(0));
    entry.points *= entry.axes.back().second;
  }
  entry.points_in = file.integer("/mesh", "points_in");
}

void describe_points(const Hdf5File& file, SnapshotEntry& entry) {
  entry.points = file.dims("/mesh/points").at(0);
  entry.points_in = entry.number;
}

void describe_cells(const Hdf5File& file, SnapshotEntry& entry) {
  entry.cells = static_cast<std::uint64_t>(file.integer("/mesh", "cells"));
  entry.shape = file.text("/mesh", "shape");
  const grid::Dims dims = file.dims("/mesh/topology");
  entry.topology = entries(dims);
  entry.cell_nodes = dims.size() > 1 ? dims[1] : 0;
}

void describe_fields(const Hdf5File& file, SnapshotEntry& entry) {
  for (const std::string& name : file.members("/fields")) {
    const std::string path = "/fields/" + name;
    entry.fields.push_back({.name = name,
                            .location = file.text(path, "location"),
                            .components = static_cast<std::uint64_t>(file.integer(path, "components")),
                            .dims = file.dims(path)});
  }
}

/// Every name that occurs in any entry, in order of appearance.
std::vector<std::string> series_names(const std::vector<SnapshotEntry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    for (const auto& [name, value] : entry.series) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

/// One scalar over the snapshots; NaN where a snapshot has none.
std::vector<double> column(const std::vector<SnapshotEntry>& entries, const std::string& name) {
  std::vector<double> values;
  for (const auto& entry : entries) {
    const auto found = std::ranges::find(entry.series, name, &std::pair<std::string, double>::first);
    values.push_back(found == entry.series.end() ? std::numeric_limits<double>::quiet_NaN() : found->second);
  }
  return values;
}

} // namespace

std::string snapshot_name(long number) {
  return fmt::format("{:06}.h5", number);
}

SnapshotEntry describe_snapshot(const Path& path) {
  const Hdf5File file = Hdf5File::open(path);
  SnapshotEntry entry;
  entry.number = file.integer("/", "number");
  entry.time = file.real("/", "time");
  entry.step = file.integer("/", "step");
  entry.mesh = file.text("/mesh", "kind");
  if (entry.mesh == "box") {
    describe_box(file, entry);
  } else if (entry.mesh != "none") {
    describe_points(file, entry);
  }
  if (file.has("/mesh/topology")) describe_cells(file, entry);
  describe_fields(file, entry);
  for (const std::string& name : file.attribute_names("/series")) {
    entry.series.emplace_back(name, file.real("/series", name));
  }
  return entry;
}

void write_series(const Path& run_folder, const std::vector<SnapshotEntry>& entries) {
  const Path path = run_folder / "series.h5";
  const Path draft = beside(path);
  {
    constexpr std::uint64_t room_each = 2048, room_fixed = 65536;
    Descriptor probe(draft, Descriptor::Mode::create);
    probe.reserve(room_fixed + entries.size() * (room_each + 8 * series_names(entries).size()));
  }
  Hdf5File file = Hdf5File::create(draft);
  file.make_group("/snapshots");
  file.make_group("/series");
  std::vector<double> times;
  std::vector<std::int64_t> steps, numbers;
  for (const auto& entry : entries) {
    const std::string name = snapshot_name(entry.number);
    file.link_to_file("/snapshots/" + name.substr(0, name.size() - 3), "snapshots/" + name);
    times.push_back(entry.time);
    steps.push_back(entry.step);
    numbers.push_back(entry.number);
  }
  file.write_list("/series/time", times);
  file.write_list("/series/step", steps);
  file.write_list("/series/snapshot", numbers);
  for (const std::string& name : series_names(entries)) {
    if (!file.has("/series/" + name)) file.write_list("/series/" + name, column(entries, name));
  }
  file.close();
  Descriptor written(draft, Descriptor::Mode::write);
  written.sync();
  written.close();
  put_in_place(path);
}

} // namespace rhumb::io
