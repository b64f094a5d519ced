#include <rhumb/core/arrays.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/flow/profiles.hpp>
#include <fmt/format.h>

namespace rhumb::flow {

namespace {
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
    const StaggeredLine& line = grid_.line(d);
    for (const PetscInt i : selected_[d]) axis.points.push_back(line.centre(i));
    for (PetscInt i = 0; i <= line.cells() && selected_[d].empty(); ++i) axis.points.push_back(line.face(i));
    mesh.axes.push_back(std::move(axis));
  }
  return mesh;
}

std::vector<grid::FieldBlock> Flow::fields(double t, Vec y, Vec /*ydot*/) {
  const auto about = fields();
  std::vector<grid::FieldBlock> out;
  {
    const GhostedVec local = equations_.ghosted(t, y);
    for (int f = 0; f < grid_.field_count(); ++f)
      out.push_back(field_block(
          {about[f].name, about[f].long_name, local.data(), grid_.slot_of_field(f), f < grid_.dimension() ? f : -1}));
    if (const double* eddy = equations_.eddy_viscosity(local.data()))
      out.push_back(field_block({"eddy_viscosity", "eddy viscosity", eddy, grid_.pressure_slot()}));
    if (grid_.dimension() == 2 && case_.selection.whole()) out.push_back(vorticity(local.data()));
  }
  if (grid_.dimension() == 2 && case_.selection.whole()) out.push_back(stream_function_field(y));
  if (averages_) add_averages(out);
  return out;
}

/// Means, variances and covariances of the components.
void Flow::add_averages(std::vector<grid::FieldBlock>& out) const {
  const core::VecHandle values = grid_.create_vector(), local = grid_.create_local();
  const auto names = field_names(grid_.dimension(), grid_.has_scalar());
  const auto add = [&](const std::string& name, const std::string& long_name, PetscInt slot, int normal) {
    const core::Readable by_offset(local);
    out.push_back(field_block({name, long_name, by_offset.begin(), slot, normal}));
  };
  const auto each_field = [&](auto&& body) {
    for (int f = 0; f < grid_.field_count(); ++f)
      body(names[f], grid_.slot_of_field(f), f < grid_.dimension() ? f : -1);
  };
  averages_->mean(values);
  grid_.scatter(values, local);
  each_field([&](const std::string& name, PetscInt slot, int normal) {
    add(name + "_mean", "time average of " + name, slot, normal);
  });
  averages_->variances(values);
  grid_.scatter(values, local);
  each_field([&](const std::string& name, PetscInt slot, int normal) {
    add(name + name, "variance of " + name, slot, normal);
  });
  averages_->covariances(values);
  grid_.scatter(values, local);
  const std::array<const char*, 3> pairs{"uv", "uw", "vw"};
  for (int i = 0; i < (grid_.dimension() == 2 ? 1 : 3); ++i)
    add(pairs[i], fmt::format("covariance of {} and {}", pairs[i][0], pairs[i][1]), grid_.velocity_slot(i), -1);
}

grid::FieldBlock Flow::field_block(const Quantity& quantity) const {
  return case_.selection.whole() ? whole_field(quantity) : selected_field(quantity);
}

grid::FieldBlock Flow::whole_field(const Quantity& quantity) const {
  const std::array<grid::Location, 3> faces{grid::Location::face_x, grid::Location::face_y, grid::Location::face_z};
  const int normal = quantity.normal;
  Index whole{1, 1, 1}, end = grid_.end();
  for (int d = 0; d < grid_.dimension(); ++d) whole[d] = grid_.line(d).cells();
  if (normal >= 0) { // the last face too, which a periodic direction does not have as an unknown
    whole[normal] += 1;
    if (end[normal] + 1 == whole[normal]) end[normal] += 1;
  }
  grid::FieldBlock field{quantity.name,
                         "",
                         quantity.long_name,
                         normal >= 0 ? faces[normal] : grid::Location::cell,
                         1,
                         block(grid_.dimension(), whole, grid_.first(), end)};
  const Boundary& boundary = equations_.boundary();
  Staggered::visit(grid_.first(), end, [&](const Index& cell) {
    Index below = cell;
    if (normal >= 0) below[normal] -= 1;
    const bool hidden = boundary.any_solid() && boundary.solid(cell) && boundary.solid(below);
    field.data.values.push_back(hidden ? 0.0 : quantity.local[grid_.base(cell) + quantity.slot]);
  });
  return field;
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
  std::vector<PetscInt> indices(grid_.owned_count());
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
