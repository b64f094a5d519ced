#include <rhumb/core/agreement.hpp>
#include <rhumb/io/snapshot_contents.hpp>

namespace rhumb::io {

namespace {

using grid::Mesh;

std::string kind_name(Mesh::Kind kind) {
  switch (kind) {
  case Mesh::Kind::none:
    return "none";
  case Mesh::Kind::box:
    return "box";
  case Mesh::Kind::moving:
    return "moving";
  case Mesh::Kind::unstructured:
    return "unstructured";
  }
  return "none";
}

std::int64_t directions(const Mesh& mesh) {
  if (mesh.kind == Mesh::Kind::box) return static_cast<std::int64_t>(mesh.axes.size());
  if (mesh.kind == Mesh::Kind::none) return 0;
  return mesh.points.global.size() > 1 ? static_cast<std::int64_t>(mesh.points.global[1]) : 1;
}

/// Values that every rank has, as this rank's chunk.
std::vector<double> local_chunk(MPI_Comm comm, const std::vector<double>& all) {
  const Chunk chunk = chunk_of(all.size(), core::rank_of(comm), core::size_of(comm));
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(chunk.first);
  return {first, first + static_cast<std::ptrdiff_t>(chunk.count)};
}

/// Points of fewer than three directions get zeros for the others: programs that draw want x, y, z.
grid::Block<double> in_space(const grid::Block<double>& points) {
  const std::uint64_t width = points.global.size() > 1 ? points.global[1] : 1;
  grid::Block<double> result{
      .global = {points.global[0], 3}, .offset = {}, .count = {}, .rows = points.rows, .values = {}};
  if (!points.count.empty()) {
    result.offset = {points.offset[0], 0};
    result.count = {points.count[0], 3};
  }
  result.values.resize(points.values.size() / width * 3);
  for (std::size_t i = 0; i < points.values.size(); ++i) result.values[i / width * 3 + i % width] = points.values[i];
  return result;
}

struct ShapeNames {
  const char* name;
  std::int64_t number; ///< XDMF's number of the shape in a mixed topology
};

ShapeNames names_of(grid::CellShape shape) {
  switch (shape) {
  case grid::CellShape::segment:
    return {"Polyline", 2};
  case grid::CellShape::triangle:
    return {"Triangle", 4};
  case grid::CellShape::quadrilateral:
    return {"Quadrilateral", 5};
  case grid::CellShape::tetrahedron:
    return {"Tetrahedron", 6};
  case grid::CellShape::pyramid:
    return {"Pyramid", 7};
  case grid::CellShape::wedge:
    return {"Wedge", 8};
  case grid::CellShape::hexahedron:
    return {"Hexahedron", 9};
  }
  return {"Polyvertex", 1};
}

/// Each cell preceded by the number of its shape, and by its number of nodes where XDMF asks for it.
grid::Block<std::int64_t> with_shape(const grid::CellBlock& cells) {
  const auto& nodes = cells.nodes;
  const std::uint64_t width = nodes.global[1];
  const std::uint64_t extra = cells.shape == grid::CellShape::segment ? 2 : 1;
  grid::Block<std::int64_t> result{
      .global = {nodes.global[0], width + extra}, .offset = {}, .count = {}, .rows = nodes.rows, .values = {}};
  if (!nodes.count.empty()) {
    result.offset = {nodes.offset[0], 0};
    result.count = {nodes.count[0], width + extra};
  }
  for (std::size_t i = 0; i < nodes.values.size(); ++i) {
    if (i % width == 0) {
      result.values.push_back(names_of(cells.shape).number);
      if (extra == 2) result.values.push_back(static_cast<std::int64_t>(width));
    }
    result.values.push_back(nodes.values[i]);
  }
  return result;
}

/// Several shapes: one list of cells behind each other, as XDMF's mixed topology wants them.
Dataset mixed_topology(MPI_Comm comm, const std::vector<grid::CellBlock>& cells) {
  std::uint64_t total = 0;
  std::vector<std::uint64_t> indices;
  std::vector<std::int64_t> values;
  for (const grid::CellBlock& block : cells) {
    const auto listed = with_shape(block);
    for (const std::uint64_t index : indices_of(listed.global, listed.offset, listed.count, listed.rows)) {
      indices.push_back(total + index);
    }
    values.insert(values.end(), listed.values.begin(), listed.values.end());
    total += entries(listed.global);
  }
  const Exchange exchange(comm, total, indices);
  return {.path = "/mesh/topology", .dims = {total}, .chunk = exchange.to_chunk(std::span<const std::int64_t>(values))};
}

void add_cells(MPI_Comm comm, const Mesh& mesh, FileContents& contents) {
  std::int64_t count = 0;
  for (const auto& block : mesh.cells) count += static_cast<std::int64_t>(block.nodes.global[0]);
  auto& attributes = contents.groups.front().attributes;
  attributes.push_back({"cells", count});
  if (mesh.cells.size() == 1) {
    const auto& cells = mesh.cells.front();
    attributes.push_back({"shape", names_of(cells.shape).name});
    contents.datasets.push_back(
        {.path = "/mesh/topology", .dims = cells.nodes.global, .chunk = chunk_from(comm, grid::Block(cells.nodes))});
  } else if (!mesh.cells.empty()) {
    attributes.push_back({"shape", "Mixed"});
    contents.datasets.push_back(mixed_topology(comm, mesh.cells));
  }
}

void add_points(MPI_Comm comm, const grid::Block<double>& given, const std::string& unit, FileContents& contents) {
  const auto points = in_space(given);
  contents.datasets.push_back({.path = "/mesh/points",
                               .dims = points.global,
                               .attributes = {{"units", unit}},
                               .chunk = chunk_from(comm, grid::Block(points))});
}

/// Points on a line are drawn as segments: ParaView reads structured grids of one direction wrongly.
void add_segments(MPI_Comm comm, std::uint64_t points, FileContents& contents) {
  const std::uint64_t segments = points > 0 ? points - 1 : 0;
  const Chunk chunk = chunk_of(2 * segments, core::rank_of(comm), core::size_of(comm));
  std::vector<std::int64_t> nodes(chunk.count);
  for (std::uint64_t i = 0; i < chunk.count; ++i) {
    nodes[i] = static_cast<std::int64_t>((chunk.first + i) / 2 + (chunk.first + i) % 2);
  }
  auto& attributes = contents.groups.front().attributes;
  attributes.push_back({"cells", static_cast<std::int64_t>(segments)});
  attributes.push_back({"shape", "Polyline"});
  contents.datasets.push_back({.path = "/mesh/topology", .dims = {segments, 2}, .chunk = std::move(nodes)});
}

void add_axes(MPI_Comm comm, const Mesh& mesh, FileContents& contents) {
  std::string names;
  for (const grid::Axis& axis : mesh.axes) {
    names += (names.empty() ? "" : " ") + axis.name;
    contents.datasets.push_back({.path = "/mesh/" + axis.name,
                                 .dims = {axis.points.size()},
                                 .attributes = {{"units", axis.unit}},
                                 .chunk = local_chunk(comm, axis.points)});
  }
  contents.groups.front().attributes.push_back({"axes", names});
}

/// This rank's chunk of the points of a box, [nz, ny, nx] of them with x, y, z each.
std::vector<double> box_points(MPI_Comm comm, const Mesh& mesh, std::uint64_t points) {
  const Chunk chunk = chunk_of(3 * points, core::rank_of(comm), core::size_of(comm));
  std::vector<double> values(chunk.count);
  for (std::uint64_t i = 0; i < chunk.count; ++i) {
    const std::uint64_t direction = (chunk.first + i) % 3;
    if (direction >= mesh.axes.size()) continue;
    std::uint64_t index = (chunk.first + i) / 3; // x counts fastest
    for (std::uint64_t d = 0; d < direction; ++d) index /= mesh.axes[d].points.size();
    const auto& along = mesh.axes[direction].points;
    values[i] = along[index % along.size()];
  }
  return values;
}

/// ParaView 5.11 spoils the coordinates of rectilinear grids, so boxes are drawn by their points.
void add_box_points(MPI_Comm comm, const Mesh& mesh, long number, PointsHolder& holder, FileContents& contents) {
  std::uint64_t points = 1;
  for (const grid::Axis& axis : mesh.axes) points *= axis.points.size();
  const long held_by = holder.holder(mesh, number);
  contents.groups.front().attributes.push_back({"points_in", static_cast<std::int64_t>(held_by)});
  if (held_by == number) {
    contents.datasets.push_back({.path = "/mesh/points",
                                 .dims = {points, 3},
                                 .attributes = {{"units", mesh.axes.front().unit}},
                                 .chunk = box_points(comm, mesh, points)});
  }
  if (mesh.axes.size() == 1) add_segments(comm, points, contents);
}

} // namespace

long PointsHolder::holder(const Mesh& mesh, long number) {
  std::vector<std::vector<double>> axes;
  for (const grid::Axis& axis : mesh.axes) axes.push_back(axis.points);
  if (number_ < 0 || axes != axes_) {
    axes_ = std::move(axes);
    number_ = number;
  }
  return number_;
}

FileContents mesh_contents(MPI_Comm comm, const Mesh& mesh, long number, PointsHolder& points) {
  FileContents contents;
  contents.groups.push_back({"/mesh", {{"kind", kind_name(mesh.kind)}, {"dimension", directions(mesh)}}});
  if (mesh.kind == Mesh::Kind::box) {
    add_axes(comm, mesh, contents);
    add_box_points(comm, mesh, number, points, contents);
  } else if (mesh.kind != Mesh::Kind::none) {
    add_points(comm, mesh.points, mesh.point_unit, contents);
    if (mesh.kind == Mesh::Kind::moving) {
      add_segments(comm, mesh.points.global[0], contents);
    } else {
      add_cells(comm, mesh, contents);
    }
  }
  return contents;
}

} // namespace rhumb::io
