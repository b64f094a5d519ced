#include <rhumb/physics/flow/laplacian_level.hpp>

#include <rhumb/core/agreement.hpp>
#include <algorithm>

namespace rhumb::flow {

namespace {

std::array<bool, 3> periodic(const std::array<CellLine, 3>& lines) {
  return {lines[0].periodic, lines[1].periodic, lines[2].periodic};
}

} // namespace

LaplacianLevel::LaplacianLevel(MPI_Comm comm, std::array<CellLine, 3> lines, Partition partition,
                               const OpenAreas& areas)
    : lines_(std::move(lines)), partition_(std::move(partition)), block_(partition_, core::rank_of(comm)),
      layer_(layer_exchange(comm, partition_, block_, periodic(lines_))) {
  for (auto* array : {&x, &rhs, &residual, &inverse_diagonal_}) array->assign(block_.array_size(), 0.0);
  set_coefficients(areas);
}

void LaplacianLevel::set_coefficients(const OpenAreas& areas) {
  for (int d = 0; d < partition_.dimension; ++d) {
    const CellLine& line = lines_[d];
    auto& coefficient = coefficients_[d];
    coefficient.assign(block_.array_size(), 0.0);
    // A single cell has no neighbour but itself.
    if (line.cells() > 1)
      block_.for_each(
          [&](std::size_t c, const Index& cell) { coefficient[c] = areas.lower[d][c] / line.distance(cell[d]); });
    layer_.copy(coefficient, coefficient);
    block_.for_each([&](std::size_t c, const Index&) {
      inverse_diagonal_[c] += coefficient[c] + coefficient[c + block_.stride(d)];
    });
    for (const PetscInt upper : {0, 1}) {
      const auto& end = areas.end[2 * d + upper];
      if (end.empty()) continue;
      const double distance = line.distance(upper == 0 ? 0 : line.cells());
      block_.for_each([&](std::size_t c, const Index&) { inverse_diagonal_[c] += end[c] / distance; });
    }
  }
  for (auto& value : inverse_diagonal_) value = value > 0.0 ? 1.0 / value : 0.0;
}

template <int D>
double LaplacianLevel::neighbours(std::size_t c) const {
  const std::size_t row = block_.stride(1);
  const double *cx = coefficients_[0].data() + c, *cy = coefficients_[1].data() + c, *value = x.data() + c;
  double sum = cx[0] * value[-1] + cx[1] * value[1] + cy[0] * *(value - row) + cy[row] * value[row];
  if constexpr (D == 3) {
    const std::size_t plane = block_.stride(2);
    const double* cz = coefficients_[2].data() + c;
    sum += cz[0] * *(value - plane) + cz[plane] * value[plane];
  }
  return sum;
}

template <class Body>
void LaplacianLevel::for_each_of(Colour colour, Body&& body) const {
  const auto& [nx, ny, nz] = block_.count();
  const PetscInt offset = block_.first()[0] + block_.first()[1] + block_.first()[2] + (colour == Colour::red ? 0 : 1);
  for (PetscInt k = 0; k < nz; ++k)
    for (PetscInt j = 0; j < ny; ++j) {
      const std::size_t row = block_.index(0, j, k);
      for (PetscInt i = (offset + j + k) % 2; i < nx; i += 2) body(row + i);
    }
}

void LaplacianLevel::start(Colour colour) {
  std::fill(x.begin(), x.end(), 0.0);
  for_each_of(colour, [&](std::size_t c) { x[c] = rhs[c] * inverse_diagonal_[c]; });
}

void LaplacianLevel::sweep(Colour colour) {
  layer_.copy(x, x);
  const auto relax = [&]<int D>() {
    for_each_of(colour, [&](std::size_t c) { x[c] = (rhs[c] + neighbours<D>(c)) * inverse_diagonal_[c]; });
  };
  partition_.dimension == 2 ? relax.template operator()<2>() : relax.template operator()<3>();
}

void LaplacianLevel::compute_residual() {
  compute_product();
  block_.for_each([&](std::size_t c, const Index&) { residual[c] = fluid(c) ? rhs[c] - residual[c] : 0.0; });
}

void LaplacianLevel::compute_product() {
  layer_.copy(x, x);
  const auto multiply = [&]<int D>() {
    block_.for_each([&](std::size_t c, const Index&) {
      residual[c] = inverse_diagonal_[c] > 0.0 ? x[c] / inverse_diagonal_[c] - neighbours<D>(c) : 0.0;
    });
  };
  partition_.dimension == 2 ? multiply.template operator()<2>() : multiply.template operator()<3>();
}

} // namespace rhumb::flow
