#include <rhumb/physics/flow/profiles.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::flow {

namespace {

void sum_over_ranks(MPI_Comm comm, std::vector<double>& values) {
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm));
}

double coordinate(const StaggeredLine& line, bool at_faces, PetscInt i) {
  return at_faces ? line.face(i) : line.centre(i);
}

/// The sample below x and the weight of the one above it.
std::pair<PetscInt, double> bracket(const StaggeredLine& line, bool at_faces, double x) {
  PetscInt i = -1;
  while (i < line.cells() && coordinate(line, at_faces, i + 1) <= x) ++i;
  const double low = coordinate(line, at_faces, i), high = coordinate(line, at_faces, i + 1);
  return {i, (x - low) / (high - low)};
}

double lagrange(const double* x, const double* f, int count, double where) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    double weight = 1.0;
    for (int j = 0; j < count; ++j)
      if (j != i) weight *= (where - x[j]) / (x[i] - x[j]);
    sum += weight * f[i];
  }
  return sum;
}

/// The extremum of the parabola through (-1, low), (0, middle), (1, high).
double parabola_gain(double low, double middle, double high) {
  const double curvature = high - 2.0 * middle + low, derivative = 0.5 * (high - low);
  return curvature == 0.0 ? 0.0 : -0.5 * derivative * derivative / curvature;
}

} // namespace

VelocityProfile profile(const Staggered& grid, int field, const SampleLine& line, Vec y) {
  const StaggeredLine& along = grid.line(line.direction);
  const bool faces = line.direction == field;
  const PetscInt count = along.cells() + (faces && !along.periodic() ? 1 : 0);
  std::vector<double> values(count, 0.0);
  {
    const core::Readable owned(y);
    grid.for_each_unknown(field, [&](PetscInt owned_index, const Index& cell) {
      double weight = 1.0;
      for (int d = 0; d < grid.dimension(); ++d) {
        if (d == line.direction) continue;
        const auto [low, upper] = bracket(grid.line(d), d == field, line.through[d]);
        const PetscInt i = cell[d];
        weight *= i == low ? 1.0 - upper : i == low + 1 ? upper : 0.0;
      }
      if (weight != 0.0) values[cell[line.direction]] += weight * owned[owned_index];
    });
  }
  sum_over_ranks(grid.comm(), values);
  VelocityProfile out;
  for (PetscInt i = 0; i < count; ++i) out.position.push_back(coordinate(along, faces, i));
  out.value = std::move(values);
  return out;
}

double extremum(const VelocityProfile& profile, int sign) {
  const auto better = [&](double a, double b) { return sign * a < sign * b; };
  const auto best = std::max_element(profile.value.begin(), profile.value.end(), better) - profile.value.begin();
  const auto last = static_cast<std::ptrdiff_t>(profile.value.size()) - 5;
  if (last < 0) return profile.value[best];
  const auto first = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(best - 2, 0, last));
  const double *x = profile.position.data() + first, *f = profile.value.data() + first;
  constexpr int samples = 2000;
  std::vector<double> value(samples + 1);
  for (std::size_t s = 0; s < value.size(); ++s)
    value[s] = lagrange(x, f, 5, x[0] + (x[4] - x[0]) * static_cast<double>(s) / samples);
  const auto sample = static_cast<std::size_t>(std::max_element(value.begin(), value.end(), better) - value.begin());
  double result = std::max(profile.value[best], value[sample], better);
  // Between the samples, so that the extremum depends on the values without corners.
  if (sample > 0 && sample < samples)
    result =
        std::max(result, value[sample] + parabola_gain(value[sample - 1], value[sample], value[sample + 1]), better);
  return result;
}

std::vector<std::pair<std::string, double>> centreline_extrema(Equations& equations, Vec y) {
  const Staggered& grid = equations.grid();
  Position middle{};
  for (int d = 0; d < grid.dimension(); ++d)
    middle[d] = 0.5 * (grid.line(d).face(0) + grid.line(d).face(grid.line(d).cells()));
  const VelocityProfile u = profile(grid, 0, {1, middle}, y), v = profile(grid, 1, {0, middle}, y);
  return {{"u_min", extremum(u, -1)}, {"v_max", extremum(v, 1)}, {"v_min", extremum(v, -1)}};
}

std::vector<double> stream_function(const Staggered& grid, Vec y) {
  const PetscInt nx = grid.line(0).cells() + 1, ny = grid.line(1).cells() + 1;
  std::vector<double> psi(nx * ny, 0.0);
  {
    const core::Readable owned(y);
    grid.for_each_face(0, [&](PetscInt base, const Index& cell) {
      psi[(cell[1] + 1) * nx + cell[0]] = owned[grid.owned(base + grid.velocity_slot(0))] * grid.line(1).width(cell[1]);
    });
    // Along the lower side: what flows through it.
    grid.for_each_face(1, [&](PetscInt base, const Index& cell) {
      if (cell[1] == 0)
        psi[cell[0] + 1] = -owned[grid.owned(base + grid.velocity_slot(1))] * grid.line(0).width(cell[0]);
    });
  }
  sum_over_ranks(grid.comm(), psi);
  if (grid.line(0).periodic())
    for (PetscInt j = 1; j < ny; ++j) psi[j * nx + nx - 1] = psi[j * nx];
  for (PetscInt i = 1; i < nx; ++i) psi[i] += psi[i - 1];
  for (PetscInt j = 1; j < ny; ++j)
    for (PetscInt i = 0; i < nx; ++i) psi[j * nx + i] += psi[(j - 1) * nx + i];
  return psi;
}

double stream_function_minimum(const Staggered& grid, Vec y) {
  const auto psi = stream_function(grid, y);
  const std::size_t nx = grid.line(0).cells() + 1, ny = grid.line(1).cells() + 1;
  const auto best = static_cast<std::size_t>(std::min_element(psi.begin(), psi.end()) - psi.begin());
  const std::size_t i = best % nx, j = best / nx;
  if (i == 0 || i + 1 == nx || j == 0 || j + 1 == ny) return psi[best];
  return psi[best] + parabola_gain(psi[best - 1], psi[best], psi[best + 1]) +
         parabola_gain(psi[best - nx], psi[best], psi[best + nx]);
}

namespace {

/// Whether this rank owns the cell around the place; its local array reaches one cell further.
bool is_mine(const Staggered& grid, const Position& position) {
  for (int d = 0; d < grid.dimension(); ++d) {
    const StaggeredLine& line = grid.line(d);
    const PetscInt cell = std::clamp<PetscInt>(bracket(line, true, position[d]).first, 0, line.cells() - 1);
    if (cell < grid.first()[d] || cell >= grid.end()[d]) return false;
  }
  return true;
}

/// Along one direction: the sample below the place and the weight of the one above. The pressure has no ghosts at walls
/// and is continued from inside.
std::pair<PetscInt, double> samples(const Staggered& grid, int field, int direction, double x) {
  const StaggeredLine& line = grid.line(direction);
  if (field != grid.dimension()) return bracket(line, direction == field, x);
  const PetscInt low = std::clamp<PetscInt>(bracket(line, false, x).first, 0, line.cells() - 2);
  return {low, (x - line.centre(low)) * line.inverse_gap(low + 1)};
}

double value_at(const Staggered& grid, int field, const Position& position, const double* local) {
  std::array<std::pair<PetscInt, double>, 3> corner{};
  for (int d = 0; d < grid.dimension(); ++d) corner[d] = samples(grid, field, d, position[d]);
  double sum = 0.0;
  for (unsigned bits = 0; bits < 1U << grid.dimension(); ++bits) {
    double weight = 1.0;
    Index cell{0, 0, 0};
    for (int d = 0; d < grid.dimension(); ++d) {
      const bool upper = (bits >> d & 1U) != 0;
      cell[d] = corner[d].first + (upper ? 1 : 0);
      weight *= upper ? corner[d].second : 1.0 - corner[d].second;
    }
    if (weight != 0.0) sum += weight * local[grid.base(cell) + grid.slot_of_field(field)];
  }
  return sum;
}

} // namespace

std::vector<double> probe_values(Equations& equations, double t, Vec y, const std::vector<Position>& places) {
  const Staggered& grid = equations.grid();
  std::vector<double> values;
  if (places.empty()) return values;
  {
    const GhostedVec local = equations.ghosted(t, y);
    for (const Position& position : places) {
      const bool mine = is_mine(grid, position);
      for (int f = 0; f < grid.field_count(); ++f)
        values.push_back(mine ? value_at(grid, f, position, local.data()) : 0.0);
    }
  }
  sum_over_ranks(grid.comm(), values);
  return values;
}

} // namespace rhumb::flow
