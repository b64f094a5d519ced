#include <rhumb/physics/flow/pressure_multigrid.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/physics/flow/eigenbasis.hpp>
#include <algorithm>
#include <limits>

namespace rhumb::flow {

namespace {

/// Neighbours are merged up to this width, in units of the smallest width and the level's power of two. Below 2 a cell
/// twice as wide as the thinnest waits; above 1.5 stretched grids lose iterations.
constexpr double merging_factor = 1.5;
/// A level of no more cells is solved by its dense inverse.
constexpr PetscInt most_coarsest_cells = 64;
/// Eigenvalues below this part of the largest belong to constants, of the box or of what an obstacle encloses.
constexpr double null_eigenvalue_tolerance = 1e-11;

std::array<CellLine, 3> lines_of(const Equations& equations) {
  const Staggered& grid = equations.grid();
  std::array<CellLine, 3> out;
  for (int d = 0; d < 3; ++d) {
    const StaggeredLine& line = grid.line(d);
    for (PetscInt i = 0; i < line.cells(); ++i) out[d].width.push_back(line.width(i));
    out[d].periodic = line.periodic();
    if (d < grid.dimension()) out[d].open = equations.open_ends()[d];
  }
  return out;
}

OpenAreas areas_of(const Equations& equations, const CellBlock& block) {
  const Staggered& grid = equations.grid();
  const Boundary& boundary = equations.boundary();
  OpenAreas out;
  for (int d = 0; d < grid.dimension(); ++d) {
    const StaggeredLine& line = grid.line(d);
    const auto open = equations.open_ends()[d];
    out.lower[d].assign(block.array_size(), 0.0);
    for (const PetscInt upper : {0, 1})
      if (open[upper]) out.end[2 * d + upper].assign(block.array_size(), 0.0);
    block.for_each([&](std::size_t c, const Index& cell) {
      if (boundary.solid(cell)) return;
      const PetscInt i = cell[d];
      const double area = grid.volume(grid.dimension(), cell) * line.inverse_width(i);
      Index below = cell;
      below[d] -= 1;
      const bool inside = i > 0 || line.periodic();
      if (inside && !boundary.solid(below)) out.lower[d][c] = area;
      if (i == 0 && open[0]) out.end[2 * d][c] = area;
      if (i == line.cells() - 1 && open[1]) out.end[2 * d + 1][c] = area;
    });
  }
  return out;
}

} // namespace

PressureMultigrid::PressureMultigrid(const Equations& equations)
    : comm_(equations.grid().comm()), dimension_(equations.grid().dimension()) {
  const Partition partition = partition_of(equations.grid());
  OpenAreas areas = areas_of(equations, CellBlock(partition, core::rank_of(comm_)));
  finest_ = std::make_unique<LaplacianLevel>(comm_, lines_of(equations), partition, areas);
  create_levels(std::move(areas));
  invert_coarsest();
}

void PressureMultigrid::create_levels(OpenAreas areas) {
  double limit = std::numeric_limits<double>::max();
  for (int d = 0; d < dimension_; ++d) {
    const auto& width = finest_->lines()[d].width;
    limit = std::min(limit, merging_factor * *std::min_element(width.begin(), width.end()));
  }
  const auto mergeable = [&](const LaplacianLevel& fine) {
    for (int d = 0; d < dimension_; ++d)
      if (coarsen(fine.lines()[d], limit).line.cells() < fine.lines()[d].cells()) return true;
    return false;
  };
  // At least once, so that the coarsest level is on one rank.
  do {
    LaplacianLevel& fine = level(levels() - 1);
    do limit *= 2.0;
    while (!mergeable(fine));
    transfers_.push_back(std::make_unique<LevelTransfer>(comm_, fine, areas, limit));
    areas = transfers_.back()->take_areas();
  } while (level(levels() - 1).cells() > most_coarsest_cells);
}

/// The pseudo-inverse, which leaves out whatever constants the operator does not see.
void PressureMultigrid::invert_coarsest() {
  LaplacianLevel& coarsest = level(levels() - 1);
  coarsest.block().for_each([&](std::size_t c, const Index&) { coarsest_cells_.push_back(c); });
  const std::size_t n = coarsest_cells_.size();
  std::vector<double> matrix(n * n);
  for (std::size_t column = 0; column < static_cast<std::size_t>(coarsest.cells()); ++column) {
    std::fill(coarsest.x.begin(), coarsest.x.end(), 0.0);
    if (n > 0) coarsest.x[coarsest_cells_[column]] = 1.0;
    coarsest.compute_product(); // with the exchange that a periodic direction needs
    for (std::size_t row = 0; row < n; ++row) matrix[column * n + row] = coarsest.residual[coarsest_cells_[row]];
  }
  if (n == 0) return;
  const Eigenbasis basis = symmetric_eigenbasis(std::move(matrix), n);
  coarsest_inverse_.assign(n * n, 0.0);
  for (std::size_t m = 0; m < n; ++m) {
    if (basis.values[m] <= null_eigenvalue_tolerance * basis.values.back()) continue;
    const double* vector = basis.vectors.data() + m * n;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) coarsest_inverse_[i * n + j] += vector[i] * vector[j] / basis.values[m];
  }
}

void PressureMultigrid::solve_coarsest() {
  LaplacianLevel& coarsest = level(levels() - 1);
  const std::size_t n = coarsest_cells_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) sum += coarsest_inverse_[i * n + j] * coarsest.rhs[coarsest_cells_[j]];
    coarsest.x[coarsest_cells_[i]] = sum;
  }
}

void PressureMultigrid::descend(std::size_t number) {
  using Colour = LaplacianLevel::Colour;
  if (number + 1 == levels()) {
    solve_coarsest();
    return;
  }
  LaplacianLevel& fine = level(number);
  fine.start(Colour::red);
  fine.sweep(Colour::black);
  fine.compute_residual();
  transfers_[number]->restrict_residual();
  descend(number + 1);
  transfers_[number]->prolongate();
  fine.sweep(Colour::black);
  fine.sweep(Colour::red);
}

void PressureMultigrid::cycle(std::span<const double> rhs, std::span<double> x) {
  std::size_t next = 0;
  finest_->block().for_each([&](std::size_t c, const Index&) { finest_->rhs[c] = rhs[next++]; });
  descend(0);
  next = 0;
  finest_->block().for_each([&](std::size_t c, const Index&) { x[next++] = finest_->x[c]; });
}

void PressureMultigrid::product(std::span<const double> x, std::span<double> out) {
  std::size_t next = 0;
  finest_->block().for_each([&](std::size_t c, const Index&) { finest_->x[c] = x[next++]; });
  finest_->compute_product();
  next = 0;
  finest_->block().for_each([&](std::size_t c, const Index&) { out[next++] = finest_->residual[c]; });
}

} // namespace rhumb::flow
