#pragma once
/// Models of the scales that a grid does not carry: div(2 nu_t S) in the momentum equations, S the symmetric part of
/// G = grad u, Delta = V^(1/D) of a cell:
///   smagorinsky  nu_t = (C Delta)^2 |S|,   |S| = sqrt(2 S:S)                       (Smagorinsky 1963; C = 0.17)
///   wale         nu_t = (C Delta)^2 (Z:Z)^(3/2) / ((S:S)^(5/2) + (Z:Z)^(5/4)),  Z the symmetric part of G G without
///                its trace      (Nicoud and Ducros 1999; C = 0.5): zero in pure shear and as y^3 at walls
/// nu_t sits at the cells; beyond walls it is that of the cell inside.

#include <rhumb/physics/flow/boundary.hpp>
#include <rhumb/physics/flow/kernel.hpp>

namespace rhumb::flow {

class EddyViscosity {
public:
  EddyViscosity(const Case& flow_case, const Staggered& grid, const Boundary& boundary);

  /// From a velocity with ghosts. Collective.
  void update(const double* y);
  /// By offset, in the slots of the pressure.
  const double* values() const { return values_.data(); }

private:
  double at_cell(const double* y, PetscInt base, const Index& cell) const;
  void copy_outwards();

  const Case& case_;
  const Staggered& grid_;
  const Boundary& boundary_;
  core::VecHandle owned_, local_;
  std::vector<double> values_;
};

/// - div(2 nu_t S) of component C with nu_t given, and its derivatives by the velocities.
template <int D, int C>
struct EddyStress {
  const Staggered& grid;
  const double* eddy;

  /// Two entries and the two differences of velocities that make the stress at one face of the control volume.
  template <class Body>
  void for_each_face(PetscInt base, const Index& cell, Body&& body) const {
    const PetscInt slot = grid.velocity_slot(C), nu = base + grid.pressure_slot(), back = grid.stride(C);
    const PetscInt i = cell[C];
    for (int d = 0; d < D; ++d) {
      const PetscInt up = grid.stride(d), j = cell[d];
      if (d == C) {
        const double w = grid.line(C).inverse_gap(i);
        body(base + slot + up, base + slot, 2.0 * w * eddy[nu] * grid.line(C).inverse_width(i));
        body(base + slot, base + slot - up, -2.0 * w * eddy[nu - back] * grid.line(C).inverse_width(i - 1));
        continue;
      }
      const double w = grid.line(d).inverse_width(j);
      for (const PetscInt upper : {1, 0}) {
        const PetscInt shift = upper * up, through = base + grid.velocity_slot(d) + shift;
        const double mean =
            0.25 * (eddy[nu + shift] + eddy[nu + shift - up] + eddy[nu + shift - back] + eddy[nu + shift - up - back]);
        const double factor = upper == 1 ? w * mean : -w * mean;
        body(base + slot + shift, base + slot + shift - up, factor * grid.line(d).inverse_gap(j + upper));
        body(through, through - back, factor * grid.line(C).inverse_gap(i));
      }
    }
  }

  double value(const double* y, PetscInt base, const Index& cell) const {
    double sum = 0.0;
    for_each_face(base, cell, [&](PetscInt a, PetscInt b, double factor) { sum -= factor * (y[a] - y[b]); });
    return sum;
  }
  template <class Emit>
  void derivatives(PetscInt base, const Index& cell, Emit&& emit) const {
    for_each_face(base, cell, [&](PetscInt a, PetscInt b, double factor) {
      emit(a, -factor);
      emit(b, factor);
    });
  }
};

} // namespace rhumb::flow
