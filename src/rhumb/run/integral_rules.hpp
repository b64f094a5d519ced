#pragma once
/// Integrals over time that a user asks for: -integral 'G = y3; work = power_1 * (1 + t)'. See time_integrals.hpp.

#include <rhumb/core/options.hpp>
#include <string>
#include <vector>

namespace rhumb::run {

struct IntegralRule {
  std::string name;
  std::string rate; ///< a formula
};

/// Reads -integral. Throws core::BadInput.
std::vector<IntegralRule> read_integral_rules(const core::Options& options);

} // namespace rhumb::run
