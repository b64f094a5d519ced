#include "grid/bisection.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace rhumb::grid {

namespace {

using Centres = std::span<const std::array<double, 3>>;

std::size_t longest_direction(Centres centres, std::span<const std::size_t> cells) {
  std::array<double, 3> extent{};
  for (std::size_t d = 0; d < 3; ++d) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const std::size_t cell : cells) {
      low = std::min(low, centres[cell][d]);
      high = std::max(high, centres[cell][d]);
    }
    extent[d] = high - low;
  }
  return static_cast<std::size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
}

void bisect_into(Centres centres, std::span<std::size_t> cells, int first, int parts, std::vector<int>& part_of) {
  if (parts == 1 || cells.empty()) {
    for (const std::size_t cell : cells) part_of[cell] = first;
    return;
  }
  const std::size_t d = longest_direction(centres, cells);
  const int lower = parts / 2;
  const std::size_t cut = cells.size() * static_cast<std::size_t>(lower) / static_cast<std::size_t>(parts);
  std::nth_element(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(cut), cells.end(),
                   [&](std::size_t a, std::size_t b) {
                     return centres[a][d] != centres[b][d] ? centres[a][d] < centres[b][d] : a < b;
                   });
  bisect_into(centres, cells.first(cut), first, lower, part_of);
  bisect_into(centres, cells.subspan(cut), first + lower, parts - lower, part_of);
}

} // namespace

std::vector<int> bisect(std::span<const std::array<double, 3>> centres, int parts) {
  std::vector<std::size_t> cells(centres.size());
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  std::vector<int> part_of(centres.size(), 0);
  bisect_into(centres, cells, 0, parts, part_of);
  return part_of;
}

} // namespace rhumb::grid
