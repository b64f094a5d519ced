#pragma once
/// Errors on a box against the exact solution, or against the exact one on the grid.

#include <rhumb/physics/heat/coefficients.hpp>
#include <rhumb/physics/heat/findings.hpp>
#include <rhumb/physics/heat/modes.hpp>
#include <optional>

namespace rhumb::heat {

class Errors {
public:
  /// Throws core::BadInput when -exact_profile is given for a case whose solution does not separate.
  Errors(const Case& heat_case, const grid::Box& box, const Coefficients& coefficients);

  bool known() const { return case_.exact.has_value() || modes_.has_value(); }
  /// Compares y with the solution at t, on this rank.
  WorstErrors::Share share(double t, Vec y);

private:
  const Case& case_;
  const grid::Box& box_;
  const Coefficients& coefficients_;
  std::optional<Modes> modes_;
};

} // namespace rhumb::heat
