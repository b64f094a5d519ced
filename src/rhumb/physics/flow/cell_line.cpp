#include <rhumb/physics/flow/cell_line.hpp>

#include <cmath>

namespace rhumb::flow {

namespace {

/// Centres closer than this part of a cell coincide.
constexpr double coincidence_tolerance = 1e-9;

CoarsenedLine merge(const CellLine& fine, double limit) {
  CoarsenedLine out;
  out.line.periodic = fine.periodic;
  out.line.open = fine.open;
  const PetscInt n = fine.cells();
  for (PetscInt i = 0; i < n;) {
    const bool pair = i + 1 < n && fine.width[i] + fine.width[i + 1] <= limit;
    out.first.push_back(i);
    out.line.width.push_back(fine.width[i] + (pair ? fine.width[i + 1] : 0.0));
    i += pair ? 2 : 1;
  }
  return out;
}

/// `offset`: of the fine centre from that of coarse cell `parent`.
CoarsenedLine::Weight weight(const CellLine& coarse, PetscInt parent, double offset) {
  const PetscInt n = coarse.cells();
  if (std::abs(offset) < coincidence_tolerance * coarse.width[parent] || (coarse.periodic && n == 1))
    return {.parent = parent};
  const PetscInt side = offset > 0.0 ? 1 : -1;
  const bool at_end = parent + side < 0 || parent + side >= n;
  const double share = std::abs(offset) / coarse.distance(side > 0 ? parent + 1 : parent);
  if (!at_end || coarse.periodic) return {.parent = parent, .side = side, .inside = 1.0 - share, .beside = share};
  return {.parent = parent, .inside = coarse.open[side > 0 ? 1 : 0] ? 1.0 - share : 1.0};
}

} // namespace

double CellLine::distance(PetscInt i) const {
  const PetscInt n = cells();
  if (i > 0 && i < n) return 0.5 * (width[i - 1] + width[i]);
  if (periodic) return 0.5 * (width.front() + width.back());
  return 0.5 * (i == 0 ? width.front() : width.back());
}

CoarsenedLine coarsen(const CellLine& fine, double limit) {
  CoarsenedLine out = merge(fine, limit);
  const PetscInt n = out.line.cells();
  for (PetscInt parent = 0; parent < n; ++parent) {
    const PetscInt end = parent + 1 < n ? out.first[parent + 1] : fine.cells();
    double below = 0.0; // from the lower end of the coarse cell
    for (PetscInt i = out.first[parent]; i < end; ++i) {
      const double centre = below + 0.5 * fine.width[i];
      out.weights.push_back(weight(out.line, parent, centre - 0.5 * out.line.width[parent]));
      below += fine.width[i];
    }
  }
  return out;
}

} // namespace rhumb::flow
