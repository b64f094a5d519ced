#pragma once
/// Parameters whose names come from a file of the user (elements of a circuit, bodies of a mechanism): options of the same
/// names set them where they are given. To declare them all as options would drown the help.

#include <rhumb/dae/parameter.hpp>

namespace rhumb::dae {

/// Throws core::BadInput where a value is out of the parameter's range; zero is, where a parameter must not be negative.
inline void take_given_values(ParameterSet& parameters, const core::Options& options) {
  const auto all = parameters.list();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Parameter& one = all[i];
    if (options.given(one.name))
      parameters.set(i, options.real(one.name, one.value, {one.description, one.unit},
                                     {.low = one.lower, .high = one.upper, .low_open = one.lower == 0.0}));
  }
}

} // namespace rhumb::dae
