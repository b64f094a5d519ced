#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/measures.hpp>

namespace rhumb::flow {

namespace {

/// Force of the fluid in a cell on what lies beyond its face in direction d (sign = 1: above): pressure carried to the
/// face linearly, friction from the difference across it.
Position force_of_cell(const Equations& equations, const double* y, const Index& cell, int d, int sign) {
  const Staggered& grid = equations.grid();
  const StaggeredLine& line = grid.line(d);
  const PetscInt base = grid.base(cell), out = sign * grid.stride(d), i = cell[d];
  const double area = grid.volume(grid.dimension(), cell) * line.inverse_width(i);
  const double* p = y + base + grid.pressure_slot();
  Index inside = cell;
  inside[d] -= sign;
  const bool inner = grid.global(grid.base(inside) + grid.pressure_slot()) >= 0 &&
                     !(equations.boundary().any_solid() && equations.boundary().solid(inside));
  const double gap = sign > 0 ? line.gap(i) : line.gap(i + 1);
  const double derivative = inner ? (p[0] - p[-out]) / gap : 0.0;
  Position force{};
  force[d] = sign * area * (p[0] + 0.5 * line.width(i) * derivative);
  const double inverse = sign > 0 ? line.inverse_gap(i + 1) : line.inverse_gap(i);
  for (int c = 0; c < grid.dimension(); ++c) {
    if (c == d) continue;
    const double* u = y + base + grid.velocity_slot(c);
    const PetscInt next = grid.stride(c);
    const double step = 0.5 * (u[out] + u[out + next]) - 0.5 * (u[0] + u[next]);
    force[c] = -area * equations.medium().nu * step * inverse;
  }
  return force;
}

} // namespace

std::vector<Force> forces(Equations& equations, const Case& flow_case, double t, Vec y) {
  const Staggered& grid = equations.grid();
  std::vector<Force> out;
  const GhostedVec local = equations.ghosted(t, y);
  for (int d = 0; d < grid.dimension(); ++d)
    for (const int upper : {0, 1}) {
      const auto type = flow_case.side(d, upper).type;
      if (type != Side::Type::wall && type != Side::Type::moving && type != Side::Type::slip) continue;
      Force side{grid::side_names[2 * d + upper]};
      grid.for_each_cell([&](PetscInt, const Index& cell) {
        if (cell[d] != (upper == 0 ? 0 : grid.line(d).cells() - 1)) return;
        if (equations.boundary().any_solid() && equations.boundary().solid(cell)) return;
        const Position force = force_of_cell(equations, local.data(), cell, d, upper == 0 ? -1 : 1);
        for (std::size_t c = 0; c < 3; ++c) side.force[c] += force[c];
      });
      out.push_back(side);
    }
  if (equations.boundary().any_solid()) {
    Force obstacle{"obstacle"};
    for (const auto& contact : equations.boundary().contacts()) {
      const Position force = force_of_cell(equations, local.data(), contact.cell, contact.direction, contact.sign);
      for (std::size_t c = 0; c < 3; ++c) obstacle.force[c] += force[c];
    }
    out.push_back(obstacle);
  }
  for (Force& one : out)
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, one.force.data(), 3, MPI_DOUBLE, MPI_SUM, grid.comm()));
  return out;
}

} // namespace rhumb::flow
