#include "samples.hpp"

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <fmt/format.h>
#include <petscao.h>

namespace rhumb::samples {

using core::check;
using grid::Location;

namespace {

std::uint64_t wide(PetscInt n) {
  return static_cast<std::uint64_t>(n);
}

core::VecHandle vector_of(MPI_Comm comm, PetscInt n) {
  core::VecHandle vector;
  check(VecCreateMPI(comm, PETSC_DECIDE, n, vector.out()));
  return vector;
}

} // namespace

Box::Box(MPI_Comm comm, PetscInt nx, PetscInt ny) : comm_(comm), nx_(nx), ny_(ny) {
  check(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, nx + 1, ny + 1, PETSC_DECIDE,
                     PETSC_DECIDE, 2, 1, nullptr, nullptr, grid_.out()));
  check(DMSetUp(grid_));
}

core::VecHandle Box::create_vector() const {
  core::VecHandle vector;
  check(DMCreateGlobalVector(grid_, vector.out()));
  return vector;
}

std::string Box::signature() const {
  return fmt::format("box {} x {}", nx_, ny_);
}

grid::Mesh Box::mesh(double, Vec) {
  const auto axis = [](const char* name, PetscInt n) {
    grid::Axis result{.name = name, .unit = "m", .points = {}};
    for (PetscInt i = 0; i <= n; ++i) result.points.push_back(static_cast<double>(i) / static_cast<double>(n));
    return result;
  };
  return {.kind = grid::Mesh::Kind::box, .axes = {axis("x", nx_), axis("y", ny_)}};
}

grid::FieldBlock Box::on_box(const std::string& name, Location location, double (*formula)(double, double, double),
                             double t) const {
  PetscInt x0 = 0, y0 = 0, mx = 0, my = 0;
  check(DMDAGetCorners(grid_, &x0, &y0, nullptr, &mx, &my, nullptr));
  // Points and faces share the cut of the points; of the cells, the last rank has one fewer.
  const PetscInt less_x = location == Location::point || location == Location::face_x ? 0 : 1;
  const PetscInt less_y = location == Location::point || location == Location::face_y ? 0 : 1;
  if (x0 + mx == nx_ + 1) mx -= less_x;
  if (y0 + my == ny_ + 1) my -= less_y;
  grid::FieldBlock field{.name = name, .unit = "m/s", .location = location, .data = {}};
  field.data.global = {wide(ny_ + 1 - less_y), wide(nx_ + 1 - less_x)};
  field.data.offset = {wide(y0), wide(x0)};
  field.data.count = {wide(my), wide(mx)};
  for (PetscInt j = y0; j < y0 + my; ++j) {
    for (PetscInt i = x0; i < x0 + mx; ++i) {
      const double x = (static_cast<double>(i) + 0.5 * static_cast<double>(less_x)) / static_cast<double>(nx_);
      const double y = (static_cast<double>(j) + 0.5 * static_cast<double>(less_y)) / static_cast<double>(ny_);
      field.data.values.push_back(formula(t, x, y));
    }
  }
  return field;
}

std::vector<grid::FieldBlock> Box::fields(double t, Vec, Vec) {
  auto hot = on_box("temperature", Location::point, temperature, t);
  hot.unit = std::string("K");
  hot.long_name = std::string("temperature of the gas");
  auto p = on_box(
      "pressure", Location::cell, [](double, double x, double y) { return x + 10.0 * y; }, t);
  p.unit = std::string("Pa");
  auto flow = on_box(
      "velocity", Location::cell, [](double, double x, double y) { return u(x, y); }, t);
  const auto other = on_box(
      "v", Location::cell, [](double, double x, double y) { return v(x, y); }, t);
  flow.components = 2;
  flow.data.global.push_back(2);
  flow.data.offset.push_back(0);
  flow.data.count.push_back(2);
  std::vector<double> both;
  for (std::size_t i = 0; i < other.data.values.size(); ++i) {
    both.push_back(flow.data.values[i]);
    both.push_back(other.data.values[i]);
  }
  flow.data.values = both;
  return {hot, p, flow,
          on_box(
              "u", Location::face_x, [](double, double x, double y) { return u(x, y); }, t),
          on_box(
              "v", Location::face_y, [](double, double x, double y) { return v(x, y); }, t)};
}

std::vector<PetscInt> Box::natural_indices() const {
  const core::VecHandle vector = create_vector();
  PetscInt first = 0, end = 0;
  check(VecGetOwnershipRange(vector, &first, &end));
  std::vector<PetscInt> indices;
  for (PetscInt i = first; i < end; ++i) indices.push_back(i / 2);
  AO order = nullptr;
  check(DMDAGetAO(grid_, &order));
  for (PetscInt& index : indices) index *= 2;
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] += static_cast<PetscInt>(i % 2);
  check(AOPetscToApplication(order, static_cast<PetscInt>(indices.size()), indices.data()));
  return indices;
}

namespace {

/// A formula of place at `n` places of a line, the first of them `shift` spacings from its start.
grid::Block<double> along_line(MPI_Comm comm, PetscInt n, PetscInt cells, double shift) {
  PetscInt first = 0, end = 0;
  check(VecGetOwnershipRange(vector_of(comm, n), &first, &end));
  std::vector<double> values;
  for (PetscInt i = first; i < end; ++i)
    values.push_back(std::sin((static_cast<double>(i) + shift) / static_cast<double>(cells)));
  return grid::piece(wide(n), wide(first), std::move(values));
}

} // namespace

core::VecHandle Line::create_vector() const {
  return vector_of(comm_, n_ + 1);
}

grid::Mesh Line::mesh(double, Vec) {
  grid::Axis axis{.name = "r", .unit = "mm", .points = {}};
  for (PetscInt i = 0; i <= n_; ++i) axis.points.push_back(static_cast<double>(i) / static_cast<double>(n_));
  return {.kind = grid::Mesh::Kind::box, .axes = {axis}};
}

std::vector<grid::FieldBlock> Line::fields(double, Vec, Vec) {
  return {{.name = "u", .location = Location::point, .data = along_line(comm_, n_ + 1, n_, 0.0)},
          {.name = "flux", .location = Location::cell, .data = along_line(comm_, n_, n_, 0.5)}};
}

core::VecHandle Moving::create_vector() const {
  return vector_of(comm_, 2 * n_);
}

grid::Block<double> Moving::on_points(double t, double (*formula)(double, double)) const {
  const core::VecHandle points = vector_of(comm_, points_at(t));
  PetscInt first = 0, end = 0;
  check(VecGetOwnershipRange(points, &first, &end));
  std::vector<double> values;
  for (PetscInt i = first; i < end; ++i) {
    values.push_back(formula(t, static_cast<double>(i) / static_cast<double>(points_at(t) - 1)));
  }
  return grid::piece(wide(points_at(t)), wide(first), std::move(values));
}

grid::Mesh Moving::mesh(double t, Vec) {
  return {.kind = grid::Mesh::Kind::moving, .point_unit = "m", .points = on_points(t, position)};
}

std::vector<grid::FieldBlock> Moving::fields(double t, Vec, Vec) {
  const auto front = [](double time, double s) {
    return 0.5 * (1.0 - std::tanh(20.0 * (position(time, s) - 0.2 - 0.5 * time)));
  };
  return {{.name = "u", .unit = "K", .long_name = "front", .location = Location::point, .data = on_points(t, front)}};
}

core::VecHandle Unstructured::create_vector() const {
  return vector_of(comm_, static_cast<PetscInt>((n_ + 1) * (n_ + 1)));
}

grid::Mesh Unstructured::mesh(double, Vec) {
  const auto rank = static_cast<std::uint64_t>(core::rank_of(comm_)),
             size = static_cast<std::uint64_t>(core::size_of(comm_));
  const std::uint64_t side = n_ + 1;
  grid::Mesh mesh{.kind = grid::Mesh::Kind::unstructured, .point_unit = "m", .points = {.global = {side * side, 2}}};
  for (std::uint64_t p = rank; p < side * side; p += size) {
    mesh.points.rows.push_back(p);
    mesh.points.values.push_back(static_cast<double>(p % side) / static_cast<double>(n_));
    mesh.points.values.push_back(static_cast<double>(p / side) / static_cast<double>(n_));
  }
  const std::uint64_t cut = cells_ == Cells::mixed ? n_ / 2 : n_; // rows of squares from here on are not cut
  grid::CellBlock triangles{grid::CellShape::triangle, {.global = {2 * cut * n_, 3}}};
  grid::CellBlock squares{grid::CellShape::quadrilateral, {.global = {(n_ - cut) * n_, 4}}};
  for (std::uint64_t q = rank; q < n_ * n_; q += size) {
    const auto a = static_cast<std::int64_t>(q / n_ * side + q % n_), up = static_cast<std::int64_t>(side);
    if (q < cut * n_) {
      triangles.nodes.rows.insert(triangles.nodes.rows.end(), {2 * q, 2 * q + 1});
      for (const std::int64_t node : {a, a + 1, a + up, a + 1, a + up + 1, a + up})
        triangles.nodes.values.push_back(node);
    } else {
      squares.nodes.rows.push_back(q - cut * n_);
      for (const std::int64_t node : {a, a + 1, a + up + 1, a + up}) squares.nodes.values.push_back(node);
    }
  }
  mesh.cells.push_back(std::move(triangles));
  if (cells_ == Cells::mixed) mesh.cells.push_back(std::move(squares));
  return mesh;
}

std::vector<grid::FieldBlock> Unstructured::fields(double t, Vec y, Vec) {
  const grid::Mesh local_mesh = mesh(t, y);
  grid::FieldBlock u{
      .name = "u", .unit = "K", .location = Location::point, .data = {.global = {local_mesh.points.global[0]}}};
  u.data.rows = local_mesh.points.rows;
  for (std::size_t i = 0; i < local_mesh.points.rows.size(); ++i) {
    u.data.values.push_back(Box::temperature(t, local_mesh.points.values[2 * i], local_mesh.points.values[2 * i + 1]));
  }
  grid::FieldBlock index{.name = "number", .location = Location::cell, .data = {.global = {0}}};
  for (const auto& block : local_mesh.cells) {
    for (const std::uint64_t row : block.nodes.rows) {
      index.data.rows.push_back(index.data.global[0] + row);
      index.data.values.push_back(static_cast<double>(index.data.global[0] + row));
    }
    index.data.global[0] += block.nodes.global[0];
  }
  return {u, index};
}

} // namespace rhumb::samples
