#include <rhumb/physics/flow/measures.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::flow {

namespace {

template <std::size_t N>
void sum_over_ranks(MPI_Comm comm, std::array<double, N>& sums) {
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(N), MPI_DOUBLE, MPI_SUM, comm));
}

double largest_over_ranks(MPI_Comm comm, double value) {
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm));
  return value;
}

bool in_fluid(const Boundary& boundary, const Index& cell) {
  return !boundary.any_solid() || !boundary.solid(cell);
}

/// The sums of Measures, over this rank's unknowns.
class Sweep {
public:
  Sweep(const Equations& equations, const double* y)
      : equations_(equations), grid_(equations.grid()), boundary_(equations.boundary()), y_(y) {}

  double energy() const {
    double sum = 0.0;
    each_momentum([&](int c, PetscInt offset, const Index& cell) {
      sum += 0.5 * grid_.volume(c, cell) * y_[offset] * y_[offset];
    });
    return sum;
  }

  /// Its derivatives; y holds this rank's unknowns alone.
  void energy_by_unknowns(const core::Readable& y, const core::Writable& out) const {
    each_momentum([&](int c, PetscInt offset, const Index& cell) {
      const auto owned = static_cast<std::size_t>(grid_.owned(offset));
      out[owned] = grid_.volume(c, cell) * y[owned];
    });
  }

  /// - u . nu lap u, summed by volumes: what the discrete diffusion takes from the energy, and gives through moving
  /// walls.
  double dissipation() const {
    double sum = 0.0;
    each_momentum([&](int c, PetscInt offset, const Index& cell) {
      double gradient = 0.0;
      for (int d = 0; d < grid_.dimension(); ++d) {
        const StaggeredLine& line = grid_.line(d);
        const PetscInt i = cell[d];
        const double width = d == c ? line.inverse_gap(i) : line.inverse_width(i);
        const double above = d == c ? line.inverse_width(i) : line.inverse_gap(i + 1);
        const double below = d == c ? line.inverse_width(i - 1) : line.inverse_gap(i);
        const double up = y_[offset + grid_.stride(d)] - y_[offset], down = y_[offset] - y_[offset - grid_.stride(d)];
        gradient += 0.5 * width * (up * up * above + down * down * below);
      }
      sum += grid_.volume(c, cell) * gradient;
    });
    return equations_.medium().nu * sum;
  }

  /// The curl at edges from the four faces around each; at the box's ends it uses ghosts, which hold what walls do.
  double enstrophy() const {
    double sum = 0.0;
    grid_.for_each_cell([&](PetscInt base, const Index& cell) {
      if (!in_fluid(boundary_, cell)) return;
      double square = 0.0;
      for (int a = 0; a < grid_.dimension(); ++a)
        for (int b = a + 1; b < grid_.dimension(); ++b) square += mean_square_curl(base, cell, a, b);
      sum += 0.5 * grid_.volume(grid_.dimension(), cell) * square;
    });
    return sum;
  }

  double speed() const {
    double largest = 0.0;
    each_momentum([&](int, PetscInt offset, const Index&) { largest = std::max(largest, std::abs(y_[offset])); });
    return largest;
  }

private:
  template <class Body>
  void each_momentum(Body&& body) const {
    for (int c = 0; c < grid_.dimension(); ++c)
      grid_.for_each_face(c, [&](PetscInt base, const Index& cell) {
        const PetscInt offset = base + grid_.velocity_slot(c);
        if (boundary_.row(grid_.owned(offset)) == RowKind::balance) body(c, offset, cell);
      });
  }

  /// Mean over the four edges of a cell of (d_a u_b - d_b u_a)^2.
  double mean_square_curl(PetscInt base, const Index& cell, int a, int b) const {
    double sum = 0.0;
    for (const PetscInt up : {0, 1})
      for (const PetscInt right : {0, 1}) {
        const PetscInt edge = base + right * grid_.stride(a) + up * grid_.stride(b);
        const double slope_b =
            (y_[edge + grid_.velocity_slot(b)] - y_[edge - grid_.stride(a) + grid_.velocity_slot(b)]) *
            grid_.line(a).inverse_gap(cell[a] + right);
        const double slope_a =
            (y_[edge + grid_.velocity_slot(a)] - y_[edge - grid_.stride(b) + grid_.velocity_slot(a)]) *
            grid_.line(b).inverse_gap(cell[b] + up);
        sum += 0.25 * (slope_b - slope_a) * (slope_b - slope_a);
      }
    return sum;
  }

  const Equations& equations_;
  const Staggered& grid_;
  const Boundary& boundary_;
  const double* y_;
};

} // namespace

Measures measure(Equations& equations, double t, Vec y) {
  const Staggered& grid = equations.grid();
  const core::VecHandle divergence = grid.create_vector();
  equations.divergence(y, divergence);
  Measures out;
  std::array<double, 4> sums{};
  double largest = 0.0;
  {
    const core::Readable div(divergence);
    grid.for_each_cell([&](PetscInt base, const Index& cell) {
      const double value = div[grid.owned(base + grid.pressure_slot())];
      largest = std::max(largest, std::abs(value));
      sums[3] += grid.volume(grid.dimension(), cell) * value * value;
    });
  }
  double speed = 0.0;
  {
    const GhostedVec local = equations.ghosted(t, y);
    const Sweep sweep(equations, local.data());
    sums[0] = sweep.energy();
    sums[1] = sweep.dissipation();
    sums[2] = sweep.enstrophy();
    speed = sweep.speed();
  }
  sum_over_ranks(grid.comm(), sums);
  out.kinetic_energy = sums[0];
  out.dissipation = sums[1];
  out.enstrophy = sums[2];
  out.divergence_l2 = std::sqrt(sums[3]);
  out.divergence_max = largest_over_ranks(grid.comm(), largest);
  out.speed_max = largest_over_ranks(grid.comm(), speed);
  return out;
}

void energy_gradient(const Equations& equations, Vec y, Vec out) {
  core::check(VecSet(out, 0.0));
  const core::Readable values(y);
  const core::Writable derivatives(out);
  Sweep(equations, nullptr).energy_by_unknowns(values, derivatives);
}

double largest_divergence(Equations& equations, Vec y) {
  const core::VecHandle divergence = equations.grid().create_vector();
  equations.divergence(y, divergence);
  PetscReal largest = 0.0;
  core::check(VecNorm(divergence, NORM_INFINITY, &largest));
  return largest;
}

double nusselt(Equations& equations, double t, Vec y) {
  const Staggered& grid = equations.grid();
  std::array<double, 2> sums{};
  {
    const GhostedVec local = equations.ghosted(t, y);
    grid.for_each_cell([&](PetscInt base, const Index& cell) {
      if (cell[0] != 0) return;
      const PetscInt offset = base + grid.scalar_slot();
      const double area = grid.volume(grid.dimension(), cell) * grid.line(0).inverse_width(0);
      const double derivative =
          (local.data()[offset] - local.data()[offset - grid.stride(0)]) * grid.line(0).inverse_gap(0);
      sums[0] -= area * derivative;
      sums[1] += area;
    });
  }
  sum_over_ranks(grid.comm(), sums);
  return sums[0] / sums[1];
}

FieldError field_error(const Staggered& grid, int field, const Expression& exact, double t, Vec y, bool closed) {
  const core::Readable values(y);
  const bool pressure = field == grid.dimension();
  std::array<double, 3> sums{};
  std::vector<double> difference;
  std::vector<double> volume;
  grid.for_each_unknown(field, [&](PetscInt owned_index, const Index& cell) {
    difference.push_back(values[owned_index] - exact({.x = grid.position(field, cell), .t = t}));
    volume.push_back(grid.volume(field, cell));
    sums[0] += volume.back();
    sums[1] += volume.back() * difference.back();
  });
  sum_over_ranks(grid.comm(), sums);
  const double mean = pressure && closed ? sums[1] / sums[0] : 0.0;
  FieldError error;
  std::array<double, 1> squares{};
  for (std::size_t i = 0; i < difference.size(); ++i) {
    const double value = difference[i] - mean;
    squares[0] += volume[i] * value * value;
    error.largest = std::max(error.largest, std::abs(value));
  }
  sum_over_ranks(grid.comm(), squares);
  error.l2 = std::sqrt(squares[0] / sums[0]);
  error.largest = largest_over_ranks(grid.comm(), error.largest);
  return error;
}

} // namespace rhumb::flow
