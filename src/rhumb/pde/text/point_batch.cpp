#include <rhumb/pde/text/point_batch.hpp>

#include <algorithm>

namespace rhumb::text {

void PointBatch::extend(std::size_t points) {
  for (auto& array : arrays_)
    if (array.size() < (count_ + points) * row_) array.resize((count_ + points) * row_);
  if (places_.size() < (count_ + points) * place::width) places_.resize((count_ + points) * place::width);
  count_ += points;
}

void PointBatch::put_place(std::size_t point, const fem::Position& position, const fem::Position* normal,
                           PetscInt cell) {
  double* row = places_.data() + point * place::width;
  for (std::size_t d = 0; d < 3; ++d) {
    row[place::position + d] = position[d];
    row[place::normal + d] = normal == nullptr ? 0.0 : (*normal)[d];
  }
  row[place::cell_size] = cell_sizes_[static_cast<std::size_t>(cell)];
  row[place::region] = space_.mesh().region_of(cell);
}

void PointBatch::add_place(const fem::Position& position, PetscInt cell) {
  const std::size_t point = count_;
  extend(1);
  for (auto& array : arrays_) std::fill_n(array.begin() + static_cast<std::ptrdiff_t>(point * row_), row_, 0.0);
  put_place(point, position, nullptr, cell);
}

template <int D>
void PointBatch::add_points(const fem::Patch& patch, const LocalArrays& from) {
  const std::size_t first = count_;
  const PetscInt points = patch.basis->points();
  const int components = space_.components();
  extend(static_cast<std::size_t>(points));
  const std::array sources{from.values, from.rates, from.along};
  for (PetscInt q = 0; q < points; ++q) {
    const std::size_t point = first + static_cast<std::size_t>(q);
    put_place(point, patch.positions[q], patch.normals == nullptr ? nullptr : patch.normals + q, patch.cell);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      if (sources[k] == nullptr) continue;
      double* row = arrays_[k].data() + point * row_;
      fem::gather<D>(space_, patch, q, sources[k], components, [&](int c, int a, double value) {
        row[static_cast<std::size_t>(a) * fields_ + static_cast<std::size_t>(c)] = value;
      });
    }
  }
}

void PointBatch::add(const fem::Patch& patch, const LocalArrays& from) {
  if (directions_ == 2)
    add_points<2>(patch, from);
  else
    add_points<3>(patch, from);
}

const double* PointBatch::run(Program& program) {
  results_.resize(count_ * program.results());
  const auto step = static_cast<PetscInt>(1 + directions_);
  const Inputs inputs{.values = arrays_[0].data(),
                      .rates = arrays_[1].data(),
                      .direction = arrays_[2].data(),
                      .owned_rates = arrays_[1].data(),
                      .places = places_.data(),
                      .neighbour = {1, 2, 3}};
  const Line line{
      .count = static_cast<PetscInt>(count_), .local = 0, .local_step = step, .owned = 0, .owned_step = step};
  program.run(inputs, line, {results_.data(), static_cast<PetscInt>(program.results())});
  return results_.data();
}

} // namespace rhumb::text
