#pragma once
/// Atomic weights (IUPAC 2021, conventional values) of the elements that gases are made of.

#include <optional>
#include <string>

namespace rhumb::combustion {

/// kg/mol; none for an element that is not in the table.
std::optional<double> atomic_weight(const std::string& element);

} // namespace rhumb::combustion
