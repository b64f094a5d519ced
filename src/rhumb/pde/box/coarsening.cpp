#include <rhumb/pde/box/coarsening.hpp>

#include <rhumb/core/check.hpp>
#include <algorithm>
#include <numeric>
#include <petscdmda.h>

namespace rhumb::box {

using core::check;

namespace {

/// A direction is made coarser as long as its cells are at most so much wider than the narrowest: point smoothers leave
/// errors along the strong couplings of wider ones.
constexpr double alike = 1.5;
/// Fewer than these cells are not halved.
constexpr PetscInt fewest_cells = 3;

/// As many as half of n, an even number where n is odd.
PetscInt halved(PetscInt n) {
  return n % 2 == 0 ? n / 2 : 2 * ((n + 2) / 4);
}

/// Whether every part of the line has at least one of the points.
bool in_every_part(const std::vector<PetscInt>& first_nodes, PetscInt end, const std::vector<PetscInt>& points) {
  for (std::size_t part = 0; part < first_nodes.size(); ++part) {
    const PetscInt last = part + 1 < first_nodes.size() ? first_nodes[part + 1] : end;
    const auto found = std::ranges::lower_bound(points, first_nodes[part]);
    if (found == points.end() || *found >= last) return false;
  }
  return true;
}

/// Which points of the line are those of the coarser one.
std::vector<PetscInt> chosen_points(const GridLine& line) {
  const PetscInt cells = line.cells(), wanted = halved(cells);
  std::vector<PetscInt> chosen(static_cast<std::size_t>(line.periodic ? wanted : wanted + 1));
  for (std::size_t k = 0; k < chosen.size(); ++k)
    chosen[k] = (2 * static_cast<PetscInt>(k) * cells + wanted) / (2 * wanted); // rounded
  return chosen;
}

struct Coarser {
  GridLine line;
  std::vector<PetscInt> fine_of;
};

Coarser coarser(const GridLine& fine) {
  Coarser out{{.points = {}, .finest_cells = fine.finest_cells, .periodic = fine.periodic}, chosen_points(fine)};
  for (const PetscInt i : out.fine_of) out.line.points.push_back(fine.points[static_cast<std::size_t>(i)]);
  return out;
}

Coarser same(const GridLine& fine) {
  Coarser out{fine, std::vector<PetscInt>(fine.points.size())};
  std::iota(out.fine_of.begin(), out.fine_of.end(), PetscInt{0});
  return out;
}

GridLevel finest(const BoxShape& shape) {
  GridLevel level;
  for (int d = 0; d < shape.dimension(); ++d) {
    const auto direction = static_cast<std::size_t>(d);
    GridLine line{.points = std::vector<PetscInt>(static_cast<std::size_t>(shape.nodes(d))),
                  .finest_cells = shape.cells[direction],
                  .periodic = shape.periodic[direction]};
    std::iota(line.points.begin(), line.points.end(), PetscInt{0});
    level.lines.push_back(std::move(line));
  }
  return level;
}

} // namespace

PetscInt GridLevel::nodes() const {
  PetscInt count = 1;
  for (const GridLine& line : lines) count *= line.nodes();
  return count;
}

std::vector<GridLevel> coarsen(const BoxShape& shape, const std::vector<std::vector<PetscInt>>& first_nodes,
                               PetscInt few) {
  std::vector<GridLevel> levels{finest(shape)};
  while (levels.back().nodes() > few) {
    const auto& lines = levels.back().lines;
    const auto width = [&](std::size_t d) {
      return (shape.upper[d] - shape.lower[d]) / static_cast<double>(lines[d].cells());
    };
    double narrowest = width(0);
    for (std::size_t d = 1; d < lines.size(); ++d) narrowest = std::min(narrowest, width(d));
    GridLevel next;
    bool any = false;
    for (std::size_t d = 0; d < lines.size(); ++d) {
      Coarser line = same(lines[d]);
      if (width(d) <= alike * narrowest && lines[d].cells() >= fewest_cells) {
        Coarser wider = coarser(lines[d]);
        const bool every = in_every_part(first_nodes[d], shape.nodes(static_cast<int>(d)), wider.line.points);
        if (every) line = std::move(wider), any = true;
      }
      next.lines.push_back(std::move(line.line));
      next.fine_of.push_back(std::move(line.fine_of));
    }
    if (!any) break;
    levels.push_back(std::move(next));
  }
  return levels;
}

std::vector<GridLevel> coarsen(const Box& box, PetscInt few) {
  std::array<const PetscInt*, 3> counts{};
  std::array<PetscInt, 3> parts{1, 1, 1};
  check(DMDAGetInfo(box.dm(), nullptr, nullptr, nullptr, nullptr, &parts[0], &parts[1], &parts[2], nullptr, nullptr,
                    nullptr, nullptr, nullptr, nullptr));
  check(DMDAGetOwnershipRanges(box.dm(), &counts[0], &counts[1], &counts[2]));
  std::vector<std::vector<PetscInt>> first_nodes;
  for (std::size_t d = 0; d < box.shape().cells.size(); ++d) {
    std::vector<PetscInt> firsts(static_cast<std::size_t>(parts[d]), 0);
    std::partial_sum(counts[d], counts[d] + parts[d] - 1, firsts.begin() + 1);
    first_nodes.push_back(std::move(firsts));
  }
  return coarsen(box.shape(), first_nodes, few);
}

Between between(const GridLine& fine, const GridLine& coarse, PetscInt point) {
  const PetscInt at = fine.points[static_cast<std::size_t>(point)];
  const auto above = std::ranges::upper_bound(coarse.points, at);
  const auto upper = static_cast<PetscInt>(above - coarse.points.begin()), lower = upper - 1;
  const PetscInt from = coarse.points[static_cast<std::size_t>(lower)];
  if (from == at) return {lower, lower, 0.0};
  const PetscInt to = above == coarse.points.end() ? coarse.finest_cells : *above; // where a periodic line closes
  return {lower, upper, static_cast<double>(at - from) / static_cast<double>(to - from)};
}

} // namespace rhumb::box
