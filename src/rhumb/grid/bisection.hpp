#pragma once
/// Cuts a mesh into parts of equal size by halving it across its longest side, again and again. What graph partitioners
/// cut is some percent shorter, but differs from run to run, and with it the last digits of all results.

#include <array>
#include <span>
#include <vector>

namespace rhumb::grid {

/// The part, 0 to parts - 1, of each cell, from the cells' centres. Parts differ by at most one cell in size.
std::vector<int> bisect(std::span<const std::array<double, 3>> centres, int parts);

} // namespace rhumb::grid
