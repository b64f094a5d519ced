#pragma once
/// How a rank's points are cut into segments: each row in x gives its first point, its last point and all between.

#include <rhumb/grid/box.hpp>
#include <algorithm>

namespace rhumb::grid {

/// Neighbours of a run of points in one direction, `at` being the local coordinate in that direction.
template <int D>
void Box::set_neighbours(Segment<D>& segment, int direction, PetscInt at, PetscInt stride, PetscInt face_index) const {
  const auto d = static_cast<std::size_t>(direction);
  const PetscInt lower_face = face_[2 * d], upper_face = face_[2 * d + 1];
  const bool at_lower = at == 0, at_upper = at == count_[d] - 1;
  segment.minus[d] =
      at_lower ? NeighbourRow{lower_face + face_index, true} : NeighbourRow{segment.first - stride, false};
  segment.plus[d] =
      at_upper ? NeighbourRow{upper_face + face_index, true} : NeighbourRow{segment.first + stride, false};
  if (at_lower && lower_face < 0) {
    segment.minus[d] = segment.plus[d];
    segment.sides |= 1U << (2 * d);
  }
  if (at_upper && upper_face < 0) {
    segment.plus[d] = segment.minus[d];
    segment.sides |= 1U << (2 * d + 1);
  }
}

template <int D>
Segment<D> Box::row(PetscInt j, PetscInt k) const {
  Segment<D> segment;
  segment.first = (k * count_[1] + j) * count_[0];
  const std::array<PetscInt, 3> start{first_[0], first_[1] + j, first_[2] + k};
  for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d)
    segment.corner[d] = shape_.lower[d] + static_cast<double>(start[d]) * spacing_[d];
  if constexpr (D > 1) set_neighbours(segment, 1, j, count_[0], k * count_[0]);
  if constexpr (D > 2) set_neighbours(segment, 2, k, count_[0] * count_[1], j * count_[0]);
  return segment;
}

/// Moves a segment of a row to its points i .. i + length - 1 and sets its neighbours in x.
template <int D>
void Box::move_in_row(Segment<D>& segment, PetscInt i, PetscInt length, PetscInt row_index) const {
  const PetscInt by = i - (segment.first - row_index * count_[0]);
  segment.first += by;
  segment.length = length;
  segment.corner[0] = shape_.lower[0] + static_cast<double>(first_[0] + i) * spacing_[0];
  segment.sides &= ~(bit(Side::left) | bit(Side::right));
  for (std::size_t d = 1; d < static_cast<std::size_t>(D); ++d) {
    segment.minus[d].index += by;
    segment.plus[d].index += by;
  }
  set_neighbours(segment, 0, i, 1, row_index);
}

/// In three dimensions with large planes rows are taken in blocks that run through all planes, so that the three planes
/// which a stencil reads are still in the cache (the last one) when they are read again. Whole planes are faster where
/// they fit: memory is then read in longer runs.
template <int D>
PetscInt Box::rows_per_block() const {
  if constexpr (D < 3) return count_[1];
  constexpr PetscInt cached_indices = 1 << 19; // 4 MiB
  return std::clamp<PetscInt>(cached_indices / (4 * count_[0] * fields_), 4, std::max<PetscInt>(count_[1], 4));
}

template <int D, class Body>
void Box::for_each_segment(Part part, Body&& body) const {
  const auto visit = [&](Segment<D>& segment, PetscInt i, PetscInt length, PetscInt row_index) {
    if (length < 1) return;
    move_in_row(segment, i, length, row_index);
    bool needs_halo = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d)
      needs_halo = needs_halo || segment.minus[d].in_halo || segment.plus[d].in_halo;
    if (needs_halo == (part == Part::outer)) body(segment);
  };
  const PetscInt n = count_[0], block = rows_per_block<D>();
  for (PetscInt begin = 0; begin < count_[1]; begin += block)
    for (PetscInt k = 0; k < count_[2]; ++k)
      for (PetscInt j = begin; j < std::min(begin + block, count_[1]); ++j) {
        Segment<D> segment = row<D>(j, k);
        const PetscInt number = k * count_[1] + j;
        visit(segment, 1, n - 2, number); // brings the ends into the cache
        visit(segment, 0, 1, number);
        if (n > 1) visit(segment, n - 1, 1, number);
      }
}

template <int D, class Body>
void Box::for_each_segment(Body&& body) const {
  for_each_segment<D>(Part::inner, body);
  for_each_segment<D>(Part::outer, body);
}

} // namespace rhumb::grid
