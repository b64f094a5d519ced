#include <rhumb/physics/flow/level_transfer.hpp>

#include <rhumb/core/agreement.hpp>
#include <algorithm>

namespace rhumb::flow {

namespace {

/// With fewer cells than this per rank, half of the ranks have the level sooner done than all.
constexpr PetscInt fewest_cells_per_rank = 1000;
/// A smaller weight of cells without fluid is rounding.
constexpr double negligible_weight = 1e-12;

/// Gives the cells of every other rank to the one before it.
std::vector<PetscInt> halve(const std::vector<PetscInt>& starts, PetscInt& step) {
  std::vector<PetscInt> out = starts;
  const auto ranks = static_cast<PetscInt>(starts.size()) - 1;
  step *= 2;
  for (PetscInt r = 0; r < ranks; ++r)
    if (r % step != 0) out[r] = starts[std::min((r / step + 1) * step, ranks)];
  return out;
}

} // namespace

LevelTransfer::LevelTransfer(MPI_Comm comm, LaplacianLevel& fine, const OpenAreas& fine_areas, double limit)
    : fine_(fine) {
  std::array<CellLine, 3> lines;
  for (std::size_t d = 0; d < 3; ++d) {
    lines_[d] = coarsen(fine.lines()[d], limit);
    lines[d] = lines_[d].line;
  }
  const Partition partition = coarse_partition();
  create_patch(comm, partition);
  sum_areas(fine_areas, CellBlock(partition, core::rank_of(comm)).array_size());
  coarse_ = std::make_unique<LaplacianLevel>(comm, std::move(lines), partition, coarse_areas_);
  redirect_weights();
}

/// A coarse cell belongs to the rank of its first child, unless ranks are left out.
Partition LevelTransfer::coarse_partition() const {
  Partition out = fine_.partition();
  std::array<PetscInt, 3> active{1, 1, 1}, step{1, 1, 1};
  PetscInt cells = 1;
  for (int d = 0; d < 3; ++d) {
    const auto& first = lines_[d].first;
    auto& starts = out.starts[d];
    for (auto& start : starts)
      start = static_cast<PetscInt>(std::lower_bound(first.begin(), first.end(), start) - first.begin());
    cells *= out.cells(d);
    active[d] = out.ranks(d);
  }
  while (cells < fewest_cells_per_rank * active[0] * active[1] * active[2]) {
    const auto most = std::max_element(active.begin(), active.end());
    if (*most == 1) break;
    const auto d = static_cast<PetscInt>(most - active.begin());
    out.starts[d] = halve(out.starts[d], step[d]);
    *most = (*most + 1) / 2;
  }
  return out;
}

void LevelTransfer::create_patch(MPI_Comm comm, const Partition& partition) {
  const CellBlock& block = fine_.block();
  Index lowest{}, size{1, 1, 1};
  PetscInt stride = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto* weights = lines_[d].weights.data() + block.first()[d];
    PetscInt highest = lowest[d] = block.count()[d] > 0 ? weights->parent : 0;
    for (PetscInt i = 0; i < block.count()[d]; ++i) {
      lowest[d] = std::min(lowest[d], weights[i].parent + std::min(weights[i].side, PetscInt{0}));
      highest = std::max(highest, weights[i].parent + std::max(weights[i].side, PetscInt{0}));
    }
    for (PetscInt i = 0; i < block.count()[d]; ++i) {
      const auto& [parent, side, inside, beside] = weights[i];
      stencils_[d].push_back({(parent - lowest[d]) * stride, (parent + side - lowest[d]) * stride, inside, beside});
    }
    size[d] = block.empty() ? 0 : highest - lowest[d] + 1;
    stride *= size[d];
  }
  patch_.assign(stride, 0.0);
  row_.assign(size[0], 0.0);
  std::vector<CellExchange::Wanted> wanted;
  Staggered::visit({0, 0, 0}, size, [&](const Index& position) {
    Index cell{};
    for (int d = 0; d < 3; ++d) cell[d] = (lowest[d] + position[d] + partition.cells(d)) % partition.cells(d);
    wanted.push_back({cell, (position[2] * size[1] + position[1]) * size[0] + position[0]});
  });
  exchange_ = std::make_unique<CellExchange>(comm, partition, wanted);
}

/// A coarse face is open where the fine faces on it are.
void LevelTransfer::sum_areas(const OpenAreas& fine, std::size_t coarse_size) {
  for (int d = 0; d < fine_.partition().dimension; ++d) {
    coarse_areas_.lower[d] = sum_over_children(fine.lower[d], coarse_size, [&](const Index& cell) {
      const PetscInt i = cell[d];
      return lines_[d].first[lines_[d].weights[i].parent] == i;
    });
    for (const PetscInt end : {2 * d, 2 * d + 1})
      if (fine_.lines()[d].open[end - 2 * d])
        coarse_areas_.end[end] = sum_over_children(fine.end[end], coarse_size, [](const Index&) { return true; });
  }
}

template <class Wanted>
std::vector<double> LevelTransfer::sum_over_children(const std::vector<double>& fine, std::size_t coarse_size,
                                                     Wanted&& wanted) {
  const CellBlock& block = fine_.block();
  std::fill(patch_.begin(), patch_.end(), 0.0);
  block.for_each([&](std::size_t c, const Index& cell) {
    if (!wanted(cell)) return;
    PetscInt parent = 0;
    for (std::size_t d = 0; d < 3; ++d) parent += stencils_[d][cell[d] - block.first()[d]].parent;
    patch_[parent] += fine[c];
  });
  std::vector<double> out(coarse_size, 0.0);
  exchange_->add(patch_, out);
  return out;
}

void LevelTransfer::redirect_weights() {
  const CellBlock &coarse = coarse_->block(), &block = fine_.block();
  std::vector<double> share(block.array_size(), 0.0);
  coarse.for_each([&](std::size_t c, const Index&) { coarse_->x[c] = coarse_->fluid(c) ? 0.0 : 1.0; });
  exchange_->copy(coarse_->x, patch_);
  interpolate(share);
  std::fill(coarse_->x.begin(), coarse_->x.end(), 0.0);
  block.for_each([&](std::size_t c, const Index& cell) {
    if (!fine_.fluid(c) || share[c] < negligible_weight) return;
    PetscInt parent = 0;
    for (std::size_t d = 0; d < 3; ++d) parent += stencils_[d][cell[d] - block.first()[d]].parent;
    redirected_.push_back({c, static_cast<std::size_t>(parent), share[c]});
  });
}

/// Calls body(begin of a row of the patch, weight) for the rows that fine row (j, k) reads.
template <class Body>
void LevelTransfer::for_each_patch_row(PetscInt j, PetscInt k, Body&& body) const {
  const Stencil &y = stencils_[1][j], &z = stencils_[2][k];
  const auto call = [&](PetscInt row, double weight) {
    if (weight != 0.0) body(row, weight);
  };
  call(y.parent + z.parent, y.inside * z.inside);
  call(y.beside + z.parent, y.outside * z.inside);
  call(y.parent + z.beside, y.inside * z.outside);
  call(y.beside + z.beside, y.outside * z.outside);
}

/// Adds what the patch says.
void LevelTransfer::interpolate(std::vector<double>& fine) {
  const CellBlock& block = fine_.block();
  const auto& [nx, ny, nz] = block.count();
  const std::size_t length = row_.size();
  for (PetscInt k = 0; k < nz; ++k)
    for (PetscInt j = 0; j < ny; ++j) {
      std::fill(row_.begin(), row_.end(), 0.0);
      for_each_patch_row(j, k, [&](PetscInt begin, double weight) {
        const double* from = patch_.data() + begin;
        for (std::size_t i = 0; i < length; ++i) row_[i] += weight * from[i];
      });
      double* to = fine.data() + block.index(0, j, k);
      for (PetscInt i = 0; i < nx; ++i) {
        const Stencil& s = stencils_[0][i];
        to[i] += s.inside * row_[s.parent] + s.outside * row_[s.beside];
      }
    }
}

void LevelTransfer::prolongate() {
  exchange_->copy(coarse_->x, patch_);
  interpolate(fine_.x);
  for (const auto& [fine, parent, weight] : redirected_) fine_.x[fine] += weight * patch_[parent];
}

void LevelTransfer::restrict_residual() {
  const CellBlock& block = fine_.block();
  const auto& [nx, ny, nz] = block.count();
  const std::size_t length = row_.size();
  std::fill(patch_.begin(), patch_.end(), 0.0);
  for (PetscInt k = 0; k < nz; ++k)
    for (PetscInt j = 0; j < ny; ++j) {
      std::fill(row_.begin(), row_.end(), 0.0);
      const double* from = fine_.residual.data() + block.index(0, j, k);
      for (PetscInt i = 0; i < nx; ++i) {
        const Stencil& s = stencils_[0][i];
        row_[s.parent] += s.inside * from[i];
        row_[s.beside] += s.outside * from[i];
      }
      for_each_patch_row(j, k, [&](PetscInt begin, double weight) {
        double* to = patch_.data() + begin;
        for (std::size_t i = 0; i < length; ++i) to[i] += weight * row_[i];
      });
    }
  for (const auto& [fine, parent, weight] : redirected_) patch_[parent] += weight * fine_.residual[fine];
  std::fill(coarse_->rhs.begin(), coarse_->rhs.end(), 0.0);
  exchange_->add(patch_, coarse_->rhs);
}

} // namespace rhumb::flow
