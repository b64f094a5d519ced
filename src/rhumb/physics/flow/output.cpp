#include <rhumb/core/arrays.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/flow/profiles.hpp>
#include <fmt/format.h>

namespace rhumb::flow {

namespace {
std::size_t at(PetscInt i) {
  return static_cast<std::size_t>(i);
}

/// The part [first, end) of an array with `sizes` entries per direction, in C order.
grid::Block<double> block(int dimension, const Index& sizes, const Index& first, const Index& end) {
  grid::Block<double> out;
  for (int d = dimension - 1; d >= 0; --d) {
    out.global.push_back(static_cast<std::uint64_t>(sizes[d]));
    out.offset.push_back(static_cast<std::uint64_t>(first[d]));
    out.count.push_back(static_cast<std::uint64_t>(end[d] - first[d]));
  }
  return out;
}
} // namespace

std::string Flow::signature() const {
  return fmt::format("staggered {}{}{}, stretch {:g} {:g} {:g}", case_.shape.describe(),
                     grid_.has_scalar() ? ", scalar" : "", case_.formulation == Formulation::index1 ? ", index 1" : "",
                     case_.stretch[0], case_.stretch[1], case_.stretch[2]);
}

grid::Mesh Flow::mesh(double /*t*/, Vec /*y*/) {
  grid::Mesh mesh;
  mesh.kind = grid::Mesh::Kind::box;
  for (int d = 0; d < grid_.dimension(); ++d) {
    grid::Axis axis{std::string(1, "xyz"[d]), "", {}};
    for (PetscInt i = 0; i <= grid_.line(d).cells(); ++i) axis.points.push_back(grid_.line(d).face(i));
    mesh.axes.push_back(std::move(axis));
  }
  return mesh;
}

std::vector<grid::FieldBlock> Flow::fields(double t, Vec y, Vec /*ydot*/) {
  const auto about = fields();
  const std::array<grid::Location, 3> faces{grid::Location::face_x, grid::Location::face_y, grid::Location::face_z};
  Index sizes{1, 1, 1};
  for (int d = 0; d < grid_.dimension(); ++d) sizes[d] = grid_.line(d).cells();
  const auto& boundary = equations_.boundary();
  std::vector<grid::FieldBlock> out;
  const auto solid = [&](const Index& cell) { return boundary.any_solid() && boundary.solid(cell); };
  {
    const GhostedVec local = equations_.ghosted(t, y);
    for (int f = 0; f < grid_.field_count(); ++f) {
      Index whole = sizes, end = grid_.end();
      if (f < grid_.dimension()) { // the last face too, which a periodic direction does not have as an unknown
        whole[f] += 1;
        if (end[f] == sizes[f]) end[f] += 1;
      }
      grid::FieldBlock field{about[f].name,
                             about[f].unit,
                             about[f].long_name,
                             f < grid_.dimension() ? faces[f] : grid::Location::cell,
                             1,
                             block(grid_.dimension(), whole, grid_.first(), end)};
      const PetscInt slot = grid_.slot_of_field(f);
      Staggered::visit(grid_.first(), end, [&](const Index& cell) {
        Index below = cell;
        if (f < grid_.dimension()) below[f] -= 1;
        const bool hidden = solid(cell) && solid(below);
        field.data.values.push_back(hidden ? 0.0 : local.data()[grid_.base(cell) + slot]);
      });
      out.push_back(std::move(field));
    }
    if (grid_.dimension() == 2) out.push_back(vorticity(local.data()));
  }
  if (grid_.dimension() == 2) out.push_back(stream_function_field(y));
  return out;
}

/// dv/dx - du/dy at the corners.
grid::FieldBlock Flow::vorticity(const double* y) const {
  Index sizes{grid_.line(0).cells() + 1, grid_.line(1).cells() + 1, 1}, end = grid_.end();
  for (const std::size_t d : {0U, 1U})
    if (end[d] + 1 == sizes[d]) end[d] += 1;
  grid::FieldBlock field{"vorticity", "", "vorticity", grid::Location::point, 1, block(2, sizes, grid_.first(), end)};
  Staggered::visit(grid_.first(), end, [&](const Index& cell) {
    const PetscInt base = grid_.base(cell), u = base + grid_.velocity_slot(0), v = base + grid_.velocity_slot(1);
    field.data.values.push_back((y[v] - y[v - grid_.stride(0)]) * grid_.line(0).inverse_gap(cell[0]) -
                                (y[u] - y[u - grid_.stride(1)]) * grid_.line(1).inverse_gap(cell[1]));
  });
  return field;
}

grid::FieldBlock Flow::stream_function_field(Vec y) const {
  const auto psi = stream_function(grid_, y);
  const PetscInt nx = grid_.line(0).cells() + 1, ny = grid_.line(1).cells() + 1;
  Index end = grid_.end();
  if (end[0] + 1 == nx) end[0] += 1;
  if (end[1] + 1 == ny) end[1] += 1;
  grid::FieldBlock field{
      "psi", "", "stream function", grid::Location::point, 1, block(2, {nx, ny, 1}, grid_.first(), end)};
  Staggered::visit(grid_.first(), end,
                   [&](const Index& cell) { field.data.values.push_back(psi[cell[1] * nx + cell[0]]); });
  return field;
}

std::vector<PetscInt> Flow::natural_indices() const {
  std::vector<PetscInt> indices(at(grid_.owned_count()));
  PetscInt before = 0;
  for (int f = 0; f < grid_.field_count(); ++f) {
    Index sizes{1, 1, 1};
    for (int d = 0; d < grid_.dimension(); ++d)
      sizes[d] = grid_.line(d).cells() + (d == f && !grid_.line(d).periodic() ? 1 : 0);
    grid_.for_each_unknown(f, [&](PetscInt owned_index, const Index& c) {
      indices[owned_index] = before + (c[2] * sizes[1] + c[1]) * sizes[0] + c[0];
    });
    before += sizes[0] * sizes[1] * sizes[2];
  }
  return indices;
}

} // namespace rhumb::flow
