#include <rhumb/io/snapshot_contents.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace rhumb::io {

using grid::Dims;
using grid::Location;
using grid::Mesh;

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
  const std::uint64_t announced = field.data.count.empty()
                                      ? field.data.rows.size() * entries(std::span(field.data.global).subspan(1))
                                      : entries(field.data.count);
  if (announced != field.data.values.size()) {
    throw std::logic_error(
        fmt::format("field '{}' announces {} values and brings {}", field.name, announced, field.data.values.size()));
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
  const Chunk chunk = chunk_of(entries(cells), core::rank_of(comm), core::size_of(comm));
  std::vector<std::uint64_t> wanted(2 * chunk.count);
  for (std::uint64_t i = 0; i < chunk.count; ++i) {
    const std::uint64_t cell = chunk.first + i;
    const std::uint64_t face = cell + cell / (along * stride) * stride; // a line has one face more than cells
    wanted[2 * i] = face;
    wanted[2 * i + 1] = face + stride;
  }
  const Exchange exchange(comm, entries(field.data.global), wanted, Exchange::Cover::any);
  const std::vector<double> pairs = exchange.to_indices(faces);
  std::vector<double> means(chunk.count);
  for (std::size_t i = 0; i < means.size(); ++i) means[i] = 0.5 * (pairs[2 * i] + pairs[2 * i + 1]);
  return {.path = "/fields/" + field.name + "_cell",
          .dims = cells,
          .attributes = attributes_of(field, Location::cell),
          .chunk = std::move(means)};
}

} // namespace

FileContents field_contents(MPI_Comm comm, const Mesh& mesh, std::vector<grid::FieldBlock> fields) {
  core::run_and_agree(comm, [&] {
    for (const auto& field : fields) check_fit(mesh, field);
  });
  FileContents contents;
  contents.groups.push_back({"/fields", {}});
  for (auto& field : fields) {
    std::vector<double> chunk = chunk_from(comm, std::move(field.data));
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
    values[problem.field_of(static_cast<PetscInt>(i))].push_back(entries_of_y[i]);
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

FileContents snapshot_contents(MPI_Comm comm, dae::Problem& problem, const SnapshotTime& moment, PointsHolder& points,
                               Additions additions) {
  auto* geometry = dynamic_cast<grid::Geometry*>(&problem);
  const Mesh mesh = geometry ? geometry->mesh(moment.t, moment.y) : Mesh{};
  auto fields = geometry ? geometry->fields(moment.t, moment.y, moment.ydot) : listed_fields(comm, problem, moment.y);
  std::ranges::move(additions.fields, std::back_inserter(fields));
  FileContents contents = mesh_contents(comm, mesh, moment.number, points);
  FileContents more = field_contents(comm, mesh, std::move(fields));
  std::ranges::move(more.groups, std::back_inserter(contents.groups));
  std::ranges::move(more.datasets, std::back_inserter(contents.datasets));
  Group series{"/series", {}};
  for (const auto& [name, value] : problem.series(moment.t, moment.y, moment.ydot)) {
    series.attributes.push_back({name, value});
  }
  for (const auto& [name, value] : additions.series) series.attributes.push_back({name, value});
  contents.groups.push_back(std::move(series));
  return contents;
}

} // namespace rhumb::io
