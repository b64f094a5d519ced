#pragma once
/// What a Problem with many unknowns may offer beside: derivatives of figures that depend on all of them (an energy, a
/// mean), which differences would need as many evaluations for.

#include <petscvec.h>
#include <string>

namespace rhumb::dae {

class FigureGradients {
public:
  FigureGradients() = default;
  virtual ~FigureGradients() = default;
  FigureGradients(const FigureGradients&) = delete;
  FigureGradients& operator=(const FigureGradients&) = delete;

  /// d(figure)/dy at (t, y) into `by_y`, every entry; the figure does not depend on y'. False: not known here. Collective.
  virtual bool figure_gradient(const std::string& figure, double t, Vec y, Vec by_y) = 0;
};

} // namespace rhumb::dae
