#pragma once
/// Counts that come back from a file as doubles. Whoever wrote the file may have written anything.

#include <rhumb/core/failure.hpp>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>

namespace rhumb::core {

/// `value` as a whole number of 0 ... `max`; throws BadInput that names `what`.
inline std::size_t stored_count(double value, std::size_t max, const char* what) {
  if (value >= 0.0 && value <= static_cast<double>(max) && value == std::floor(value))
    return static_cast<std::size_t>(value);
  throw BadInput(fmt::format("{} is {:g}: expected a whole number of 0 ... {}", what, value, max));
}

} // namespace rhumb::core
