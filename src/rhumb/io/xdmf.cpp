#include <rhumb/io/series.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::io {

namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

constexpr auto reals = R"(NumberType="Float" Precision="8")";
constexpr auto integers = R"(NumberType="Int" Precision="8")";

std::string data_item(long snapshot, const std::string& dataset, const grid::Dims& dims,
                      const char* number_type = reals) {
  return fmt::format("<DataItem Format=\"HDF\" {} Dimensions=\"{}\">snapshots/{}:{}</DataItem>\n", number_type,
                     fmt::join(dims, " "), snapshot_name(snapshot), escaped(dataset));
}

std::string points(const SnapshotEntry& entry) {
  return fmt::format("<Geometry GeometryType=\"XYZ\">\n{}</Geometry>\n",
                     data_item(entry.points_in, "/mesh/points", {entry.points, 3}));
}

/// Two or three directions; a line is drawn as segments.
std::string box(const SnapshotEntry& entry) {
  grid::Dims dims;
  for (const auto& axis : entry.axes) dims.insert(dims.begin(), axis.second);
  return fmt::format("<Topology TopologyType=\"{}DSMesh\" Dimensions=\"{}\"/>\n", dims.size(), fmt::join(dims, " ")) +
         points(entry);
}

std::string unstructured(const SnapshotEntry& entry) {
  if (entry.topology == 0) {
    return fmt::format("<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\"/>\n", entry.points) +
           points(entry);
  }
  const bool mixed = entry.cell_nodes == 0;
  const grid::Dims dims = mixed ? grid::Dims{entry.topology} : grid::Dims{entry.cells, entry.cell_nodes};
  const std::string nodes =
      entry.shape == "Polyline" ? fmt::format(" NodesPerElement=\"{}\"", entry.cell_nodes) : std::string();
  return fmt::format("<Topology TopologyType=\"{}\" NumberOfElements=\"{}\"{}>\n{}</Topology>\n", escaped(entry.shape),
                     entry.cells, nodes, data_item(entry.number, "/mesh/topology", dims, integers)) +
         points(entry);
}

/// A system without space: one point, whose numbers belong to the grid as a whole.
std::string nowhere() {
  return "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"1\"/>\n"
         "<Geometry GeometryType=\"XYZ\">\n"
         "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"1 3\">0 0 0</DataItem>\n"
         "</Geometry>\n";
}

std::string mesh(const SnapshotEntry& entry) {
  if (entry.mesh == "none") return nowhere();
  return entry.axes.size() > 1 ? box(entry) : unstructured(entry);
}

/// Faces have no place in XDMF; their means in the cells do.
std::string field(const SnapshotEntry& entry, const FieldEntry& field) {
  const char* centre = field.location == "point" ? "Node" : field.location == "cell" ? "Cell" : nullptr;
  const bool alone = field.location == "none" && entry.mesh == "none" && field.dims == grid::Dims{1};
  if (alone) centre = "Node";
  if (!centre) return "";
  const char* type = field.components == 1 ? "Scalar" : field.components <= 3 ? "Vector" : "Matrix";
  return fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">\n{}</Attribute>\n",
                     escaped(field.name), type, centre, data_item(entry.number, "/fields/" + field.name, field.dims));
}

std::string snapshot(const SnapshotEntry& entry) {
  std::string text = fmt::format("<Grid Name=\"snapshot {}\" GridType=\"Uniform\">\n<Time Value=\"{:.17g}\"/>\n",
                                 entry.number, entry.time) +
                     mesh(entry);
  for (const auto& item : entry.fields) text += field(entry, item);
  return text + "</Grid>\n";
}

} // namespace

std::string xdmf_begin() {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
         "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
}

std::string xdmf_of(const SnapshotEntry& entry) {
  return snapshot(entry);
}

std::string xdmf_end() {
  return "</Grid>\n</Domain>\n</Xdmf>\n";
}

} // namespace rhumb::io
