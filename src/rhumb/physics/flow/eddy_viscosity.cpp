#include <rhumb/physics/flow/eddy_viscosity.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::flow {

namespace {

using Tensor = std::array<Position, 3>;

/// du_c/dx_d at the centre of a cell.
Tensor gradient(const Staggered& grid, const double* y, PetscInt base, const Index& cell) {
  Tensor out{};
  for (int c = 0; c < grid.dimension(); ++c) {
    const double* u = y + base + grid.velocity_slot(c);
    const PetscInt next = grid.stride(c);
    for (int d = 0; d < grid.dimension(); ++d) {
      const StaggeredLine& line = grid.line(d);
      const PetscInt up = grid.stride(d), j = cell[d];
      if (d == c)
        out[c][d] = (u[next] - u[0]) * line.inverse_width(j);
      else
        out[c][d] = 0.5 * (u[up] + u[up + next] - u[-up] - u[next - up]) / (line.gap(j) + line.gap(j + 1));
    }
  }
  return out;
}

Tensor symmetric(const Tensor& a) {
  Tensor out{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = 0.5 * (a[i][j] + a[j][i]);
  return out;
}

double square(const Tensor& a) {
  double sum = 0.0;
  for (const Position& row : a)
    for (const double entry : row) sum += entry * entry;
  return sum;
}

/// The rate that Delta^2 C^2 multiplies.
double smagorinsky(const Tensor& g) {
  return std::sqrt(2.0 * square(symmetric(g)));
}

double wale(const Tensor& g) {
  Tensor z{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) z[i][j] += g[i][k] * g[k][j];
  z = symmetric(z);
  const double third = (z[0][0] + z[1][1] + z[2][2]) / 3.0;
  for (int i = 0; i < 3; ++i) z[i][i] -= third;
  const double s = square(symmetric(g)), turning = square(z);
  const double denominator = std::pow(s, 2.5) + std::pow(turning, 1.25);
  return denominator > 0.0 ? std::pow(turning, 1.5) / denominator : 0.0;
}

} // namespace

EddyViscosity::EddyViscosity(const Case& flow_case, const Staggered& grid, const Boundary& boundary)
    : case_(flow_case), grid_(grid), boundary_(boundary), owned_(grid.create_vector()), local_(grid.create_local()),
      values_(static_cast<std::size_t>(grid.places()), 0.0) {
  core::check(VecSet(owned_, 0.0));
}

double EddyViscosity::at_cell(const double* y, PetscInt base, const Index& cell) const {
  if (boundary_.any_solid() && boundary_.solid(cell)) return 0.0;
  const int dimension = grid_.dimension();
  const double length = case_.subgrid_constant * std::pow(grid_.volume(dimension, cell), 1.0 / dimension);
  const Tensor g = gradient(grid_, y, base, cell);
  return length * length * (case_.subgrid == Subgrid::wale ? wale(g) : smagorinsky(g));
}

void EddyViscosity::update(const double* y) {
  {
    const core::Writable out(owned_);
    grid_.for_each_cell([&](PetscInt base, const Index& cell) {
      out[grid_.owned(base + grid_.pressure_slot())] = at_cell(y, base, cell);
    });
  }
  grid_.scatter(owned_, local_);
  const core::Readable local(local_);
  std::copy(local.begin(), local.end(), values_.begin());
  copy_outwards();
}

void EddyViscosity::copy_outwards() {
  Staggered::visit(grid_.ghost_first(), grid_.ghost_end(), [&](const Index& cell) {
    Index inside = cell;
    for (int d = 0; d < grid_.dimension(); ++d)
      if (!grid_.line(d).periodic()) inside[d] = std::clamp<PetscInt>(cell[d], 0, grid_.line(d).cells() - 1);
    if (inside != cell)
      values_[grid_.base(cell) + grid_.pressure_slot()] = values_[grid_.base(inside) + grid_.pressure_slot()];
  });
}

} // namespace rhumb::flow
