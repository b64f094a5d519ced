#pragma once
/// What formulas about a run may name (events, integrals over time), and its values at a state: t, the extrema of every
/// field (T_min, T_max), the variables of a small system, and the problem's series (probe_1, energy_stored, ...).

#include <rhumb/core/formula.hpp>
#include <rhumb/dae/problem.hpp>
#include <string>
#include <vector>

namespace rhumb::run {

class Quantities {
public:
  /// t0 is the start of the run. Collective.
  Quantities(dae::Problem& problem, double t0);

  /// Throws core::BadInput on a bad formula; `source` names the option.
  void add_formula(const std::string& text, const std::string& source);

  /// The formulas at a state, in the order in which they were added. Collective.
  std::vector<double> evaluate(double t, Vec y, Vec ydot) const;
  /// What they name. Collective.
  std::vector<double> values(double t, Vec y, Vec ydot) const;
  /// The derivatives of the formulas where what they name has these values and derivatives; those of the variables of a
  /// small system are taken from s = dy/dp. Collective.
  std::vector<double> differentiate(const std::vector<double>& values, std::vector<double> derivatives, Vec s) const;

private:
  void add_extrema(Vec y, std::vector<double>& values) const;
  std::vector<double> variables_of(Vec y) const;

  dae::Problem& problem_;
  std::vector<std::string> names_;
  std::size_t extrema_ = 0, variables_ = 0; ///< how many, behind t
  std::vector<core::Formula> formulas_;
  bool with_series_ = false; ///< a formula needs one
};

} // namespace rhumb::run
