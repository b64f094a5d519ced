#pragma once
/// The heat that flows into the body through a point of a boundary, generic in the scalar.

#include <rhumb/core/dual.hpp>
#include <rhumb/physics/heat/case.hpp>
#include <rhumb/physics/heat/table.hpp>

namespace rhumb::heat {

/// The coefficient with value f and derivative df at temperature T, in T's scalar.
inline double with_derivative(double, double f, double) {
  return f;
}
template <int N>
core::Dual<N> with_derivative(const core::Dual<N>& T, double f, double df) {
  return T.chain(f, df);
}

/// The coefficient of point i of a row, in the scalar of the temperature there.
template <class S>
S coefficient(const TableRow& row, PetscInt i, const S& T) {
  if constexpr (std::is_same_v<S, double>)
    return row.value(i);
  else
    return with_derivative(T, row.value(i), row.derivative(i));
}

/// A wall with its numbers at the rank's points on it.
struct WallTables {
  Wall::Type type = Wall::Type::symmetry;
  Table value, coefficient, ambient;
};

/// q into the body at number i of a wall that has one.
template <class S>
S wall_flux(const WallTables& wall, PetscInt i, const S& T, double stefan_boltzmann) {
  switch (wall.type) {
  case Wall::Type::flux:
    return coefficient(wall.value.row(0), i, T);
  case Wall::Type::convection:
    return coefficient(wall.coefficient.row(0), i, T) * (wall.ambient.row(0).value(i) - T);
  case Wall::Type::radiation: {
    const double ambient = wall.ambient.row(0).value(i);
    const S square = T * T;
    return stefan_boltzmann * coefficient(wall.coefficient.row(0), i, T) *
           (ambient * ambient * ambient * ambient - square * square);
  }
  default:
    return S(0.0);
  }
}

} // namespace rhumb::heat
