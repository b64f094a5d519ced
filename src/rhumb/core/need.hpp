#pragma once

#include <cstdint>

namespace rhumb::core {

/// What a sweep over points will do with tables of coefficients: read their values, or differentiate through them.
enum class Need : std::uint8_t { values, derivatives };

} // namespace rhumb::core
