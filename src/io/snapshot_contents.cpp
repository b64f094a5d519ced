#include "io/snapshot_contents.hpp"

#include "core/arrays.hpp"
#include "io/agreement.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace rhumb::io {

namespace {

using grid::Dims;
using grid::Location;
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
std::vector<double> own_chunk(MPI_Comm comm, const std::vector<double>& all) {
  const Chunk chunk = chunk_of(all.size(), rank_of(comm), size_of(comm));
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

struct ShapeWords {
  const char* word;
  std::int64_t number; ///< XDMF's number of the shape in a mixed topology
};

ShapeWords words_of(grid::Shape shape) {
  switch (shape) {
  case grid::Shape::segment:
    return {"Polyline", 2};
  case grid::Shape::triangle:
    return {"Triangle", 4};
  case grid::Shape::quadrilateral:
    return {"Quadrilateral", 5};
  case grid::Shape::tetrahedron:
    return {"Tetrahedron", 6};
  case grid::Shape::pyramid:
    return {"Pyramid", 7};
  case grid::Shape::wedge:
    return {"Wedge", 8};
  case grid::Shape::hexahedron:
    return {"Hexahedron", 9};
  }
  return {"Polyvertex", 1};
}

/// Each cell preceded by the number of its shape, and by its number of nodes where XDMF asks for it.
grid::Block<std::int64_t> with_shape(const grid::CellBlock& cells) {
  const auto& nodes = cells.nodes;
  const std::uint64_t width = nodes.global[1];
  const std::uint64_t extra = cells.shape == grid::Shape::segment ? 2 : 1;
  grid::Block<std::int64_t> result{
      .global = {nodes.global[0], width + extra}, .offset = {}, .count = {}, .rows = nodes.rows, .values = {}};
  if (!nodes.count.empty()) {
    result.offset = {nodes.offset[0], 0};
    result.count = {nodes.count[0], width + extra};
  }
  for (std::size_t i = 0; i < nodes.values.size(); ++i) {
    if (i % width == 0) {
      result.values.push_back(words_of(cells.shape).number);
      if (extra == 2) result.values.push_back(static_cast<std::int64_t>(width));
    }
    result.values.push_back(nodes.values[i]);
  }
  return result;
}

/// Several shapes: one list of cells behind each other, as XDMF's mixed topology wants them.
Dataset mixed_topology(MPI_Comm comm, const std::vector<grid::CellBlock>& cells) {
  std::uint64_t total = 0;
  std::vector<std::uint64_t> places;
  std::vector<std::int64_t> values;
  for (const grid::CellBlock& block : cells) {
    const auto listed = with_shape(block);
    for (const std::uint64_t place : places_of(listed.global, listed.offset, listed.count, listed.rows)) {
      places.push_back(total + place);
    }
    values.insert(values.end(), listed.values.begin(), listed.values.end());
    total += entries(listed.global);
  }
  const Exchange exchange(comm, total, places);
  return {.path = "/mesh/topology", .dims = {total}, .chunk = exchange.to_chunk(std::span<const std::int64_t>(values))};
}

void add_cells(MPI_Comm comm, const Mesh& mesh, Contents& contents) {
  std::int64_t count = 0;
  for (const auto& block : mesh.cells) count += static_cast<std::int64_t>(block.nodes.global[0]);
  auto& attributes = contents.groups.front().attributes;
  attributes.push_back({"cells", count});
  if (mesh.cells.size() == 1) {
    const auto& cells = mesh.cells.front();
    attributes.push_back({"shape", words_of(cells.shape).word});
    contents.datasets.push_back(
        {.path = "/mesh/topology", .dims = cells.nodes.global, .chunk = chunk_from(comm, cells.nodes)});
  } else if (!mesh.cells.empty()) {
    attributes.push_back({"shape", "Mixed"});
    contents.datasets.push_back(mixed_topology(comm, mesh.cells));
  }
}

} // namespace

Contents mesh_contents(MPI_Comm comm, const Mesh& mesh) {
  Contents contents;
  contents.groups.push_back({"/mesh", {{"kind", kind_name(mesh.kind)}, {"dimension", directions(mesh)}}});
  if (mesh.kind == Mesh::Kind::box) {
    std::string names;
    for (const grid::Axis& axis : mesh.axes) {
      names += (names.empty() ? "" : " ") + axis.name;
      contents.datasets.push_back({.path = "/mesh/" + axis.name,
                                   .dims = {axis.points.size()},
                                   .attributes = {{"units", axis.unit}},
                                   .chunk = own_chunk(comm, axis.points)});
    }
    contents.groups.front().attributes.push_back({"axes", names});
  } else if (mesh.kind != Mesh::Kind::none) {
    const auto points = in_space(mesh.points);
    contents.datasets.push_back({.path = "/mesh/points",
                                 .dims = points.global,
                                 .attributes = {{"units", mesh.point_unit}},
                                 .chunk = chunk_from(comm, points)});
    add_cells(comm, mesh, contents);
  }
  return contents;
}

namespace {

/// The direction of a face field in its dims: x is the last, y the one before.
std::size_t face_direction(const grid::FieldBlock& field, std::size_t directions) {
  const auto back = static_cast<std::size_t>(field.location) - static_cast<std::size_t>(Location::face_x);
  return directions - 1 - back;
}

bool on_faces(const grid::FieldBlock& field) {
  return field.location >= Location::face_x;
}

/// What the sizes of a field must be; empty where anything goes.
Dims expected_dims(const Mesh& mesh, const grid::FieldBlock& field) {
  Dims dims;
  if (field.location == Location::none) return dims;
  if (mesh.kind == Mesh::Kind::box) {
    const std::uint64_t less = field.location == Location::point ? 0 : 1;
    for (auto axis = mesh.axes.rbegin(); axis != mesh.axes.rend(); ++axis) dims.push_back(axis->points.size() - less);
    if (on_faces(field)) ++dims.at(face_direction(field, dims.size()));
  } else if (field.location == Location::point && mesh.kind != Mesh::Kind::none) {
    dims.push_back(mesh.points.global[0]);
  } else if (mesh.kind == Mesh::Kind::moving) {
    dims.push_back(mesh.points.global[0] - 1);
  } else if (mesh.kind == Mesh::Kind::unstructured) {
    dims.push_back(0);
    for (const auto& block : mesh.cells) dims.back() += block.nodes.global[0];
  }
  if (field.components > 1) dims.push_back(field.components);
  return dims;
}

void check_fit(const Mesh& mesh, const grid::FieldBlock& field) {
  const bool faces_fit =
      mesh.kind == Mesh::Kind::box && field.components == 1 &&
      field.location < static_cast<Location>(static_cast<std::size_t>(Location::face_x) + mesh.axes.size());
  if (on_faces(field) && !faces_fit) {
    throw std::logic_error(
        fmt::format("field '{}' ({}): values on faces need a box with that direction, and are single "
                    "numbers",
                    field.name, grid::name(field.location)));
  }
  const Dims expected = expected_dims(mesh, field);
  if (!expected.empty() && field.data.global != expected) {
    throw std::logic_error(fmt::format("field '{}' ({}) has the sizes [{}], its mesh asks for [{}]", field.name,
                                       grid::name(field.location), fmt::join(field.data.global, ", "),
                                       fmt::join(expected, ", ")));
  }
  const std::uint64_t own = field.data.count.empty()
                                ? field.data.rows.size() * entries(std::span(field.data.global).subspan(1))
                                : entries(field.data.count);
  if (own != field.data.values.size()) {
    throw std::logic_error(
        fmt::format("field '{}' announces {} values and brings {}", field.name, own, field.data.values.size()));
  }
}

std::vector<Attribute> attributes_of(const grid::FieldBlock& field, Location location) {
  return {{"units", field.unit},
          {"long_name", field.long_name.empty() ? field.name : field.long_name},
          {"location", grid::name(location)},
          {"components", static_cast<std::int64_t>(field.components)}};
}

/// The mean of the two faces of each cell, from this rank's chunk of the faces to its chunk of the cells.
Dataset cell_means(MPI_Comm comm, const grid::FieldBlock& field, std::span<const double> faces) {
  const std::size_t direction = face_direction(field, field.data.global.size());
  Dims cells = field.data.global;
  --cells.at(direction);
  const std::uint64_t stride = entries(std::span(cells).subspan(direction + 1));
  const std::uint64_t along = cells[direction];
  const Chunk chunk = chunk_of(entries(cells), rank_of(comm), size_of(comm));
  std::vector<std::uint64_t> wanted(2 * chunk.count);
  for (std::uint64_t i = 0; i < chunk.count; ++i) {
    const std::uint64_t cell = chunk.first + i;
    const std::uint64_t face = cell + cell / (along * stride) * stride; // a line has one face more than cells
    wanted[2 * i] = face;
    wanted[2 * i + 1] = face + stride;
  }
  const Exchange exchange(comm, entries(field.data.global), wanted, Exchange::Cover::any);
  const std::vector<double> pairs = exchange.to_places(faces);
  std::vector<double> means(chunk.count);
  for (std::size_t i = 0; i < means.size(); ++i) means[i] = 0.5 * (pairs[2 * i] + pairs[2 * i + 1]);
  return {.path = "/fields/" + field.name + "_cell",
          .dims = cells,
          .attributes = attributes_of(field, Location::cell),
          .chunk = std::move(means)};
}

} // namespace

Contents field_contents(MPI_Comm comm, const Mesh& mesh, const std::vector<grid::FieldBlock>& fields) {
  together(comm, [&] {
    for (const auto& field : fields) check_fit(mesh, field);
  });
  Contents contents;
  contents.groups.push_back({"/fields", {}});
  for (const auto& field : fields) {
    std::vector<double> chunk = chunk_from(comm, field.data);
    std::optional<Dataset> means;
    if (on_faces(field)) means = cell_means(comm, field, chunk);
    contents.datasets.push_back({.path = "/fields/" + field.name,
                                 .dims = field.data.global,
                                 .attributes = attributes_of(field, field.location),
                                 .chunk = std::move(chunk)});
    if (means) contents.datasets.push_back(std::move(*means));
  }
  return contents;
}

std::vector<grid::FieldBlock> listed_fields(MPI_Comm comm, const dae::Problem& problem, Vec y) {
  const std::vector<dae::Field> fields = problem.fields();
  std::vector<std::vector<double>> values(fields.size());
  const core::Readable entries_of_y(y);
  for (std::size_t i = 0; i < entries_of_y.size(); ++i) {
    values[static_cast<std::size_t>(problem.field_of(static_cast<PetscInt>(i)))].push_back(entries_of_y[i]);
  }
  std::vector<std::uint64_t> counts(fields.size()), ends(fields.size()), totals(fields.size());
  std::ranges::transform(values, counts.begin(), [](const auto& list) { return list.size(); });
  const int length = static_cast<int>(counts.size());
  core::check_mpi(MPI_Scan(counts.data(), ends.data(), length, MPI_UINT64_T, MPI_SUM, comm));
  core::check_mpi(MPI_Allreduce(counts.data(), totals.data(), length, MPI_UINT64_T, MPI_SUM, comm));
  std::vector<grid::FieldBlock> blocks;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    blocks.push_back({.name = fields[k].name,
                      .unit = fields[k].unit,
                      .long_name = fields[k].long_name,
                      .data = grid::piece(totals[k], ends[k] - counts[k], std::move(values[k]))});
  }
  return blocks;
}

Contents snapshot_contents(MPI_Comm comm, dae::Problem& problem, const Moment& moment) {
  auto* geometry = dynamic_cast<grid::Geometry*>(&problem);
  const Mesh mesh = geometry ? geometry->mesh(moment.t, moment.y) : Mesh{};
  const auto fields =
      geometry ? geometry->fields(moment.t, moment.y, moment.ydot) : listed_fields(comm, problem, moment.y);
  Contents contents = mesh_contents(comm, mesh);
  Contents more = field_contents(comm, mesh, fields);
  std::ranges::move(more.groups, std::back_inserter(contents.groups));
  std::ranges::move(more.datasets, std::back_inserter(contents.datasets));
  Group series{"/series", {}};
  for (const auto& [name, value] : problem.series(moment.t, moment.y, moment.ydot)) {
    series.attributes.push_back({name, value});
  }
  contents.groups.push_back(std::move(series));
  return contents;
}

} // namespace rhumb::io
