#include "io/series.hpp"

#include "io/exchange.hpp"
#include "io/shared_file.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace rhumb::io {

namespace {

/// Contents that are about to become a file, read as the file will be.
class Unwritten {
public:
  explicit Unwritten(const Contents& contents) : contents_(contents) {}

  double real(const std::string& object, const std::string& name) const {
    return std::get<double>(attribute(object, name));
  }
  std::int64_t integer(const std::string& object, const std::string& name) const {
    return std::get<std::int64_t>(attribute(object, name));
  }
  const std::string& text(const std::string& object, const std::string& name) const {
    return std::get<std::string>(attribute(object, name));
  }
  std::vector<std::string> attribute_names(const std::string& object) const {
    std::vector<std::string> names;
    for (const Attribute& attribute : attributes(object)) names.push_back(attribute.name);
    return names;
  }
  bool has(const std::string& dataset) const { return find(dataset) != contents_.datasets.end(); }
  const grid::Dims& dims(const std::string& dataset) const { return at(dataset).dims; }
  std::vector<std::string> members(const std::string& group) const {
    std::vector<std::string> names;
    for (const Dataset& dataset : contents_.datasets)
      if (dataset.path.starts_with(group + "/")) names.push_back(dataset.path.substr(group.size() + 1));
    return names;
  }

private:
  std::vector<Dataset>::const_iterator find(const std::string& dataset) const {
    return std::ranges::find(contents_.datasets, dataset, &Dataset::path);
  }
  const Dataset& at(const std::string& dataset) const {
    const auto found = find(dataset);
    if (found == contents_.datasets.end()) throw std::logic_error("a snapshot without " + dataset);
    return *found;
  }
  const std::vector<Attribute>& attributes(const std::string& object) const {
    const auto group = std::ranges::find(contents_.groups, object, &Group::path);
    return group != contents_.groups.end() ? group->attributes : at(object).attributes;
  }
  const AttributeValue& attribute(const std::string& object, const std::string& name) const {
    const auto& all = attributes(object);
    const auto found = std::ranges::find(all, name, &Attribute::name);
    if (found == all.end()) throw std::logic_error(fmt::format("{} of a snapshot without {}", object, name));
    return found->value;
  }

  const Contents& contents_;
};

template <class File>
void describe_box(const File& file, SnapshotEntry& entry) {
  std::istringstream names(file.text("/mesh", "axes"));
  entry.points = 1;
  for (std::string name; names >> name;) {
    entry.axes.emplace_back(name, file.dims("/mesh/" + name).at(0));
    entry.points *= entry.axes.back().second;
  }
  entry.points_in = file.integer("/mesh", "points_in");
}

template <class File>
void describe_cells(const File& file, SnapshotEntry& entry) {
  entry.cells = static_cast<std::uint64_t>(file.integer("/mesh", "cells"));
  entry.shape = file.text("/mesh", "shape");
  const grid::Dims dims = file.dims("/mesh/topology");
  entry.topology = entries(dims);
  entry.cell_nodes = dims.size() > 1 ? dims[1] : 0;
}

template <class File>
void describe_fields(const File& file, SnapshotEntry& entry) {
  for (const std::string& name : file.members("/fields")) {
    const std::string path = "/fields/" + name;
    entry.fields.push_back({.name = name,
                            .location = file.text(path, "location"),
                            .components = static_cast<std::uint64_t>(file.integer(path, "components")),
                            .dims = file.dims(path)});
  }
}

template <class File>
SnapshotEntry describe(const File& file) {
  SnapshotEntry entry;
  entry.number = file.integer("/", "number");
  entry.time = file.real("/", "time");
  entry.step = file.integer("/", "step");
  entry.mesh = file.text("/mesh", "kind");
  if (entry.mesh == "box") {
    describe_box(file, entry);
  } else if (entry.mesh != "none") {
    entry.points = file.dims("/mesh/points").at(0);
    entry.points_in = entry.number;
  }
  if (file.has("/mesh/topology")) describe_cells(file, entry);
  describe_fields(file, entry);
  for (const std::string& name : file.attribute_names("/series"))
    entry.series.emplace_back(name, file.real("/series", name));
  return entry;
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

SnapshotEntry describe_snapshot(const Path& file) {
  return describe(Hdf5File::open(file));
}

SnapshotEntry describe_snapshot(const Contents& contents) {
  return describe(Unwritten(contents));
}

void draft_series(const Path& run_folder, const std::vector<SnapshotEntry>& entries) {
  const Path draft = beside(run_folder / "series.h5");
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
}

} // namespace rhumb::io
