#pragma once
/// d(figure)/dy at a state: from the problem where it knows it, else by differences of the figure's own code, entry by
/// entry, where moving whole ranges of entries first finds those that the figure does not depend on.

#include <rhumb/dae/problem.hpp>

namespace rhumb::run {

/// A number that a problem reports: `name`, or `name[i]`, the i-th of a list, counted from 1.
struct FigureName {
  std::string name;
  std::size_t entry = 0; ///< 0: a number of its own

  static FigureName parse(const std::string& text);
  std::string text() const;
};

/// Throws core::BadInput with the nearest name where there is no such number. Collective.
double figure_value(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot);

/// Into `by_y` and `by_ydot`. Collective. Throws core::BadInput where it depends on too many unknowns.
void differentiate_figure(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot, Vec by_y,
                          Vec by_ydot);

} // namespace rhumb::run
