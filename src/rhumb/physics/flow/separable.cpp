#include <rhumb/physics/flow/separable.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/eigenbasis.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::flow {

namespace {

/// out[x] += sum of four weights times four sources: the inner loop of all transforms.
void add_four(double* out, const double* weight, PetscInt weight_step, const double* in, PetscInt in_step,
              PetscInt length) {
  const double a = weight[0], b = weight[weight_step], c = weight[2 * weight_step], d = weight[3 * weight_step];
  const double *p = in, *q = in + in_step, *r = in + 2 * in_step, *s = in + 3 * in_step;
  for (PetscInt x = 0; x < length; ++x) out[x] += a * p[x] + b * q[x] + c * r[x] + d * s[x];
}

/// out[0..length) = sum over k < n of weight[k * weight_step] in[k * in_step + 0..length).
void combine(double* out, const double* weight, PetscInt weight_step, const double* in, PetscInt in_step, PetscInt n,
             PetscInt length) {
  std::fill(out, out + length, 0.0);
  PetscInt k = 0;
  for (; k + 4 <= n; k += 4) add_four(out, weight + k * weight_step, weight_step, in + k * in_step, in_step, length);
  for (; k < n; ++k) {
    const double w = weight[k * weight_step];
    const double* row = in + k * in_step;
    for (PetscInt x = 0; x < length; ++x) out[x] += w * row[x];
  }
}

/// The operator of a periodic line of equal cells: constant, cosines and sines.
Eigenbasis periodic_eigenbasis(const StaggeredLine& line) {
  const PetscInt n = line.cells();
  const auto count = static_cast<double>(n);
  const double pi = std::acos(-1.0);
  Eigenbasis out;
  for (PetscInt m = 0; m < n; ++m) {
    const PetscInt waves = (m + 1) / 2; // m = 1, 2: cosine and sine of one wave
    const bool single = waves == 0 || 2 * waves == n;
    const double root = 2.0 * std::sin(pi * static_cast<double>(waves) / count) * line.inverse_width(0);
    out.values.push_back(-root * root);
    for (PetscInt i = 0; i < n; ++i) {
      const double angle = 2.0 * pi * static_cast<double>(waves * i % n) / count;
      out.vectors.push_back(std::sqrt((single ? 1.0 : 2.0) / count) *
                            (m % 2 == 1 || single ? std::cos(angle) : std::sin(angle)));
    }
  }
  return out;
}

/// That of a line with two ends, scaled to be symmetric. Beyond an open end stands minus the pressure of the last cell.
Eigenbasis line_eigenbasis(const StaggeredLine& line, const std::array<bool, 2>& open) {
  const PetscInt n = line.cells();
  std::vector<double> diagonal(n, 0.0), beside(n - 1, 0.0);
  for (PetscInt i = 1; i < n; ++i) {
    const double strength = line.inverse_gap(i);
    diagonal[i - 1] -= strength / line.width(i - 1);
    diagonal[i] -= strength / line.width(i);
    beside[i - 1] = strength / std::sqrt(line.width(i - 1) * line.width(i));
  }
  if (open[0]) diagonal.front() -= 2.0 * line.inverse_gap(0) / line.width(0);
  if (open[1]) diagonal.back() -= 2.0 * line.inverse_gap(n) / line.width(n - 1);
  return tridiagonal_eigenbasis(std::move(diagonal), std::move(beside));
}

/// Sources of one transform should stay in the first cache: this many numbers of each.
constexpr PetscInt chunk = 64;

/// Eigenvalues below this share of the largest belong to the constant.
constexpr double null_eigenvalue_tolerance = 1e-12;

} // namespace

bool SeparableLaplacian::fits(const Staggered& grid) {
  // Slabs: no rank shares a layer of the last direction.
  const Index first = grid.first(), end = grid.end();
  int whole = first[0] == 0 && first[1] == 0 && end[0] == grid.line(0).cells() && end[1] == grid.line(1).cells();
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_MIN, grid.comm()));
  return whole == 1 && grid.dimension() == 3;
}

SeparableLaplacian::SeparableLaplacian(const Staggered& grid, const OpenEnds& open) : comm_(grid.comm()) {
  for (int d = 0; d < 3; ++d) directions_[d] = diagonalize(grid.line(d), open[d]);
  core::check_mpi(MPI_Comm_rank(comm_, &rank_));
  core::check_mpi(MPI_Comm_size(comm_, &ranks_));
  const Index end = grid.end();
  for (std::size_t d = 0; d < 3; ++d) count_[d] = end[d] - grid.first()[d];
  slab_.resize(ranks_ + 1);
  core::check_mpi(MPI_Allgather(&grid.first()[2], 1, MPIU_INT, slab_.data(), 1, MPIU_INT, comm_));
  slab_.back() = directions_[2].n;
  const PetscInt nx = directions_[0].n, ny = directions_[1].n;
  for (int r = 0; r <= ranks_; ++r) part_.push_back(ny * r / ranks_);
  const PetscInt local_part = part_[rank_ + 1] - part_[rank_];
  int sent = 0, received = 0;
  for (int r = 0; r < ranks_; ++r) {
    send_starts_.push_back(sent);
    receive_starts_.push_back(received);
    send_counts_.push_back(static_cast<int>(nx * (part_[r + 1] - part_[r]) * count_[2]));
    receive_counts_.push_back(static_cast<int>(nx * local_part * (slab_[r + 1] - slab_[r])));
    sent += send_counts_.back();
    received += receive_counts_.back();
  }
  const auto size = std::max(sent, received);
  from_.resize(size);
  to_.resize(size);
}

SeparableLaplacian::Direction SeparableLaplacian::diagonalize(const StaggeredLine& line,
                                                              const std::array<bool, 2>& open) {
  Direction out;
  const PetscInt n = out.n = line.cells();
  Eigenbasis basis = line.periodic() ? periodic_eigenbasis(line) : line_eigenbasis(line, open);
  out.values = std::move(basis.values);
  out.transposed = std::move(basis.vectors); // row m is mode m
  out.modes.resize(n * n);
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt m = 0; m < n; ++m) out.modes[i * n + m] = out.transposed[m * n + i];
  for (PetscInt i = 0; i < n; ++i) out.root.push_back(std::sqrt(line.width(i)));
  return out;
}

/// The transform along x, row by row: modes of a cell lie side by side.
void SeparableLaplacian::along_rows(const Direction& x, Sense sense) {
  const double* table = sense == Sense::forward ? x.modes.data() : x.transposed.data();
  const PetscInt rows = count_[1] * count_[2];
  for (PetscInt r = 0; r < rows; ++r) combine(to_.data() + r * x.n, from_.data() + r * x.n, 1, table, x.n, x.n, x.n);
  std::swap(from_, to_);
}

/// The transform along a slower direction: `blocks` blocks of n layers of `stride` numbers.
void SeparableLaplacian::along_columns(const Direction& direction, Sense sense, PetscInt blocks, PetscInt stride) {
  const PetscInt n = direction.n;
  const double* table = sense == Sense::forward ? direction.transposed.data() : direction.modes.data();
  for (PetscInt b = 0; b < blocks; ++b)
    for (PetscInt x = 0; x < stride; x += chunk) {
      const double* in = from_.data() + b * n * stride + x;
      double* out = to_.data() + b * n * stride + x;
      const PetscInt length = std::min(chunk, stride - x);
      for (PetscInt m = 0; m < n; ++m) combine(out + m * stride, table + m * n, 1, in, stride, n, length);
    }
  std::swap(from_, to_);
}

/// forward: from all y of the own z to all z of the own part of y; backward: the other way.
void SeparableLaplacian::exchange(Sense sense) {
  if (ranks_ == 1) return;
  const PetscInt nx = directions_[0].n, ny = directions_[1].n;
  if (sense == Sense::forward) {
    double* next = to_.data();
    for (int r = 0; r < ranks_; ++r)
      for (PetscInt k = 0; k < count_[2]; ++k)
        next = std::copy_n(from_.data() + (k * ny + part_[r]) * nx, nx * (part_[r + 1] - part_[r]), next);
    core::check_mpi(MPI_Alltoallv(to_.data(), send_counts_.data(), send_starts_.data(), MPI_DOUBLE, from_.data(),
                                  receive_counts_.data(), receive_starts_.data(), MPI_DOUBLE, comm_));
    return;
  }
  core::check_mpi(MPI_Alltoallv(from_.data(), receive_counts_.data(), receive_starts_.data(), MPI_DOUBLE, to_.data(),
                                send_counts_.data(), send_starts_.data(), MPI_DOUBLE, comm_));
  const double* next = to_.data();
  for (int r = 0; r < ranks_; ++r)
    for (PetscInt k = 0; k < count_[2]; ++k) {
      const PetscInt length = nx * (part_[r + 1] - part_[r]);
      std::copy_n(next, length, from_.data() + (k * ny + part_[r]) * nx);
      next += length;
    }
}

void SeparableLaplacian::divide() {
  const auto &x = directions_[0].values, &y = directions_[1].values, &z = directions_[2].values;
  const auto most = [](const std::vector<double>& values) { return -*std::min_element(values.begin(), values.end()); };
  const double tiny = null_eigenvalue_tolerance * (most(x) + most(y) + most(z));
  double* value = from_.data();
  for (const double in_z : z)
    for (PetscInt j = part_[rank_]; j < part_[rank_ + 1]; ++j)
      for (const double in_x : x) {
        const double sum = in_x + y[j] + in_z;
        *value++ *= std::abs(sum) > tiny ? 1.0 / sum : 0.0;
      }
}

void SeparableLaplacian::solve(std::span<const double> d, std::span<double> phi) {
  const auto& [x, y, z] = directions_;
  const PetscInt plane = x.n * y.n, local_part = part_[rank_ + 1] - part_[rank_];
  const auto root = [&](std::size_t i) {
    const auto cell = static_cast<PetscInt>(i);
    return x.root[cell % x.n] * y.root[cell / x.n % y.n] * z.root[cell / plane + slab_[rank_]];
  };
  for (std::size_t i = 0; i < d.size(); ++i) from_[i] = d[i] * root(i);
  along_rows(x, Sense::forward);
  along_columns(y, Sense::forward, count_[2], x.n);
  exchange(Sense::forward);
  along_columns(z, Sense::forward, 1, x.n * local_part);
  divide();
  along_columns(z, Sense::backward, 1, x.n * local_part);
  exchange(Sense::backward);
  along_columns(y, Sense::backward, count_[2], x.n);
  along_rows(x, Sense::backward);
  for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = from_[i] / root(i);
}

} // namespace rhumb::flow
