#pragma once
/// Cells cut into parts of equal number by recursive bisection of their centres along the longest direction. The same
/// cells always give the same parts, which graph partitioners do not promise, and a restart needs. Pure.

#include <array>
#include <span>
#include <vector>

namespace rhumb::grid {

/// The part of each cell, from 0 to parts - 1.
std::vector<int> bisect(std::span<const std::array<double, 3>> centres, int parts);

} // namespace rhumb::grid
