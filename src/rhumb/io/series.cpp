#include <rhumb/io/series.hpp>

#include <rhumb/io/exchange.hpp>
#include <rhumb/io/shared_file.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>

namespace rhumb::io {

namespace {

/// Contents that are about to become a file, read as the file will be.
class Unwritten {
public:
  explicit Unwritten(const FileContents& contents) : contents_(contents) {}

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

  const FileContents& contents_;
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

} // namespace

std::string snapshot_name(long number) {
  return fmt::format("{:06}.h5", number);
}

SnapshotEntry describe_snapshot(const Path& file) {
  return describe(Hdf5File::open(file));
}

SnapshotEntry describe_snapshot(const FileContents& contents) {
  return describe(Unwritten(contents));
}

IndexRecord record_of(const SnapshotEntry& entry) {
  return {entry.number, entry.time, entry.step, entry.series, xdmf_of(entry)};
}

} // namespace rhumb::io
