/// Snapshots of a part of the box, or of every k-th cell: values at the centres of those cells.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::flow {

void Flow::select_cells() {
  if (case_.selection.whole()) return;
  for (int d = 0; d < grid_.dimension(); ++d) {
    const StaggeredLine& line = grid_.line(d);
    const auto& region = case_.selection.region;
    const auto inside = [&](double x) { return region.empty() || (x >= region[2 * d] && x <= region[2 * d + 1]); };
    PetscInt first = 0;
    while (first < line.cells() && !inside(line.centre(first))) ++first;
    for (PetscInt i = first; i < line.cells() && inside(line.centre(i));
         i += static_cast<PetscInt>(case_.selection.every))
      selected_[d].push_back(i);
    if (selected_[d].size() < 2)
      throw core::BadInput(fmt::format("-out_region and -out_every leave fewer than two cells in {}", "xyz"[d]));
  }
}

grid::FieldBlock Flow::selected_field(const Quantity& quantity) const {
  grid::FieldBlock field{quantity.name, "", quantity.long_name, grid::Location::point, 1, {}};
  std::array<std::vector<PetscInt>, 3> here{{{0}, {0}, {0}}};
  for (int d = grid_.dimension() - 1; d >= 0; --d) {
    const auto& all = selected_[d];
    const auto from = std::ranges::lower_bound(all, grid_.first()[d]);
    const auto to = std::ranges::lower_bound(all, grid_.end()[d]);
    here[d].assign(from, to);
    field.data.global.push_back(all.size());
    field.data.offset.push_back(static_cast<std::uint64_t>(from - all.begin()));
    field.data.count.push_back(static_cast<std::uint64_t>(to - from));
  }
  const Boundary& boundary = equations_.boundary();
  for (const PetscInt k : here[2])
    for (const PetscInt j : here[1])
      for (const PetscInt i : here[0]) {
        const Index cell{i, j, k};
        const double* value = quantity.local + grid_.base(cell) + quantity.slot;
        const bool hidden = boundary.any_solid() && boundary.solid(cell);
        const double other = quantity.normal < 0 ? value[0] : value[grid_.stride(quantity.normal)];
        field.data.values.push_back(hidden ? 0.0 : 0.5 * (value[0] + other));
      }
  return field;
}

} // namespace rhumb::flow
