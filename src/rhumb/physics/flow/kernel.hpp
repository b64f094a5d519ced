#pragma once
/// The equations at one point, second order on the staggered grid (Harlow and Welch; Verstappen and Veldman on
/// stretched grids). For component c at a face, with a_d the mean velocity through the d-faces of its control volume,
/// w_d the width of that volume:
///   skew:        sum_d ( a_d+ u_d+ - a_d- u_d- ) / (2 w_d)
///   divergence:  the same plus u (a_d+ - a_d-) / (2 w_d), which is zero with the divergence
///   upwind3:     skew with u at each volume face corrected by minus a sixth of the second difference upstream
///   diffusion:   sum_d ( (u_d+ - u)/l_d+ - (u - u_d-)/l_d- ) / w_d
/// The arithmetic mean of u at volume faces makes convection skew-symmetric on any grid: it conserves the energy.
///
/// Each quantity has two functions: its value, and its derivatives, which go to `emit(place, derivative)`.

#include <rhumb/physics/flow/case.hpp>
#include <rhumb/physics/flow/staggered.hpp>

namespace rhumb::flow {

/// What a kernel needs besides the local array.
struct Medium {
  const Staggered& grid;
  Convection convection;
  double nu;
  double kappa;
  std::array<double, 3> buoyancy;
  double upwinding = 0.0; ///< share of first-order upwinding that is added; multigrid smooths nothing without
};

/// One direction of a transported quantity: the velocities through the two faces of its volume, its own two values,
/// and the metric.
struct FaceTransport {
  double above, below;                 ///< a+, a-
  double inverse_width;                ///< 1/w
  double inverse_above, inverse_below; ///< 1/l+, 1/l-
  double upwinding = 0.0;
};

constexpr double upwind_share = 1.0 / 6.0;

/// Convection and diffusion of q in one direction, at `place` with neighbours `stride` apart.
inline double transport(const FaceTransport& t, Convection form, double diffusivity, const double* q, PetscInt offset,
                        PetscInt stride) {
  const double here = q[offset], up = q[offset + stride], down = q[offset - stride];
  double sum = 0.5 * (t.above * up - t.below * down) -
               diffusivity * ((up - here) * t.inverse_above - (here - down) * t.inverse_below);
  if (form == Convection::divergence) sum += 0.5 * here * (t.above - t.below);
  if (form == Convection::upwind3) {
    const double centre = up - 2.0 * here + down;
    const double above = t.above > 0.0 ? centre : q[offset + 2 * stride] - 2.0 * up + here;
    const double below = t.below > 0.0 ? here - 2.0 * down + q[offset - 2 * stride] : centre;
    sum -= upwind_share * (t.above * above - t.below * below);
  }
  if (t.upwinding > 0.0)
    sum -= 0.5 * t.upwinding * (std::abs(t.above) * (up - here) - std::abs(t.below) * (here - down));
  return sum * t.inverse_width;
}

/// Derivatives of `transport` with the velocities held.
template <class Emit>
void transport_derivatives(const FaceTransport& t, Convection form, double diffusivity, PetscInt offset,
                           PetscInt stride, Emit&& emit) {
  const double w = t.inverse_width;
  double here = diffusivity * (t.inverse_above + t.inverse_below);
  double up = 0.5 * t.above - diffusivity * t.inverse_above;
  double down = -0.5 * t.below - diffusivity * t.inverse_below;
  if (form == Convection::divergence) here += 0.5 * (t.above - t.below);
  if (form == Convection::upwind3) {
    const double from_below = upwind_share * std::max(t.above, 0.0), from_above = upwind_share * std::min(t.above, 0.0);
    const double low_below = upwind_share * std::max(t.below, 0.0), low_above = upwind_share * std::min(t.below, 0.0);
    up += -from_below + 2.0 * from_above + low_above;
    here += 2.0 * from_below - from_above + low_below - 2.0 * low_above;
    down += -from_below - 2.0 * low_below + low_above;
    emit(offset + 2 * stride, -from_above * w);
    emit(offset - 2 * stride, low_below * w);
  }
  if (t.upwinding > 0.0) {
    const double above = 0.5 * t.upwinding * std::abs(t.above), below = 0.5 * t.upwinding * std::abs(t.below);
    here += above + below;
    up -= above;
    down -= below;
  }
  emit(offset, here * w);
  emit(offset + stride, up * w);
  emit(offset - stride, down * w);
}

/// d transport / d a+ and d transport / d a-.
struct VelocityDerivatives {
  double above, below;
};
inline VelocityDerivatives velocity_derivatives(const FaceTransport& t, Convection form, const double* q,
                                                PetscInt offset, PetscInt stride) {
  const double here = q[offset], up = q[offset + stride], down = q[offset - stride];
  VelocityDerivatives out{0.5 * up, -0.5 * down};
  if (form == Convection::divergence) out.above += 0.5 * here, out.below -= 0.5 * here;
  if (form == Convection::upwind3) {
    const double centre = up - 2.0 * here + down;
    out.above -= upwind_share * (t.above > 0.0 ? centre : q[offset + 2 * stride] - 2.0 * up + here);
    out.below += upwind_share * (t.below > 0.0 ? here - 2.0 * down + q[offset - 2 * stride] : centre);
  }
  if (t.upwinding > 0.0) {
    out.above -= 0.5 * std::copysign(t.upwinding, t.above) * (up - here);
    out.below += 0.5 * std::copysign(t.upwinding, t.below) * (here - down);
  }
  return {out.above * t.inverse_width, out.below * t.inverse_width};
}

/// Momentum of component C in D directions: everything but u'.
template <int D, int C>
struct Momentum {
  const Medium& medium;

  FaceTransport along(int d, const double* y, PetscInt base, const Index& cell) const {
    const Staggered& g = medium.grid;
    const StaggeredLine &component_line = g.line(C), &other = g.line(d);
    const PetscInt i = cell[C], j = cell[d], slot = g.velocity_slot(d);
    if (d == C) {
      const double here = y[base + slot];
      return {0.5 * (here + y[base + g.stride(C) + slot]),
              0.5 * (here + y[base - g.stride(C) + slot]),
              component_line.inverse_gap(i),
              component_line.inverse_width(i),
              component_line.inverse_width(i - 1),
              medium.upwinding};
    }
    const double low = component_line.lower_share(i), high = 1.0 - low;
    const double* lower = y + base - g.stride(C) + slot;
    const double* upper = y + base + slot;
    return {low * lower[g.stride(d)] + high * upper[g.stride(d)],
            low * lower[0] + high * upper[0],
            other.inverse_width(j),
            other.inverse_gap(j + 1),
            other.inverse_gap(j),
            medium.upwinding};
  }

  double value(const double* y, PetscInt base, const Index& cell) const {
    const Staggered& g = medium.grid;
    const PetscInt slot = g.velocity_slot(C), p = base + g.pressure_slot();
    const PetscInt i = cell[C];
    double sum = (y[p] - y[p - g.stride(C)]) * g.line(C).inverse_gap(i);
    for (int d = 0; d < D; ++d)
      sum += transport(along(d, y, base, cell), medium.convection, medium.nu, y, base + slot, g.stride(d));
    if (medium.buoyancy[C] != 0.0) {
      const PetscInt scalar = base + g.scalar_slot();
      const double low = g.line(C).lower_share(i);
      sum -= medium.buoyancy[C] * (low * y[scalar - g.stride(C)] + (1.0 - low) * y[scalar]);
    }
    return sum;
  }

  template <class Emit>
  void derivatives(const double* y, PetscInt base, const Index& cell, Emit&& emit) const {
    const Staggered& g = medium.grid;
    const PetscInt slot = g.velocity_slot(C), p = base + g.pressure_slot();
    const PetscInt i = cell[C];
    const double low = g.line(C).lower_share(i);
    emit(p, g.line(C).inverse_gap(i));
    emit(p - g.stride(C), -g.line(C).inverse_gap(i));
    for (int d = 0; d < D; ++d) {
      const FaceTransport t = along(d, y, base, cell);
      transport_derivatives(t, medium.convection, medium.nu, base + slot, g.stride(d), emit);
      const VelocityDerivatives a = velocity_derivatives(t, medium.convection, y, base + slot, g.stride(d));
      if (d == C) {
        emit(base + slot, 0.5 * (a.above + a.below));
        emit(base + slot + g.stride(C), 0.5 * a.above);
        emit(base + slot - g.stride(C), 0.5 * a.below);
        continue;
      }
      const PetscInt through = base + g.velocity_slot(d);
      emit(through - g.stride(C) + g.stride(d), low * a.above);
      emit(through + g.stride(d), (1.0 - low) * a.above);
      emit(through - g.stride(C), low * a.below);
      emit(through, (1.0 - low) * a.below);
    }
    if (medium.buoyancy[C] == 0.0) return;
    const PetscInt scalar = base + g.scalar_slot();
    emit(scalar - g.stride(C), -medium.buoyancy[C] * low);
    emit(scalar, -medium.buoyancy[C] * (1.0 - low));
  }
};

/// div u of a cell, and its derivatives.
template <int D>
struct Continuity {
  const Staggered& grid;

  double value(const double* y, PetscInt base, const Index& cell) const {
    double sum = 0.0;
    for (int d = 0; d < D; ++d) {
      const PetscInt face = base + grid.velocity_slot(d);
      sum += (y[face + grid.stride(d)] - y[face]) * grid.line(d).inverse_width(cell[d]);
    }
    return sum;
  }
  template <class Emit>
  void derivatives(PetscInt base, const Index& cell, Emit&& emit) const {
    for (int d = 0; d < D; ++d) {
      const PetscInt face = base + grid.velocity_slot(d);
      const double w = grid.line(d).inverse_width(cell[d]);
      emit(face + grid.stride(d), w);
      emit(face, -w);
    }
  }
};

/// u.grad q - diffusivity lap q of a quantity at the cells: the scalar, or the pressure in the preconditioner.
template <int D>
struct CellTransport {
  const Medium& medium;
  double diffusivity;

  FaceTransport along(int d, const double* y, PetscInt base, const Index& cell) const {
    const Staggered& g = medium.grid;
    const StaggeredLine& line = g.line(d);
    const PetscInt face = base + g.velocity_slot(d), i = cell[d];
    return {y[face + g.stride(d)], y[face],         line.inverse_width(i), line.inverse_gap(i + 1),
            line.inverse_gap(i),   medium.upwinding};
  }
  double value(const double* y, PetscInt base, const Index& cell) const {
    double sum = 0.0;
    for (int d = 0; d < D; ++d)
      sum += transport(along(d, y, base, cell), medium.convection, diffusivity, y, base + medium.grid.scalar_slot(),
                       medium.grid.stride(d));
    return sum;
  }
  template <class Emit>
  void derivatives(const double* y, PetscInt base, const Index& cell, Emit&& emit) const {
    const Staggered& g = medium.grid;
    const PetscInt offset = base + g.scalar_slot();
    for (int d = 0; d < D; ++d) {
      const FaceTransport t = along(d, y, base, cell);
      transport_derivatives(t, medium.convection, diffusivity, offset, g.stride(d), emit);
      const VelocityDerivatives a = velocity_derivatives(t, medium.convection, y, offset, g.stride(d));
      const PetscInt face = base + g.velocity_slot(d);
      emit(face + g.stride(d), a.above);
      emit(face, a.below);
    }
  }
};

} // namespace rhumb::flow
