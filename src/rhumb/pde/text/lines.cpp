#include <rhumb/pde/text/lines.hpp>

#include <rhumb/core/check.hpp>
#include <petscdmda.h>

namespace rhumb::text {

using core::check;

core::DmHandle create_halo_dm(const grid::Box& box) {
  PetscInt dimension = 0, dof = 0, width = 0;
  std::array<PetscInt, 3> size{}, ranks{};
  std::array<DMBoundaryType, 3> ends{};
  DMDAStencilType type{};
  check(DMDAGetInfo(box.dm(), &dimension, &size[0], &size[1], &size[2], &ranks[0], &ranks[1], &ranks[2], &dof, &width,
                    &ends[0], &ends[1], &ends[2], &type));
  std::array<const PetscInt*, 3> owned{};
  check(DMDAGetOwnershipRanges(box.dm(), &owned[0], &owned[1], &owned[2]));
  core::DmHandle dm;
  check(DMDACreate(box.comm(), dm.out()));
  check(DMSetDimension(dm, dimension));
  check(DMDASetSizes(dm, size[0], size[1], size[2]));
  check(DMDASetNumProcs(dm, ranks[0], ranks[1], ranks[2]));
  check(DMDASetBoundaryType(dm, ends[0], ends[1], ends[2]));
  check(DMDASetDof(dm, dof));
  check(DMDASetStencilType(dm, DMDA_STENCIL_BOX));
  check(DMDASetStencilWidth(dm, 1));
  check(DMDASetOwnershipRanges(dm, owned[0], dimension > 1 ? owned[1] : nullptr, dimension > 2 ? owned[2] : nullptr));
  check(DMSetUp(dm));
  return dm;
}

namespace {

struct Range {
  PetscInt begin = 0, end = 1;
};

/// This rank's points that lie so in one direction.
Range range_of(const grid::Box& box, std::size_t d, Spot spot) {
  const PetscInt first = box.first()[d], last = first + box.count()[d];
  if (d >= box.shape().cells.size()) return {0, 1};
  const PetscInt points = box.shape().nodes(static_cast<int>(d));
  const bool has_sides = !box.shape().periodic[d];
  if (spot == Spot::lower) return {0, first == 0 ? 1 : 0};
  if (spot == Spot::upper) return {points - 1, last == points ? points : points - 1};
  return {has_sides && first == 0 ? 1 : first, has_sides && last == points ? last - 1 : last};
}

std::vector<Line> lines_of(const grid::Box& box, DM dm, const std::array<Range, 3>& ranges) {
  std::array<PetscInt, 3> ghost{}, ghosts{1, 1, 1}, total{1, 1, 1};
  check(DMDAGetGhostCorners(dm, &ghost[0], &ghost[1], &ghost[2], &ghosts[0], &ghosts[1], &ghosts[2]));
  for (std::size_t d = 0; d < box.shape().cells.size(); ++d) total[d] = box.shape().nodes(static_cast<int>(d));
  const auto index = [](const std::array<PetscInt, 3>& p, const std::array<PetscInt, 3>& first,
                        const std::array<PetscInt, 3>& count) {
    return ((p[2] - first[2]) * count[1] + p[1] - first[1]) * count[0] + p[0] - first[0];
  };
  std::array<PetscInt, 3> sizes{};
  for (std::size_t d = 0; d < 3; ++d) sizes[d] = std::max<PetscInt>(ranges[d].end - ranges[d].begin, 0);
  if (sizes[0] * sizes[1] * sizes[2] == 0) return {};
  const std::size_t along = sizes[0] > 1 ? 0 : sizes[1] > 1 ? 1 : sizes[2] > 1 ? 2 : 0;
  std::array<PetscInt, 3> last{ranges[0].end, ranges[1].end, ranges[2].end};
  last[along] = ranges[along].begin + 1;
  std::vector<Line> lines;
  for (PetscInt k = ranges[2].begin; k < last[2]; ++k)
    for (PetscInt j = ranges[1].begin; j < last[1]; ++j)
      for (PetscInt i = ranges[0].begin; i < last[0]; ++i) {
        const std::array<PetscInt, 3> p{i, j, k};
        std::array<PetscInt, 3> next = p;
        ++next[along];
        Line line{.count = sizes[along], .corner = box.position(p)};
        line.local = index(p, ghost, ghosts);
        line.local_step = index(next, ghost, ghosts) - line.local;
        line.owned = index(p, box.first(), box.count());
        line.owned_step = index(next, box.first(), box.count()) - line.owned;
        line.natural = index(p, {0, 0, 0}, total);
        line.natural_step = index(next, {0, 0, 0}, total) - line.natural;
        line.step[along] = box.spacing(along);
        lines.push_back(line);
      }
  return lines;
}

} // namespace

std::vector<PointGroup> group_points(const grid::Box& box, DM dm) {
  std::vector<PointGroup> groups;
  const auto spots_in = [&](std::size_t d) {
    const bool has_sides = d < box.shape().cells.size() && !box.shape().periodic[d];
    return has_sides ? std::vector{Spot::inner, Spot::lower, Spot::upper} : std::vector{Spot::inner};
  };
  for (const Spot z : spots_in(2))
    for (const Spot y : spots_in(1))
      for (const Spot x : spots_in(0))
        groups.push_back(
            {{x, y, z}, lines_of(box, dm, {range_of(box, 0, x), range_of(box, 1, y), range_of(box, 2, z)})});
  return groups;
}

} // namespace rhumb::text
