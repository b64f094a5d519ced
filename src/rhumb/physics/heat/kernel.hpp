#pragma once
/// The heat balance of one point, generic in the scalar: second order, conservative, on control volumes that end half
/// way between points and at the walls,
///   V rho c T_t = sum over faces of A k_face (T_neighbour - T) / h + A_wall q + V s.
/// All equations are divided by V. A point of a Dirichlet side has T - value = 0 instead: an algebraic row, BCP
/// (1.3.4).

#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/physics/heat/wall_flux.hpp>

namespace rhumb::heat {

/// The walls of a rank's part, and which number a point has on each.
class Walls {
public:
  std::array<WallTables, 6> tables;
  double stefan_boltzmann = 0.0;
  std::array<PetscInt, 3> count{1, 1, 1}; ///< the rank's points per direction

  PetscInt wall_index(PetscInt owned, std::size_t side) const {
    const PetscInt row = count[0], plane = count[0] * count[1];
    return side < 2 ? owned / row : side < 4 ? owned / plane * row + owned % row : owned % plane;
  }
  bool is_dirichlet(std::size_t side) const { return tables[side].type == Wall::Type::dirichlet; }
  /// The first Dirichlet side that the point lies on, or 6.
  std::size_t dirichlet_side(unsigned sides) const {
    for (std::size_t side = 0; side < 6; ++side)
      if ((sides >> side & 1U) != 0 && is_dirichlet(side)) return side;
    return 6;
  }
  /// The temperature that a point on that Dirichlet side is held at.
  double held(PetscInt owned, std::size_t side) const {
    return tables[side].value.row(0).value(wall_index(owned, side));
  }
  template <class S>
  S flux(PetscInt owned, std::size_t side, const S& T) const {
    return wall_flux(tables[side], wall_index(owned, side), T, stefan_boltzmann);
  }
};

/// A_lower / V, A_upper / V of a control volume in one direction, the faces at the walls included.
struct Metric {
  double lower, upper;
};

/// In radial geometry the areas are r^m and V their integral over r.
inline Metric radial_metric(double r, double h, unsigned sides, Symmetry symmetry) {
  const double inner = (sides & 1U) != 0 ? r : r - 0.5 * h, outer = (sides & 2U) != 0 ? r : r + 0.5 * h;
  if (symmetry == Symmetry::cylinder) {
    const double volume = 0.5 * (outer * outer - inner * inner);
    return {inner / volume, outer / volume};
  }
  const double volume = (outer * outer * outer - inner * inner * inner) / 3.0;
  return {inner * inner / volume, outer * outer / volume};
}

/// Half a cell at a wall.
inline Metric planar_metric(double inverse_h, unsigned sides, std::size_t direction) {
  const double area = (sides >> (2 * direction) & 3U) != 0 ? 2.0 * inverse_h : inverse_h;
  return {area, area};
}

template <class S>
RHUMB_INLINE inline S face_mean(FaceMean mean, const S& a, const S& b) {
  return mean == FaceMean::harmonic ? S(2.0 * a * b / (a + b)) : S(0.5 * (a + b));
}

/// What both kernels do at walls.
template <class Kernel, class U, class Rate>
RHUMB_INLINE inline auto wall_or_value(const Kernel& kernel, const Walls& walls, const U& u, const Rate& rate,
                                       const box::Point& p) {
  using S = typename U::Scalar;
  if (const std::size_t side = walls.dirichlet_side(p.sides); side < 6) return S(u[0] - walls.held(p.index, side));
  return kernel.natural(u, rate, p);
}

/// Constant k, rho c and s, no symmetry but planar: nothing is read beside T and T'.
struct UniformKernel {
  double k = 1.0, capacity = 1.0, source = 0.0;
  const Walls* walls = nullptr;

  template <class U, class Rate>
  RHUMB_INLINE auto equation(const U& u, const Rate& rate, const box::Point&) const {
    return capacity * rate[0] - k * box::laplacian(u) - source;
  }

  /// The balance with the walls' fluxes (none through Dirichlet sides). The mirrored neighbour doubles the inner flux,
  /// as half a cell wants it.
  template <class U, class Rate>
  auto natural(const U& u, const Rate& rate, const box::Point& p) const {
    auto result = equation(u, rate, p);
    for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(U::directions); ++side)
      if ((p.sides >> side & 1U) != 0) result -= 2.0 * u.inverse_h[side / 2] * walls->flux(p.index, side, u[0]);
    return result;
  }

  template <class U, class Rate>
  RHUMB_INLINE auto boundary(const U& u, const Rate& rate, const box::Point& p) const {
    return wall_or_value(*this, *walls, u, rate, p);
  }
  bool held(unsigned sides) const { return walls->dirichlet_side(sides) < 6; }
  double held_value(const box::Point& p) const { return walls->held(p.index, walls->dirichlet_side(p.sides)); }
};

/// Whether any table depends on T, so that its slope must be carried along.
enum class Derivatives : std::uint8_t { none, of_T };

/// A table's numbers from a segment's first point on.
struct TableSegment {
  const double* values = nullptr;
  const double* derivatives = nullptr;

  /// Of point i: a plain number, or the coefficient in the scalar of the temperature there.
  template <Derivatives derivatives_of, class S>
  RHUMB_INLINE auto at(PetscInt i, const S& T) const {
    if constexpr (derivatives_of == Derivatives::none || std::is_same_v<S, double>)
      return values[i];
    else
      return T.chain(values[i], derivatives[i]);
  }
};

/// Coefficients from tables.
template <int D, Derivatives derivatives_of>
struct TableKernel {
  TableSegment k;                                                     ///< at the segment's points
  std::array<TableSegment, static_cast<std::size_t>(D)> lower, upper; ///< k at their neighbours
  TableSegment capacity, source;
  FaceMean mean = FaceMean::harmonic;
  Symmetry symmetry = Symmetry::planar;
  const Walls* walls = nullptr;
  PetscInt first = 0;

  template <class U, class Rate>
  RHUMB_INLINE auto balance(const U& u, const Rate& rate, const box::Point& p, unsigned sides) const {
    using S = typename U::Scalar;
    const PetscInt i = p.index - first;
    const auto k_here = k.template at<derivatives_of>(i, u[0]);
    S result = capacity.template at<derivatives_of>(i, u[0]) * rate[0] - source.template at<derivatives_of>(i, u[0]);
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
      const double inverse_h = u.inverse_h[d];
      const bool radial = D == 1 && symmetry != Symmetry::planar;
      const Metric area =
          radial ? radial_metric(p.x, 1.0 / inverse_h, sides, symmetry) : planar_metric(inverse_h, sides, d);
      const auto down = lower[d].template at<derivatives_of>(i, u.minus[d][0]);
      const auto up = upper[d].template at<derivatives_of>(i, u.plus[d][0]);
      result -= flux_in(u[0], u.minus[d][0], k_here, down, inverse_h, area.lower, p, sides, 2 * d);
      result -= flux_in(u[0], u.plus[d][0], k_here, up, inverse_h, area.upper, p, sides, 2 * d + 1);
    }
    return result;
  }

  /// Heat that comes in through one face, from the neighbour or through the wall, per volume.
  template <class S, class K>
  RHUMB_INLINE S flux_in(const S& T, const S& neighbour, const K& k_here, const K& k_there, double inverse_h,
                         double area, const box::Point& p, unsigned sides, std::size_t side) const {
    if ((sides >> side & 1U) != 0) return area * walls->flux(p.index, side, T);
    return area * inverse_h * face_mean(mean, k_here, k_there) * (neighbour - T);
  }

  template <class U, class Rate>
  RHUMB_INLINE auto equation(const U& u, const Rate& rate, const box::Point& p) const {
    return balance(u, rate, p, 0);
  }
  template <class U, class Rate>
  auto natural(const U& u, const Rate& rate, const box::Point& p) const {
    return balance(u, rate, p, p.sides);
  }
  template <class U, class Rate>
  RHUMB_INLINE auto boundary(const U& u, const Rate& rate, const box::Point& p) const {
    return wall_or_value(*this, *walls, u, rate, p);
  }
  bool held(unsigned sides) const { return walls->dirichlet_side(sides) < 6; }
  double held_value(const box::Point& p) const { return walls->held(p.index, walls->dirichlet_side(p.sides)); }
};

} // namespace rhumb::heat
