#pragma once
/// What keeps fluid that comes in through an outflow from bringing in kinetic energy without bound: on the part of the
/// side where u.n < 0 the do-nothing condition becomes
///   nu du/dn - p n = (beta/2) min(u.n, 0) u
/// (Bazilevs et al. 2009; with beta = 1 the flux of energy u.n |u|^2/2 is cancelled). Here: what it adds to the momentum
/// of component C at a face on the side (C normal to it) or beside it, and its derivatives.

#include <rhumb/physics/flow/staggered.hpp>
#include <algorithm>
#include <span>

namespace rhumb::flow {

struct OpenSide {
  int direction;
  int upper;
};

template <int C>
struct Backflow {
  const Staggered& grid;
  double beta;
  std::span<const OpenSide> sides;

  double value(const double* y, PetscInt base, const Index& cell) const {
    double sum = 0.0;
    for_each(base, cell, [&](const OpenSide& side, PetscInt face) {
      const PetscInt row = base + grid.velocity_slot(C);
      const double inflow = std::min(outward(side, y, face), 0.0);
      sum += side.direction == C ? -weight(side, cell) * 0.5 * beta * inflow * inflow * sign(side)
                                 : -weight(side, cell) * 0.5 * beta * inflow * y[row];
    });
    return sum;
  }

  template <class Emit>
  void derivatives(const double* y, PetscInt base, const Index& cell, Emit&& emit) const {
    for_each(base, cell, [&](const OpenSide& side, PetscInt face) {
      const PetscInt row = base + grid.velocity_slot(C);
      const double inflow = std::min(outward(side, y, face), 0.0), factor = -weight(side, cell) * beta;
      if (side.direction == C) {
        emit(row, factor * inflow);
        return;
      }
      emit(row, 0.5 * factor * inflow);
      const double by_normal = inflow < 0.0 ? 0.5 * factor * y[row] * sign(side) : 0.0;
      emit(face, 0.5 * by_normal);
      emit(face - grid.stride(C), 0.5 * by_normal);
    });
  }

private:
  static double sign(const OpenSide& side) { return side.upper == 1 ? 1.0 : -1.0; }
  /// Of what is prescribed on the side, in the balance of the row: 2 / gap for a pressure, 1 / width for a friction.
  double weight(const OpenSide& side, const Index& cell) const {
    const StaggeredLine& line = grid.line(side.direction);
    return side.direction == C ? 2.0 * line.inverse_gap(cell[C]) : line.inverse_width(cell[side.direction]);
  }
  /// u.n: at the face itself, or the mean of the two normal faces beside the row.
  double outward(const OpenSide& side, const double* y, PetscInt face) const {
    if (side.direction == C) return sign(side) * y[face];
    return sign(side) * 0.5 * (y[face] + y[face - grid.stride(C)]);
  }
  /// The open sides that a row is at, with the offset of the face on the side.
  template <class Body>
  void for_each(PetscInt base, const Index& cell, Body&& body) const {
    for (const OpenSide& side : sides) {
      const int d = side.direction;
      const PetscInt last = grid.line(d).cells() - (d == C ? 0 : 1);
      if (cell[d] != (side.upper == 1 ? last : 0)) continue;
      const PetscInt shift = d != C && side.upper == 1 ? grid.stride(d) : 0;
      body(side, base + shift + grid.velocity_slot(d));
    }
  }
};

} // namespace rhumb::flow
